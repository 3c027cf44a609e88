/** What a seat brings, as one word for lists and addresses: a force of the shelf, a ready one, or the scenario's. */
import type { Force } from '../lib/protocol';
import type { KeptForce } from './shelf.svelte';

/** The scenario's own force. */
export const SCENARIO = '';
export const pickKept = (id: string): string => `mine:${id}`;
export const pickReady = (place: number): string => `ready:${place}`;

/** The force that a pick means, for this edition; null for the scenario's, and for one that is not there. */
export function forceOf(
  pick: string,
  edition: string,
  shelf: readonly KeptForce[],
  ready: readonly Force[],
): Force | null {
  const at = pick.indexOf(':');
  const [where, which] = [pick.slice(0, at), pick.slice(at + 1)];
  const force =
    where === 'mine'
      ? shelf.find((kept) => kept.id === which)?.force
      : where === 'ready'
        ? ready[Number(which)]
        : undefined;
  return force && force.edition === edition ? force : null;
}
