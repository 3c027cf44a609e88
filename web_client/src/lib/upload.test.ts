import { describe, expect, it } from 'vitest';
import type { Accepted, Upload } from './protocol';
import { LARGEST_UPLOAD, PART, TooLarge, upload } from './upload';
import { LARGEST_FRAME, pack } from './wire';

const accepted = (id: string): Accepted => ({ type: 'accepted', id, seq: -1 });

/** Bytes of which no part is like another. */
const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8)) % 251);

describe('an upload', () => {
  it.each([0, 1, PART, PART + 1, PART * 20 + 5])('of %i bytes arrives whole, in order', async (length) => {
    const parts: Upload[] = [];
    const shares: number[] = [];
    const name = await upload(
      bytes(length),
      async (part) => {
        parts.push(part);
        return accepted(part.id);
      },
      (share) => shares.push(share),
    );
    expect(parts.map(({ part }) => part)).toEqual(parts.map((_, at) => at));
    expect(new Set(parts.map(({ of }) => of))).toEqual(new Set([parts.length]));
    expect(new Set(parts.map((part) => part.upload))).toEqual(new Set([name]));
    expect(parts.flatMap(({ data }) => [...data])).toEqual([...bytes(length)]);
    expect(Math.max(...parts.map((part) => pack(part).length))).toBeLessThan(LARGEST_FRAME);
    expect([shares[0], shares.at(-1)]).toEqual([0, 1]);
  });

  it('waits for receipts, and stops at the first refusal', async () => {
    const sent: Upload[] = [];
    const waiting: (() => void)[] = [];
    const done = upload(bytes(PART * 50), (part) => {
      sent.push(part);
      if (part.part === 3) return Promise.reject(new Error('no more room'));
      return new Promise((resolve) => waiting.push(() => resolve(accepted(part.id))));
    });
    await expect(done).rejects.toThrow('no more room');
    const before = sent.length;
    expect(before).toBeLessThan(20);
    waiting.forEach((receipt) => receipt());
    await Promise.resolve();
    expect(sent.length).toBe(before);
  });

  it('is not begun with more than the server takes', async () => {
    const sent: Upload[] = [];
    const ask = async (part: Upload): Promise<Accepted> => (sent.push(part), accepted(part.id));
    await expect(upload(new Uint8Array(LARGEST_UPLOAD + 1), ask)).rejects.toThrow(TooLarge);
    expect(sent).toEqual([]);
  });
});
