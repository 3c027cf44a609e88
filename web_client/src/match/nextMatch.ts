/** The next match of the same players: whether one may make it or sit down in it, and with what invite. */
import type { NextMatch } from '../lib/protocol';
import { sha256 } from '../lib/sha256';
import { hex } from '../lib/wire';

const text = new TextEncoder();
const hashed = (words: string): string => hex(sha256(text.encode(words)));

/** A player's invite to the next match, by the token of their seat in this one (see `client_protocol/next_match.py`). */
export const nextInvite = (token: string, match: string): string => hashed(`next match\0${hashed(token)}\0${match}`);

/** A seat in the next match that is one's own: its invite is known. */
export interface Place {
  readonly seat: string;
  readonly invite: string;
}

/** The seats in the next match of whose players `tokens` are, by their seats in this one. */
export function placesIn(next: NextMatch, tokens: Readonly<Record<string, string>>): Place[] {
  return Object.entries(tokens).flatMap(([before, token]) => {
    const seat = next.seats[before];
    return seat === undefined ? [] : [{ seat, invite: nextInvite(token, next.match) }];
  });
}
