import { beforeEach, describe, expect, it } from 'vitest';
import { forgetHeads, keepHead, keptHeads, MOST_HEADS, MOST_MATCHES } from './heads';
import { forget, keptUnder } from './storage';

beforeEach(() => keptUnder('heads/').forEach(forgetHeads));

describe('hashes that are kept', () => {
  it('are those of a match, each once, in the order in which they came', () => {
    for (const head of ['a', 'a', 'b']) keepHead('one', head);
    keepHead('two', 'c');
    keepHead('gone', 'd');
    forget('gone');
    expect(keptHeads('gone')).toEqual([]);
    expect(keptHeads('one')).toEqual(['a', 'b']);
    expect(keptHeads('two')).toEqual(['c']);
    expect(keptHeads('three')).toEqual([]);
  });

  it('are spread over a long match, the first and the last among them', () => {
    for (let n = 0; n < 1000; n++) {
      keepHead('long', String(n));
      expect(keptHeads('long').at(-1)).toBe(String(n));
    }
    const numbers = keptHeads('long').map(Number);
    expect(numbers.length).toBeLessThanOrEqual(MOST_HEADS);
    expect(numbers.length).toBeGreaterThan(MOST_HEADS / 3);
    expect(numbers[0]).toBe(0);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(numbers.some((number) => number > 300 && number < 700)).toBe(true);
  });

  it('are forgotten of matches that were not seen for longest', () => {
    for (let n = 0; n < MOST_MATCHES; n++) keepHead(`m${n}`, 'a', n);
    keepHead('m0', 'b', 5000);
    keepHead('new', 'a', 6000);
    expect(keptUnder('heads/')).toHaveLength(MOST_MATCHES);
    expect(keptHeads('m1')).toEqual([]);
    expect(keptHeads('m0')).toEqual(['a', 'b']);
    expect(keptHeads('new')).toEqual(['a']);
  });
});
