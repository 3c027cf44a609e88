import { describe, expect, it } from 'vitest';
import type { FixtureView, Format, LeagueView } from '../lib/protocol';
import { placesOnly, scale, season, seasonLuck, spread } from './season';

const names: Record<string, string> = { a: 'Ann', b: 'Ben', c: 'Cat', d: 'Dan' };
let ended = 0;
const over = (round: number, players: string[], winner = '', more: Partial<FixtureView> = {}): FixtureView => ({
  number: ++ended,
  round,
  players,
  scenario: 'ridge',
  state: 'over',
  outcome: winner ? 'won' : 'draw',
  winner,
  ended,
  ...more,
});
const league = (format: Format, table: string, fixtures: FixtureView[], joined = 'abcd'): LeagueView => ({
  id: 'l',
  terms: { name: 'Ridge League', edition: 'fad', scenarios: ['ridge'], format },
  state: 'runs',
  organisers: [],
  made_at: 0,
  players: [...joined].map((key) => ({ key, name: names[key]!, force: null, total: 0 })),
  standings: [...table].map((player, i) => ({
    rank: i + 1,
    player,
    played: 0,
    won: 0,
    drawn: 0,
    lost: 0,
    points: 0,
    tie_breaks: [],
    form: '',
    inflicted: 0,
    suffered: 0,
    luck: 0,
    lucky: 0,
  })),
  fixtures,
});
const drawn = (shown: LeagueView, what: 'points' | 'places'): string[] =>
  season(shown).courses.map((course) => `${course.name} ${course[what].join(' ')}`);

describe('the season', () => {
  it('adds up points round by round, byes included and void matches left out', () => {
    const shown = league('swiss', 'acbd', [
      over(2, ['a', 'c']),
      over(1, ['a', 'b'], 'a'),
      over(1, ['c'], 'c'),
      over(1, ['d', 'b'], '', { outcome: 'void' }),
      { number: 99, round: 2, players: ['b', 'd'], scenario: 'ridge' },
    ]);
    expect(season(shown).steps).toEqual(['Round 1', 'Round 2']);
    expect(drawn(shown, 'points')).toEqual(['Ann 3 4', 'Cat 3 4', 'Ben 0 0', 'Dan 0 0']);
    expect(drawn(shown, 'places')).toEqual(['Ann 1 1', 'Cat 1 2', 'Ben 3 3', 'Dan 3 4']);
  });

  it('has what areas gave in each turn of a campaign on a map, also in turns without battles', () => {
    const shown = {
      ...league('map', 'ab', [over(2, ['a', 'b'], 'a')]),
      map: {
        gained: [
          ['a', [1, 0, 2]],
          ['b', [1]],
        ] as [string, number[]][],
      },
    };
    expect(season(shown).steps).toEqual(['Turn 1', 'Turn 2', 'Turn 3']);
    expect(drawn(shown, 'points')).toEqual(['Ann 1 4 6', 'Ben 1 1 1']);
  });

  it('counts the points of the terms', () => {
    const shown = league('swiss', 'ab', [over(1, ['a', 'b'], 'a'), over(2, ['a', 'b'])]);
    const terms = { ...shown.terms, win: 5, draw: 2, loss: 1 };
    expect(drawn({ ...shown, terms }, 'points')).toEqual(['Ann 5 7', 'Ben 1 3']);
  });

  it('of an elimination stands by the round that was reached', () => {
    const fixtures = [over(1, ['a', 'd'], 'd'), over(1, ['b', 'c'], 'b'), over(2, ['b', 'd'], 'b')];
    expect(drawn(league('elimination', 'bdac', fixtures), 'places')).toEqual([
      'Ben 1 1',
      'Dan 1 2',
      'Ann 3 3',
      'Cat 3 4',
    ]);
  });

  it('of challenges has a step for each match in the order in which they ended', () => {
    const later = over(0, ['a', 'b'], 'b', { ended: 900 });
    const shown = league('free', 'ba', [later, over(0, ['a', 'b'], 'a', { ended: 800 })]);
    expect(season(shown).steps).toHaveLength(2);
    expect(drawn(shown, 'points')).toEqual(['Ben 0 3', 'Ann 3 3']);
    expect(drawn(shown, 'places')).toEqual(['Ben 2 1', 'Ann 1 2']);
  });

  it('of a ladder has the places: a winner takes that of a higher loser, and those between go down one', () => {
    const shown = league('ladder', 'cabd', [over(0, ['c', 'a'], 'c'), over(0, ['d', 'b'], 'b')]);
    expect(placesOnly(shown)).toBe(true);
    expect(drawn(shown, 'places')).toEqual(['Cat 1 1', 'Ann 2 2', 'Ben 3 3', 'Dan 4 4']);
  });

  it('of a ladder counts who asks to come back, and not who asks to join', () => {
    const shown = league('ladder', 'cba', [over(0, ['b', 'a'], 'b'), over(0, ['c', 'b'], 'c')]);
    const players = shown.players!.map((one) => ('bd'.includes(one.key) ? { ...one, state: 'asks' as const } : one));
    expect(drawn({ ...shown, players }, 'places')).toEqual(['Cat 3 1', 'Ben 1 2', 'Ann 2 3']);
  });

  it('has no steps before a first result', () => {
    expect(season(league('swiss', 'ab', [])).steps).toEqual([]);
  });
});

it('says whose rolls were the luckiest, of those of whom it is known', () => {
  const shown = league('swiss', 'abc', []);
  const [ann, ben, cat] = shown.standings!;
  const standings = [{ ...ann!, luck: 300, lucky: 3 }, { ...ben!, luck: 250, lucky: 1 }, cat!];
  expect(seasonLuck({ ...shown, standings })).toEqual([
    { key: 'b', matches: 1, mean: 2.5, sum: 2.5 },
    { key: 'a', matches: 3, mean: 1, sum: 3 },
  ]);
});

describe('the picture', () => {
  it('has a scale of round numbers', () => {
    expect(scale(3)).toEqual([0, 1, 2, 3]);
    expect(scale(13)).toEqual([0, 3, 6, 9, 12]);
    expect(scale(0)).toEqual([0]);
  });

  it('moves labels apart, in their order and above the bottom', () => {
    expect(spread([10, 10, 50], 12, 100)).toEqual([10, 22, 50]);
    expect(spread([98, 95], 12, 100)).toEqual([100, 88]);
    expect(spread([], 12, 100)).toEqual([]);
  });
});
