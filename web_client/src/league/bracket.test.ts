import { expect, it } from 'vitest';
import type { FixtureView, LeagueView } from '../lib/protocol';
import { bracket, champion, type Column } from './bracket';

const fixture = (number: number, round: number, players: string, winner = ''): FixtureView => ({
  number,
  round,
  players: [...players],
  scenario: 'ridge',
  ...(winner ? { state: 'over', outcome: 'won', winner } : {}),
});
const league = (round: number, ...fixtures: FixtureView[]): LeagueView => ({
  id: 'l',
  terms: { name: 'Cup', edition: 'fad', scenarios: ['ridge'], format: 'elimination' },
  state: 'runs',
  organisers: [],
  made_at: 0,
  round,
  fixtures,
});
const drawn = (columns: Column[]): string[] =>
  columns.map(
    ({ heading, meetings }) =>
      `${heading}: ${meetings.map(({ players, winner }) => `${players[0] || '?'}${players[1] || '?'}${winner}`).join(' ')}`,
  );

// Six players: the first two have byes.
const FIRST = [fixture(1, 1, 'a', 'a'), fixture(2, 1, 'de', 'e'), fixture(3, 1, 'b', 'b'), fixture(4, 1, 'cf')];

it('has a place for each meeting, also for those that are not drawn yet', () => {
  const columns = bracket(league(1, ...FIRST));
  expect(drawn(columns)).toEqual(['Quarter-finals: a?a dee b?b cf', 'Semi-finals: ae b?', 'Final: ??']);
  expect(columns[0]!.meetings.map(({ bye }) => bye)).toEqual([true, false, true, false]);
  expect(champion(columns)).toBe('');
});

it('puts the player who comes from above first, however the server has seated them', () => {
  const columns = bracket(league(2, ...FIRST, fixture(5, 2, 'ea', 'a'), fixture(6, 2, 'fb', 'f')));
  expect(drawn(columns)[1]).toBe('Semi-finals: aea bff');
  expect(drawn(columns)[2]).toBe('Final: af');
});

it('leaves a part empty whose players have left, and the opponent goes on with a bye', () => {
  const columns = bracket(league(3, ...FIRST, fixture(5, 2, 'ea', 'a'), fixture(6, 3, 'a', 'a')));
  expect(drawn(columns)).toEqual(['Quarter-finals: a?a dee b?b cf', 'Semi-finals: aea ??', 'Final: a?a']);
  expect(champion(columns)).toBe('a');
});

it('is there for an elimination only, once its first round is drawn', () => {
  expect(bracket(league(0))).toEqual([]);
  const swiss = league(1, ...FIRST);
  expect(bracket({ ...swiss, terms: { ...swiss.terms, format: 'swiss' } })).toEqual([]);
});
