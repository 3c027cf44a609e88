/** MessagePack on the wire: one message a binary frame, with the names that Python has. */
import { decode, encode } from '@msgpack/msgpack';
import type { ClientMessage, ServerMessage } from './protocol';

/** What the server takes at most in one frame. */
export const LARGEST_FRAME = 16 * 1024;

/** A message as the bytes of a frame. */
export function pack(message: ClientMessage): Uint8Array<ArrayBuffer> {
  return encode(message, { ignoreUndefined: true });
}

/** The message in a frame; null for anything that is no tagged map (a newer server's, or noise). */
export function unpack(bytes: ArrayBuffer): ServerMessage | null {
  try {
    const message: unknown = decode(bytes);
    if (typeof message === 'object' && message !== null && 'type' in message && typeof message.type === 'string') {
      return message as ServerMessage;
    }
  } catch {
    // The caller gets null.
  }
  return null;
}

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Random bytes in hexadecimal; also where the page does not come over TLS, which `crypto.randomUUID` asks for. */
export function randomHex(length: number): string {
  return hex(crypto.getRandomValues(new Uint8Array(length)));
}

/** An id for a message of ours: unguessable, so that two tabs never share one. */
export function newId(): string {
  return randomHex(12);
}

/** Bytes from hexadecimal, as `randomHex` writes it. */
export function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

export { hex };
