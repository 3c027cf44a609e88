/**
 * A seat's share of the dice: thirty-two random bytes that nobody knows before every seat has committed to its own.
 * The page does it by itself, whenever the server's word shows that a part of it is missing.
 */
import { sha256 } from './sha256';
import { keep, recall } from './storage';
import { fromHex, hex, newId, randomHex } from './wire';
import type { CommitRandomness, RevealRandomness } from './protocol';

const WHOLE = /^[0-9a-f]{64}$/;

/** This seat's random bytes, in hexadecimal; drawn once and kept, because a commitment cannot be taken back. */
export function share(match: string, seat: string): string {
  const key = `dice/${match}/${seat}`;
  const kept = recall(key, '');
  if (WHOLE.test(kept)) return kept;
  const drawn = randomHex(32);
  keep(key, drawn);
  return drawn;
}

/** Takes over the bytes that the seat's other device has committed to. */
export function adopt(match: string, seat: string, bytes: string): void {
  if (WHOLE.test(bytes)) keep(`dice/${match}/${seat}`, bytes);
}

/** What the seat has to do next for the dice; null when there is nothing (any more, or yet). */
export function nextStep(
  match: string,
  seat: string,
  seats: readonly string[],
  committed: readonly string[],
  revealed: readonly string[],
): CommitRandomness | RevealRandomness | null {
  if (seat === '' || revealed.includes(seat)) return null;
  if (!committed.includes(seat)) {
    return { type: 'commit', id: newId(), digest: hex(sha256(fromHex(share(match, seat)))) };
  }
  if (!seats.every((each) => committed.includes(each))) return null;
  return { type: 'reveal', id: newId(), randomness: share(match, seat) };
}
