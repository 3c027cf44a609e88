/** A force as a link: deflated JSON behind the `#`, which no server ever sees. */
import type { Force } from '../lib/protocol';
import { BadFile } from '../library/file';
import { LARGEST_FILE, readForce, tidy } from './file';

const METHOD = 'deflate-raw';

function base64url(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

/** Everything that a stream gives; throws when it is more than `most` bytes. */
async function gather(stream: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new RangeError('too much');
    }
    parts.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const streamOf = (bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new Blob([bytes]).stream() as ReadableStream<Uint8Array<ArrayBuffer>>;

/** The force as it stands in a link. */
export async function packForce(force: Force): Promise<string> {
  const json = new TextEncoder().encode(JSON.stringify(tidy(force)));
  return base64url(await gather(streamOf(json).pipeThrough(new CompressionStream(METHOD)), Infinity));
}

/**
 * The force that stands in a link.
 *
 * Throws BadFile, with a sentence.
 */
export async function unpackForce(packed: string): Promise<Force> {
  let data: unknown;
  try {
    const bytes = streamOf(fromBase64url(packed.trim())).pipeThrough(new DecompressionStream(METHOD));
    data = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(await gather(bytes, LARGEST_FILE)));
  } catch {
    throw new BadFile('The link is incomplete: ask for it again, and copy all of it.');
  }
  return readForce(data);
}
