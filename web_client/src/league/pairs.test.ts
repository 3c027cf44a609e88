import { expect, it } from 'vitest';
import type { FixtureView, LeagueView } from '../lib/protocol';
import { allPairs, between, short, tally, tallyWords } from './pairs';

const fixture = (number: number, players: string, more: Partial<FixtureView> = {}): FixtureView => ({
  number,
  round: 1,
  players: [...players],
  scenario: 'ridge',
  ...more,
});
const won = (winner: string): Partial<FixtureView> => ({ state: 'over', outcome: 'won', winner });
const league = (...fixtures: FixtureView[]): LeagueView => ({
  id: 'l',
  terms: { name: 'Ridge League', edition: 'fad', scenarios: ['ridge'] },
  state: 'runs',
  organisers: [],
  made_at: 0,
  fixtures,
});

it('finds the matches of two players in the order in which they ended, those to be played last', () => {
  const shown = league(
    fixture(1, 'ab'),
    fixture(2, 'ba', { ...won('b'), ended: 9 }),
    fixture(3, 'ab', { ...won('a'), ended: 4 }),
    fixture(4, 'ac'),
    fixture(5, 'a', won('a')),
    fixture(6, 'ab', { state: 'challenge' }),
  );
  expect(between(shown, 'b', 'a').map(({ number }) => number)).toEqual([3, 2, 1]);
  expect([...allPairs(shown).keys()].sort()).toEqual(['a/b', 'a/c', 'b/a', 'c/a']);
  expect(allPairs(shown).get('b/a')).toHaveLength(3);
});

it('says what they came to for either of them', () => {
  const fixtures = [
    fixture(1, 'ab', won('a')),
    fixture(2, 'ab', won('a')),
    fixture(3, 'ab', won('b')),
    fixture(4, 'ab', { state: 'over', outcome: 'draw' }),
    fixture(5, 'ab', { state: 'over', outcome: 'void' }),
    fixture(6, 'ab'),
  ];
  expect(short(tally(fixtures, 'a'))).toBe('+2 =1 −1');
  expect(short(tally(fixtures, 'b'))).toBe('+1 =1 −2');
  expect(tallyWords(tally(fixtures, 'b'))).toBe('1 win, 1 draw, 2 losses, 1 still to play');
});

it('is a letter for one match, and a ring for one that is to be played', () => {
  expect(short(tally([fixture(1, 'ab', won('a'))], 'a'))).toBe('W');
  expect(short(tally([fixture(1, 'ab', won('a'))], 'b'))).toBe('L');
  expect(short(tally([fixture(1, 'ab', { state: 'over', outcome: 'draw' })], 'b'))).toBe('D');
  expect(short(tally([fixture(1, 'ab')], 'b'))).toBe('○');
  expect(short(tally([fixture(1, 'ab', { state: 'over', outcome: 'void' })], 'b'))).toBe('–');
  expect(tallyWords(tally([], 'b'))).toBe('nothing that counts');
});
