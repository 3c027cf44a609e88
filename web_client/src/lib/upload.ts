/** Sending something that is too large for one message: in parts, of which some are on their way at once. */
import type { Accepted, Upload } from './protocol';
import { newId } from './wire';

/** Bytes in a part: with what stands around them they stay under what a frame may hold. */
export const PART = 12_000;
/** What a server keeps of one connection's uploads at most. */
export const LARGEST_UPLOAD = 8 * 1024 * 1024;
/** Parts that may wait for their receipt: enough to fill a slow line, few enough not to crowd out a ping. */
const UNDER_WAY = 8;

export class TooLarge extends Error {
  constructor() {
    super(`That is too large: at most ${LARGEST_UPLOAD / 1024 / 1024} MiB can be sent.`);
  }
}

/**
 * Sends the data, and says by which name the server knows it once all of it is there.
 *
 * `ask` sends a part and settles with its receipt; `progress` hears which share has arrived, from 0 to 1. Rejects with
 * the first part's refusal, and with `TooLarge` before anything is sent.
 */
export async function upload(
  data: Uint8Array,
  ask: (part: Upload) => Promise<Accepted>,
  progress: (share: number) => void = () => undefined,
): Promise<string> {
  if (data.length > LARGEST_UPLOAD) throw new TooLarge();
  const name = newId();
  const of = Math.max(1, Math.ceil(data.length / PART));
  let next = 0;
  let arrived = 0;
  let failed = false;
  progress(0);

  // The parts go out in order on one connection, and so they arrive in order, whichever of these loops sends them.
  const carry = async (): Promise<void> => {
    while (next < of && !failed) {
      const part = next;
      next += 1;
      try {
        const bytes = data.subarray(part * PART, (part + 1) * PART);
        await ask({ type: 'upload', id: newId(), upload: name, part, of, data: bytes });
      } catch (reason) {
        failed = true;
        throw reason;
      }
      arrived += 1;
      progress(arrived / of);
    }
  };
  await Promise.all(Array.from({ length: Math.min(UNDER_WAY, of) }, carry));
  return name;
}
