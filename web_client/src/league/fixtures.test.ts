import { describe, expect, it } from 'vitest';
import type { FixtureView, Force, LeagueView } from '../lib/protocol';
import { lossWords, opponents, outcomeWords, ownNext, playsFor, rounds, stepOf, unfoughtWords } from './fixtures';

const [ANN, BEN, CAT] = ['aa', 'bb', 'cc'];
const force: Force = { format: 'underfire.force.1', edition: 'fad', name: 'First platoon', units: [] };
const fixture = (more: Partial<FixtureView> = {}): FixtureView => ({
  number: 1,
  round: 1,
  players: [ANN, BEN],
  scenario: 'ridge',
  ...more,
});
const league = (more: Partial<LeagueView> = {}): LeagueView => ({
  id: 'l',
  terms: { name: 'Ridge League', edition: 'fad', scenarios: ['ridge'] },
  state: 'runs',
  organisers: [[ANN, 'Ann']],
  made_at: 0,
  players: [
    { key: ANN, name: 'Ann', force, total: 1 },
    { key: BEN, name: 'Ben', force, total: 1 },
    { key: CAT, name: 'Cat', force, total: 1 },
  ],
  you: ANN,
  ...more,
});
const none = (): boolean => false;
const all = (): boolean => true;

describe('a stand-in', () => {
  const fixture: FixtureView = { number: 1, round: 1, players: ['a', 'b'], scenario: 's', stand_ins: [['a', 'c']] };
  it('plays in the place of a player, who then does not', () => {
    expect(playsFor(fixture, 'c')).toBe('a');
    expect(playsFor(fixture, 'a')).toBe('');
    expect(playsFor(fixture, 'b')).toBe('b');
    expect(stepOf(fixture, 'c', () => false)).toBe('play');
    expect(stepOf(fixture, 'a', () => false)).toBe(null);
  });
});

describe('what a fixture offers', () => {
  it('to its players: to play it, and to go on where they sit already', () => {
    expect(stepOf(fixture(), ANN, none)).toBe('play');
    expect(stepOf(fixture({ state: 'played', match: 'm' }), ANN, none)).toBe('play');
    expect(stepOf(fixture({ state: 'played', match: 'm' }), BEN, all)).toBe('go_on');
  });

  it('to those who are challenged: an answer; to the challenger: to take it back', () => {
    expect(stepOf(fixture({ state: 'challenge' }), BEN, none)).toBe('answer');
    expect(stepOf(fixture({ state: 'challenge' }), ANN, none)).toBe('take_back');
  });

  it('to others: to watch it once it is played', () => {
    expect(stepOf(fixture(), CAT, none)).toBeNull();
    expect(stepOf(fixture({ state: 'played', match: 'm' }), CAT, none)).toBe('watch');
    expect(stepOf(fixture({ state: 'played', match: 'm' }), '', all)).toBe('watch');
  });

  it('once it is over: to look at its match, if it had one', () => {
    expect(stepOf(fixture({ state: 'over', match: 'm', outcome: 'won', winner: BEN }), ANN, all)).toBe('look');
    expect(stepOf(fixture({ state: 'over', outcome: 'void' }), ANN, all)).toBeNull();
  });

  it('in a league that is over: nothing to play', () => {
    expect(stepOf(fixture(), ANN, none, true)).toBeNull();
    expect(stepOf(fixture({ state: 'played', match: 'm' }), ANN, all, true)).toBe('watch');
  });
});

describe('what is next', () => {
  it('begins with challenges to answer, then matches that run, then the nearest deadline', () => {
    const fixtures = [
      fixture({ number: 1, players: [ANN, CAT], state: 'challenge' }),
      fixture({ number: 2, until: 900 }),
      fixture({ number: 3, until: 500 }),
      fixture({ number: 4 }),
      fixture({ number: 5, state: 'played', match: 'm' }),
      fixture({ number: 6, players: [CAT, ANN], state: 'challenge' }),
      fixture({ number: 7, players: [BEN, CAT] }),
      fixture({ number: 8, state: 'over', outcome: 'draw' }),
    ];
    const next = ownNext(league({ fixtures }), (match) => match === 'm');
    expect(next.map(({ fixture: { number } }) => number)).toEqual([6, 5, 3, 2, 4, 1]);
    expect(ownNext(league({ fixtures, you: '' }), none)).toEqual([]);
  });
});

describe('fixtures', () => {
  it('are grouped by round, the latest first', () => {
    const fixtures = [fixture({ number: 2 }), fixture({ number: 1 }), fixture({ number: 3, round: 2 })];
    expect(
      rounds(league({ fixtures })).map(({ heading, fixtures: each }) => [heading, each.map((f) => f.number)]),
    ).toEqual([
      ['Round 2', [3]],
      ['Round 1', [1, 2]],
    ]);
  });

  it('of a ladder stand in one list, without open challenges', () => {
    const fixtures = [1, 2, 3].map((number) =>
      fixture({ number, round: 0, state: number === 2 ? 'challenge' : 'waits' }),
    );
    const ladder = league({ fixtures, terms: { name: 'L', edition: 'fad', scenarios: ['ridge'], format: 'ladder' } });
    expect(rounds(ladder)).toEqual([{ heading: 'Matches', fixtures: [fixtures[2], fixtures[0]] }]);
    expect(rounds(league())).toEqual([]);
  });

  it('say how they ended', () => {
    const said = (more: Partial<FixtureView>): string => outcomeWords(league(), fixture({ state: 'over', ...more }));
    expect(said({ outcome: 'won', winner: BEN })).toBe('Ben won');
    expect(said({ outcome: 'draw' })).toBe('A draw');
    expect(said({ outcome: 'void' })).toBe('It does not count');
    expect(said({ players: [ANN], outcome: 'won', winner: ANN })).toBe('A bye');
    expect(said({ state: 'waits' })).toBe('');
    expect(lossWords(league(), fixture({ losses: [3, 7] }))).toBe('Figures lost: Ann 3, Ben 7.');
    expect(lossWords(league(), fixture())).toBe('');
  });
});

describe('opponents', () => {
  it('are those who play and have no open match with one', () => {
    const fixtures = [fixture({ state: 'waits' })];
    expect(opponents(league({ fixtures })).map(({ name }) => name)).toEqual(['Cat']);
    const players = league().players!.map((one) => (one.key === CAT ? { ...one, state: 'left' as const } : one));
    expect(opponents(league({ players })).map(({ name }) => name)).toEqual(['Ben']);
  });
});

describe('a match that ended before its first turn', () => {
  it('is said to be no battle', () => {
    expect(unfoughtWords(fixture())).toBe('');
    expect(unfoughtWords(fixture({ unfought: true }))).toBe(
      'The match ended before its first turn, so that no force has fought.',
    );
  });
});
