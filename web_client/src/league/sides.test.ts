import { describe, expect, it } from 'vitest';
import type { FixtureView, Format, LeagueView } from '../lib/protocol';
import { allied, changeable, choices, fault, sideOf } from './sides';

const league = (format: Format, more: Partial<LeagueView> = {}, sides = ['Red', 'Blue']): LeagueView => ({
  id: 'l',
  terms: { name: 'Ridge League', edition: 'fad', scenarios: ['ridge'], format, sides },
  state: 'gathers',
  organisers: [],
  made_at: 0,
  players: [
    { key: 'a', name: 'Ann', force: null, total: 0, side: 1 },
    { key: 'b', name: 'Ben', force: null, total: 0, side: 2 },
    { key: 'c', name: 'Cat', force: null, total: 0, side: 1 },
    { key: 'd', name: 'Dan', force: null, total: 0, side: 1, state: 'left' },
  ],
  ...more,
});
const player = (shown: LeagueView, key: string) => shown.players!.find((each) => each.key === key)!;

describe('the sides of a league', () => {
  it('are known by their names, with their players who have not left', () => {
    const shown = league('free');
    expect(['a', 'b', 'x'].map((key) => sideOf(shown, key))).toEqual(['Red', 'Blue', '']);
    expect([allied(shown, 'a', 'c'), allied(shown, 'a', 'b'), allied(shown, 'x', 'y')]).toEqual([true, false, false]);
    expect(choices(shown).map(({ words }) => words)).toEqual(['Red, 2 players', 'Blue, 1 player']);
  });

  it('can be changed until a player has a fixture, or who meets whom is drawn', () => {
    const met: FixtureView = { number: 1, round: 0, players: ['a', 'b'], scenario: 'ridge' };
    expect(changeable(league('free'), player(league('free'), 'a'))).toBe(true);
    expect(changeable(league('free'), player(league('free'), 'd'))).toBe(false);
    const begun = league('free', { fixtures: [met], state: 'runs' });
    expect(['a', 'c'].map((key) => changeable(begun, player(begun, key)))).toEqual([false, true]);
    const drawn = league('round_robin', { round: 1, fixtures: [met], state: 'runs' });
    expect(changeable(drawn, player(drawn, 'c'))).toBe(false);
    expect(changeable(league('free', {}, []), player(league('free'), 'a'))).toBe(false);
  });

  it('need names of their own', () => {
    expect(fault(['Red', ' '])).toBe('Each side needs a name.');
    expect(fault(['Red', 'red '])).toBe('Two sides have the same name.');
    expect(fault(['Red', 'Blue'])).toBe('');
  });
});
