import { describe, expect, it } from 'vitest';
import { LEAST_BANK, MOST_SECONDS, PRESETS, same, span, termsRest, termsWords } from './terms';

describe('a clock in words', () => {
  it('tells lengths of time in their largest units', () => {
    expect([0, 45, 90, 3600, 5400, 86_400, 3 * 86_400, 90_061].map(span)).toEqual([
      '0 s',
      '45 s',
      '1 min 30 s',
      '1 h',
      '1 h 30 min',
      '1 day',
      '3 days',
      '1 day 1 h 1 min 1 s',
    ]);
  });

  it('tells what each kind gives', () => {
    expect(termsWords(null)).toBe('no clock');
    expect(termsWords({ kind: 'live', bank: 900, increment: 10 })).toBe('15 min each, 10 s more a decision');
    expect(termsWords({ kind: 'live', bank: 900 })).toBe('15 min each');
    expect(termsWords({ kind: 'correspondence', bank: 43_200, increment: 9 })).toBe('12 h for each decision');
    expect(termsRest({ kind: 'live', bank: 900, allowance: 60, at_zero: 'claim' })).toBe(
      'At zero the others may claim the game. A disconnected player uses up 1 min before the clock runs.',
    );
  });

  it('offers none that the server would refuse', () => {
    for (const [kind, presets] of Object.entries(PRESETS)) {
      for (const { terms } of presets) {
        expect(terms.kind).toBe(kind);
        expect(terms.bank).toBeGreaterThanOrEqual(LEAST_BANK);
        expect(Math.max(terms.bank, terms.increment ?? 0, terms.allowance ?? 0)).toBeLessThanOrEqual(MOST_SECONDS);
        expect(presets.filter((each) => same(each.terms, terms))).toHaveLength(1);
      }
    }
  });
});
