import { describe, expect, it } from 'vitest';
import type { Format, LeagueTerms, LeagueView } from '../lib/protocol';
import {
  fileOf,
  deadlineWords,
  endWords,
  FORMATS,
  formWords,
  hundredths,
  joinable,
  paceWords,
  pointsWords,
  stateWords,
  TIE_BREAKS,
} from './words';

const terms = (more: Partial<LeagueTerms> = {}): LeagueTerms => ({
  name: 'Ridge League',
  edition: 'fad',
  scenarios: ['ridge'],
  ...more,
});
const HOUR = 3_600_000;

describe('the file of a league', () => {
  const league = {
    id: 'l',
    terms: { name: 'L', edition: 'e', scenarios: ['s'] },
    state: 'runs',
    organisers: [],
    made_at: 1,
  } as const satisfies Partial<LeagueView>;
  const of = (change: object, options: object = {}): string =>
    fileOf({ ...league, ...change, terms: { ...league.terms, scenarios: ['s'], ...options } } as unknown as LeagueView);
  it('is for everyone, for its players alone, or for later', () => {
    expect(of({})).toBe('/leagues/l.underfire');
    expect(of({ calendar: '/leagues/l/k/t.ics' }, { listed: false })).toBe('/leagues/l/k/t.underfire');
    expect(of({}, { listed: false })).toBe('');
    expect(of({}, { options: { hidden_forces: true } })).toBe('');
    expect(of({ state: 'over' }, { options: { hidden_forces: true } })).toBe('/leagues/l.underfire');
  });
});

describe('a league in words', () => {
  it('says how far it is', () => {
    expect(stateWords({ state: 'gathers', format: 'swiss', round: 0 })).toBe('gathers players');
    expect(stateWords({ state: 'runs', format: 'swiss', round: 2 }, 5)).toBe('round 2 of 5');
    expect(stateWords({ state: 'runs', format: 'swiss', round: 2 })).toBe('round 2');
    expect(stateWords({ state: 'runs', format: 'map', round: 2 }, 8)).toBe('turn 2 of 8');
    expect(stateWords({ state: 'runs', format: 'ladder', round: 0 })).toBe('being played');
    expect(stateWords({ state: 'over', format: 'free', round: 0 })).toBe('over');
  });

  it('says who meets whom in whole sentences', () => {
    for (const { about } of Object.values(FORMATS)) expect(about).toMatch(/^[A-Z].*\.$/);
    for (const { name, about } of Object.values(TIE_BREAKS)) expect(about.startsWith(`${name}: `)).toBe(true);
  });

  it('says what rounds and deadlines there are', () => {
    expect(paceWords(terms())).toBe('There are no deadlines.');
    expect(paceWords(terms({ format: 'swiss', rounds: 3, days: 1, unplayed: 'draw' }))).toBe(
      'There are 3 rounds. The matches of a round are played within 1 day. If a match is not played by then, it counts as a draw.',
    );
    expect(paceWords(terms({ format: 'map', rounds: 8, days: 7 }))).toContain(
      'There are 8 turns. Orders are given within 7 days, and then battles are fought within 7 days.',
    );
    expect(paceWords(terms({ format: 'ladder', days: 7 }))).toContain('An accepted challenge is played within 7 days.');
  });

  it.each([
    ['round_robin', 0, true],
    ['round_robin', 1, false],
    ['elimination', 1, false],
    ['map', 0, true],
    ['map', 1, false],
    ['swiss', 1, true],
    ['ladder', 0, true],
  ] as [Format, number, boolean][])('of format %s can be joined in round %d: %s', (format, round, can) => {
    const league = { id: 'l', terms: terms({ format }), state: 'runs', organisers: [], made_at: 0, round } as const;
    expect(joinable({ ...league, organisers: [] })).toBe(can);
    expect(joinable({ ...league, organisers: [], state: 'over' })).toBe(false);
  });

  it('says what a result is worth', () => {
    expect(pointsWords(terms())).toBe('3 points for a win, 1 for a draw, 0 for a loss.');
    expect(pointsWords(terms({ win: 1, draw: 0 }))).toBe('1 point for a win, 0 for a draw, 0 for a loss.');
  });

  it('says whether its end can be undone', () => {
    expect(endWords(terms({ options: { hidden_forces: false } }))).toBe('You can undo this.');
    expect(endWords(terms({ options: { hidden_forces: true } }))).toContain('forces');
    expect(endWords(terms({ campaign: {} }))).toContain('dice');
  });
});

describe('a deadline', () => {
  it.each([
    [0, ''],
    [-1, 'the deadline has passed'],
    [HOUR / 2, 'to be played within the hour'],
    [HOUR, 'to be played within 1 hour'],
    [47 * HOUR, 'to be played within 47 hours'],
    [7 * 24 * HOUR, 'to be played within 7 days'],
  ])('that is %d ms ahead is told', (ahead, words) => {
    const now = 1_000_000_000;
    expect(deadlineWords(ahead === 0 ? 0 : now + ahead, now)).toBe(words);
  });
});

describe('numbers of the standings', () => {
  it('are told to the hundredth', () => {
    expect([hundredths(300), hundredths(250), hundredths(-25)]).toEqual(['3', '2.5', '−0.25']);
    expect(formWords('WDL')).toBe('won, a draw, lost');
  });
});
