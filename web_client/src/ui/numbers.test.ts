import { afterEach, describe, expect, it } from 'vitest';
import { viewer } from '../lib/measure.svelte';
import { amount, effect, isSum, percent, shortOdds } from './numbers';

afterEach(() => (viewer.measure = 'inches'));

describe('numbers in words', () => {
  it('say what each line does', () => {
    expect(effect(['SET', 5, '', '', false], '')).toBe('5');
    expect(effect(['ADD', 1, '', '', false], '')).toBe('+1');
    expect(effect(['ADD', -2500, '', '', false], 'mil')).toBe('−2.5″');
    expect(effect(['SCALE', 150, '', '', false], '')).toBe('× 1.5');
    expect(effect(['CAP', 6, '', '', false], '')).toBe('at most 6');
    expect(effect(['CAP', 1, '', '', true], '')).toBe('at least 1');
    expect(effect(['SET', 4250, '', '', false], 'mil')).toBe('4.25″');
  });

  it('with decimals are told as they are in a table', () => {
    expect(amount(47_780, 'milli')).toBe('47.78');
    expect(amount(26_000, 'milli')).toBe('26');
    expect(effect(['ADD', -250, '', '', false], 'milli')).toBe('−0.25');
  });

  it('say the result where it is not said yet', () => {
    expect(isSum([3, [['SET', 3, '', '', false]], ''])).toBe(false);
    expect(
      isSum([
        4,
        [
          ['SET', 3, '', '', false],
          ['ADD', 1, '', '', false],
        ],
        '',
      ]),
    ).toBe(true);
    expect(isSum([-1, [['ADD', -1, '', '', false]], ''])).toBe(true);
  });

  it('never call certain what is not', () => {
    expect([0, 3, 4200, 9999, 10000].map(percent)).toEqual(['0 %', 'under 1 %', '42 %', 'over 99 %', '100 %']);
  });

  it('make sums that come out right in centimetres', () => {
    viewer.measure = 'centimetres';
    expect(effect(['SET', 5000, '', '', false], 'mil', true)).toBe('12.5\u00a0cm');
    expect(effect(['ADD', -2000, '', '', false], 'mil', true)).toBe('−5\u00a0cm');
    expect(effect(['SET', 3000, '', '', false], 'mil')).toBe('8\u00a0cm');
  });
});

describe('odds in short', () => {
  const chance = (label: string, per_myriad = -1) => ({ label, value: '2.1', per_myriad });

  it('are the first that has a probability, and what is expected before it', () => {
    const odds = [
      chance('Expected hits'),
      chance('Expected losses'),
      chance('At least one loss', 9_800),
      chance('2', 80),
    ];
    expect(shortOdds(odds).map(({ label }) => label)).toEqual(['At least one loss', 'Expected losses']);
    expect(
      shortOdds([chance('Win', 6_000), chance('Lose', 3_000), chance('Draw', 1_000)]).map((one) => one.label),
    ).toEqual(['Win', 'Lose']);
    expect(shortOdds([chance('Expected hits')]).map(({ label }) => label)).toEqual(['Expected hits']);
    expect(shortOdds([])).toEqual([]);
  });
});
