/** A die from its numbers, as the server makes it (docs/dice.md). */
import { sha256 } from '../lib/sha256';

const BLOCK = 64;
const text = new TextEncoder();

function joined(...parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** HMAC-SHA256 (RFC 2104): 32 bytes. */
export function hmac(key: Uint8Array, message: Uint8Array): Uint8Array {
  const padded = new Uint8Array(BLOCK);
  padded.set(key.length > BLOCK ? sha256(key) : key);
  const inner = sha256(
    joined(
      padded.map((byte) => byte ^ 0x36),
      message,
    ),
  );
  return sha256(
    joined(
      padded.map((byte) => byte ^ 0x5c),
      inner,
    ),
  );
}

/** What makes a die besides the secret: the match's id and each seat's randomness, in the order of the seats' names. */
export function diceContext(match: string, randomness: ReadonlyMap<string, string>): string {
  return [match, ...[...randomness.keys()].sort().map((seat) => `${seat}=${randomness.get(seat)}`)].join('|');
}

/** How a die was made: each block with its message, and how many of its bytes were passed over. */
export interface Derived {
  face: number;
  blocks: { message: string; digest: Uint8Array; passed: number }[];
}

/** Die `number` of a stream. A byte that would make some face likelier than another is passed over. */
export function derive(secret: Uint8Array, context: string, stream: string, number: number, sides: number): Derived {
  const limit = 256 - (256 % sides);
  const blocks: Derived['blocks'] = [];
  for (let block = 0; ; block++) {
    const message = `${context}|${stream}|${number}|${block}`;
    const digest = hmac(secret, text.encode(message));
    const counts = digest.findIndex((byte) => byte < limit);
    blocks.push({ message, digest, passed: counts < 0 ? digest.length : counts });
    if (counts >= 0) return { face: (digest[counts]! % sides) + 1, blocks };
  }
}
