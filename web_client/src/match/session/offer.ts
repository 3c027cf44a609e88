/**
 * A seat that a link offers to this browser. Anybody can make a link, so that nothing of it takes the place of what is
 * kept here before the server has let its token in.
 */
import type { Offer } from '../../lib/router.svelte';
import { keepToken } from '../../lib/storage';
import { takeAlong } from './dice';

/** Keeps a seat whose token the server has let in. */
export function accept(match: string, { seat, token, share }: Offer): void {
  keepToken(match, seat, token);
  takeAlong(match, seat, share);
}
