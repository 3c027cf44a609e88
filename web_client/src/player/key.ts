/**
 * A player's key (Ed25519, RFC 8032): made, kept and used in this browser alone. The browser's own `crypto.subtle` is not there on
 * pages without TLS, so a library does it.
 */
import { encode } from '@msgpack/msgpack';
import { ed25519 } from '@noble/curves/ed25519.js';
import { fromHex, hex } from '../lib/wire';

/** A key: its private half (a seed of 32 bytes) and its public one, in hexadecimal. */
export interface Key {
  seed: string;
  key: string;
}

const SEED = /^[0-9a-f]{64}$/;

/** The key of a seed; null if that is none. */
export function keyOf(seed: string): Key | null {
  return SEED.test(seed) ? { seed, key: hex(ed25519.getPublicKey(fromHex(seed))) } : null;
}

/** A new key. */
export function newKey(): Key {
  return keyOf(hex(crypto.getRandomValues(new Uint8Array(32))))!;
}

/** The key's signature on an array in MessagePack's shortest form, in hexadecimal; PROTOCOL.md says what is signed. */
function signed({ seed }: Key, statement: readonly string[]): string {
  return hex(ed25519.sign(encode(statement), fromHex(seed)));
}

/** The signature by which a key consents to be tied to a seat, whose player has this name. */
export const signedSeat = (key: Key, match: string, seat: string, name: string): string =>
  signed(key, ['underfire seat 1', match, seat, name]);

/** The signature by which a key's holder is introduced under a name. */
export const signedPlayer = (key: Key, challenge: string, name: string): string =>
  signed(key, ['underfire player 1', challenge, name]);
