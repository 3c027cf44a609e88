import { describe, expect, it } from 'vitest';
import type { EditionInfo, LeagueView, OptionInfo } from '../lib/protocol';
import { optionWords, roundsFor, swissWords, usualOf } from './rounds';

const swiss = (more: Partial<LeagueView> = {}, rounds = 0): LeagueView => ({
  id: 'l',
  terms: { name: 'L', edition: 'fad', scenarios: ['ridge'], format: 'swiss', rounds },
  state: 'gathers',
  organisers: [],
  made_at: 0,
  ...more,
});
const players = ['a', 'b', 'c'].map((key) => ({ key, name: key, force: null, total: 0 }));
const option: OptionInfo = {
  id: 'forces',
  title: 'Forces',
  group: '',
  rule: '',
  default: false,
  choices: [
    { value: false, label: 'known' },
    { value: true, label: 'hidden – until they are seen' },
  ],
};

describe('the rounds of a Swiss league', () => {
  it('are as many as halve its players down to one', () => {
    expect([0, 1, 2, 3, 4, 5, 8, 9, 16, 17].map(roundsFor)).toEqual([0, 0, 1, 2, 2, 3, 3, 4, 4, 5]);
  });

  it('are said for the players of now, and once they are settled', () => {
    expect(swissWords(swiss({ players, rounds: 2 }))).toBe(
      'There are as many rounds as it takes to find a winner: for the 3 players of now 2 rounds.',
    );
    expect(swissWords(swiss())).toBe('There are as many rounds as it takes to find a winner.');
    expect(swissWords(swiss({ players, rounds: 2, round: 1 }))).toBe(
      'It has 2 rounds, as many as find a winner among those who began.',
    );
    expect(swissWords(swiss({ players, rounds: 5 }, 5))).toBe('');
  });
});

describe('the options of the matches', () => {
  it('are usually as all scenarios have them, else as the rules do', () => {
    expect(usualOf(option, [{ defaults: { forces: true } }, { defaults: { forces: true } }])).toBe(true);
    expect(usualOf(option, [{ defaults: { forces: true } }, { defaults: {} }])).toBe(false);
    expect(usualOf(option, [])).toBe(false);
  });

  it('are told where they were chosen', () => {
    const edition = { options: [option, { ...option, id: 'other' }] } as unknown as EditionInfo;
    const shown = swiss();
    expect(optionWords({ ...shown, terms: { ...shown.terms, options: { forces: true } } }, edition)).toEqual([
      'Forces: hidden',
    ]);
    expect(optionWords(shown, edition)).toEqual([]);
  });
});
