import { describe, expect, it, vi } from 'vitest';
import type { MatchSummary } from '../lib/protocol';
import { NO_FILTER, counts, filterOf, fits, groups, type Own } from './groups';

// The clock that the words use asks how wide the page is.
vi.hoisted(() => vi.stubGlobal('matchMedia', () => ({ matches: true, addEventListener: () => undefined })));
const { outcome, seatLine, turn, watching, whoseTurn } = await import('./words');

function info(match: string, more: Partial<MatchSummary> = {}): MatchSummary {
  return {
    match,
    title: 'Crossed Hedges',
    edition: 'x',
    state: 'running',
    turn: 3,
    made_at: 1_000,
    seats: [
      ['blue', 'Blue', 'Ann'],
      ['red', 'Red', 'Ben'],
    ],
    deciding: ['red'],
    result: null,
    since: 2_000,
    score: [],
    clock: null,
    spectators: 0,
    turn_limit: 6,
    ...more,
  };
}

const over = (match: string, more: Partial<MatchSummary> = {}): MatchSummary =>
  info(match, {
    state: 'over',
    deciding: [],
    result: { winner: 'red', reason: 'Nobody is left', rule: '', how: 'rules' },
    ...more,
  });

/** Who holds which seats. */
const holding = (seats: Record<string, string[]>): Own => ({ seats: (match) => seats[match] ?? [] });
const SPECTATOR = holding({});
const HOUR = 3_600_000;

describe('the groups of the start page', () => {
  const matches = [
    info('theirs', { made_at: 5 }),
    info('theirs, newer', { made_at: 9, since: 1 }),
    over('lost'),
    info('waiting', { deciding: ['red'], since: 8_000 }),
    info('mine', { deciding: ['blue'], since: 7_000 }),
    info('mine, longer', { deciding: ['blue', 'red'], since: 3_000 }),
    info('open', { state: 'open', deciding: [], title: 'Salvage' }),
    over('old', { since: 10 }),
    over('late', { since: 20, edition: 'y' }),
  ];
  const own = holding({ lost: ['blue'], waiting: ['blue'], mine: ['blue'], 'mine, longer': ['blue'] });
  const named = (found: ReturnType<typeof groups>): Record<string, string[]> =>
    Object.fromEntries(found.map(({ key, list }) => [key, list.map(({ match }) => match)]));

  it('hold each match once, where I have waited longest first', () => {
    expect(named(groups(matches, own, NO_FILTER))).toEqual({
      mine: ['mine, longer', 'mine', 'waiting', 'lost'],
      open: ['open'],
      running: ['theirs, newer', 'theirs'],
      over: ['late', 'old'],
    });
  });

  it('of one kind hold all of that kind, mine too', () => {
    expect(named(groups(matches, own, { ...NO_FILTER, tab: 'over' }))).toEqual({ over: ['lost', 'late', 'old'] });
    expect(named(groups(matches, own, { ...NO_FILTER, tab: 'mine' })).mine).toHaveLength(4);
    expect(counts(matches, own, NO_FILTER)).toEqual({ all: 9, mine: 4, open: 1, running: 5, over: 3 });
  });

  it('are counted as they would be shown', () => {
    const filter = { ...NO_FILTER, edition: 'y' };
    expect(counts(matches, own, filter)).toEqual({ all: 1, mine: 0, open: 0, running: 0, over: 1 });
    expect(named(groups(matches, own, filter))).toEqual({ mine: [], open: [], running: [], over: ['late'] });
  });

  it('are searched for every word, in titles, sides and players', () => {
    const found = (text: string): boolean => fits(info('m'), { ...NO_FILTER, text });
    expect(['', '  ', 'hedges', 'HEDGES ben', 'ann red'].map(found)).toEqual([true, true, true, true, true]);
    expect(['salvage', 'hedges cy'].map(found)).toEqual([false, false]);
  });

  it('are filtered as they were last time, if that can still be read', () => {
    expect(filterOf(null)).toEqual(NO_FILTER);
    expect(filterOf({ tab: 'over', text: 'a' })).toEqual({ tab: 'over', edition: '', text: 'a' });
    expect(filterOf({ tab: 'gone' as 'all' }).tab).toBe('all');
  });
});

describe('a match in words', () => {
  const now = 2_000 + 2 * HOUR;

  it('says whose turn it is, and since when', () => {
    const said = (deciding: string[], own: string[] = ['blue']): string => whoseTurn(info('m', { deciding }), own, now);
    expect(said(['blue'])).toBe('You decide, for 2 h');
    expect(said(['red'])).toBe('Ben decides, for 2 h');
    expect(said(['red', 'blue'])).toBe('You and Ben decide, for 2 h');
    expect(said(['blue', 'red'], [])).toBe('Ann and Ben decide, for 2 h');
    expect(said(['red'], ['blue', 'red'])).toBe('You decide for Red, for 2 h');
    expect(said([])).toBe('The server is at work');
    expect(whoseTurn(info('m', { since: 0 }), [], now)).toBe('Ben decides');
  });

  it('says how far it is, how the sides stand and who looks on', () => {
    expect([turn(info('m')), turn(info('m', { turn_limit: 0 })), turn(info('m', { turn: 0 }))]).toEqual([
      'turn 3 of 6',
      'turn 3',
      'being set up',
    ]);
    const rows: MatchSummary['score'] = [
      ['blue', 7, 10, 1],
      ['red', 4, 10, 0],
    ];
    const lines = (match: MatchSummary): string[] => match.seats.map((seat) => seatLine(match, seat, ['blue']));
    expect(lines(info('m', { score: rows }))).toEqual([
      'Blue: Ann (you), 7 of 10 figures, 1 objective',
      'Red: Ben, 4 of 10 figures',
    ]);
    const free = info('m', { seats: [['red', 'Red', '']], score: [['red', 0, 0, 0]] });
    expect(lines(free)).toEqual(['Red: free']);
    expect([0, 1, 3].map((many) => watching(info('m', { spectators: many })))).toEqual([
      '',
      '1 spectator',
      '3 spectators',
    ]);
  });

  it('says who won, and who sat there', () => {
    expect(outcome(over('m'))).toBe('Red won (Ben)');
    expect(outcome(over('m'), ['red'])).toBe('Red won: you');
    expect(outcome(over('m'), ['blue', 'red'])).toBe('Red won (Ben)');
    expect(outcome(over('m', { result: { winner: '', reason: '', rule: '', how: 'agreement' } }))).toBe('A draw');
  });
});

it('a spectator is never asked', () => {
  expect(groups([info('m')], SPECTATOR, NO_FILTER)[0]!.list).toEqual([]);
});
