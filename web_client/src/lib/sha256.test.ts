import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sha256 } from './sha256';
import { hex } from './wire';

describe('SHA-256', () => {
  it.each([0, 1, 32, 55, 56, 63, 64, 65, 119, 120, 1000])('of %i bytes is what Node says', (length) => {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 31 + length) % 256);
    expect(hex(sha256(bytes))).toBe(createHash('sha256').update(bytes).digest('hex'));
  });
});
