import { describe, expect, it } from 'vitest';
import type { RosterUnitView } from '../lib/protocol';
import { bars, levelWords, membersWords, standsWords, stepUntil } from './words';

const UNIT: RosterUnitView = { number: 0, name: 'Rifles', kind: 'Squad', figures: 5, of: 8, levels: [] };
const HOUR = 3_600_000;

describe('a roster in words', () => {
  it('says how a unit stands', () => {
    expect(standsWords(UNIT)).toBe('5 of 8 figures');
    expect(standsWords({ ...UNIT, figures: 0, of: 8, condition: 'struck' })).toBe('struck off the roster');
    expect(standsWords({ ...UNIT, figures: 1, of: 1 })).toBe('');
    expect(standsWords({ ...UNIT, figures: 0, of: 1 })).toBe('fallen');
  });
  it('names the figures that have a name, and those who are missing', () => {
    expect(membersWords(UNIT)).toBe('');
    expect(membersWords({ ...UNIT, members: [{ name: 'Ilse' }, {}, { name: 'Marek' }] })).toBe('Ilse, Marek.');
    expect(membersWords({ ...UNIT, members: [{ name: 'Jo', missing: true }, { missing: true }] })).toBe('Missing: Jo.');
  });
  it('names the first level only where it has changed', () => {
    expect(levelWords(['Quality', 'Veteran', 'Regular'])).toBe('Quality: Veteran (Regular at the start)');
    expect(levelWords(['Quality', 'Regular', 'Regular'])).toBe('Quality: Regular');
  });
  it('tells when the default is taken', () => {
    expect(stepUntil(0, 5)).toBe('');
    expect(stepUntil(30 * HOUR, 0)).toContain('30 hours');
    expect(stepUntil(72 * HOUR, 0)).toContain('3 days');
    expect(stepUntil(HOUR / 2, 0)).toContain('within the hour');
    expect(stepUntil(5, 6)).toContain('about to be taken');
  });
  it('draws odds beside the likeliest', () => {
    expect(
      bars([
        { result: 'None', ways: 2, of: 6 },
        { result: 'Half', ways: 4, of: 6 },
      ]),
    ).toEqual([
      { result: 'None', share: 0.5, percent: '33%' },
      { result: 'Half', share: 1, percent: '67%' },
    ]);
  });
});
