/**
 * A seat's share of the dice: thirty-two random bytes, secret until every seat has committed to its own.
 * The page does it by itself, whenever the server's word shows that a part of it is missing.
 */
import type { CommitRandomness, RevealRandomness } from '../../lib/protocol';
import { sha256 } from '../../lib/sha256';
import { forgetShares, keep, recall, shareKey } from '../../lib/storage';
import { fromHex, hex, newId, randomHex } from '../../lib/wire';

const WHOLE = /^[0-9a-f]{64}$/;

/** This seat's random bytes, in hexadecimal; drawn once and kept, because a commitment cannot be taken back. */
export function share(match: string, seat: string): string {
  const key = shareKey(match, seat);
  const kept = recall(key, '');
  if (WHOLE.test(kept)) return kept;
  const drawn = randomHex(32);
  keep(key, drawn);
  return drawn;
}

/**
 * Takes along the bytes that the seat's other device may have committed to. Where there are none yet they are this
 * seat's; else both are kept until the server says which of the two the seat had committed to.
 */
export function takeAlong(match: string, seat: string, bytes: string): void {
  const kept = recall(shareKey(match, seat), '');
  if (!WHOLE.test(bytes) || bytes === kept) return;
  keep(shareKey(match, seat, WHOLE.test(kept) ? 'other' : 'own'), bytes);
}

/** The server has taken these bytes as the seat's share: they are, whatever was kept. */
export function taken(match: string, seat: string, bytes: string): void {
  forgetShares(match, seat);
  keep(shareKey(match, seat), bytes);
}

/**
 * What the seat has to do next for the dice; null when there is nothing (any more, or yet). `refused` are bytes that the
 * server did not take for the seat's share.
 */
export function nextStep(
  match: string,
  seat: string,
  seats: readonly string[],
  committed: readonly string[],
  revealed: readonly string[],
  refused: readonly string[] = [],
): CommitRandomness | RevealRandomness | null {
  if (seat === '' || revealed.includes(seat)) return null;
  if (!committed.includes(seat)) {
    return { type: 'commit', id: newId(), digest: hex(sha256(fromHex(share(match, seat)))) };
  }
  if (!seats.every((each) => committed.includes(each))) return null;
  const known = [share(match, seat), recall(shareKey(match, seat, 'other'), '')];
  const randomness = known.find((bytes) => WHOLE.test(bytes) && !refused.includes(bytes));
  return randomness === undefined ? null : { type: 'reveal', id: newId(), randomness };
}
