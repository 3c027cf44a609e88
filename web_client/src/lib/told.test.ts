import { describe, expect, it } from 'vitest';
import type { MatchSummary } from './protocol';
import { changed, every, extended, last, told, type Told } from './told';

const info = (match: string, more: Partial<MatchSummary> = {}): MatchSummary => ({
  match,
  title: match,
  edition: 'x',
  state: 'running',
  turn: 1,
  made_at: 0,
  seats: [],
  deciding: [],
  result: null,
  since: 0,
  score: [],
  clock: null,
  spectators: 0,
  turn_limit: 0,
  ...more,
});
const nothing = { changed: [], gone: [], mine: [], more: false };
const turns = (all: Told): Record<string, number> =>
  Object.fromEntries(every(all).map(({ match, turn }) => [match, turn]));
const begun = (more = false): Told =>
  told({ type: 'matches', matches: [info('a'), info('b')], mine: [info('m')], more });

describe('what the server tells of matches', () => {
  it('is a first page, and then what changes', () => {
    let all = begun();
    all = changed(all, { type: 'matches_changed', ...nothing, changed: [info('b', { turn: 2 }), info('c')] });
    expect(turns(all)).toEqual({ m: 1, a: 1, b: 2, c: 1 });
    all = changed(all, { type: 'matches_changed', ...nothing, gone: ['a', 'm'], mine: [info('n', { turn: 3 })] });
    expect(turns(all)).toEqual({ n: 3, b: 2, c: 1 });
  });

  it('has each match once, wherever it has gone', () => {
    let all = changed(begun(), { type: 'matches_changed', ...nothing, changed: [info('m', { turn: 4 })] });
    expect([all.own.size, turns(all)]).toEqual([0, { a: 1, b: 1, m: 4 }]);
    all = changed(all, { type: 'matches_changed', ...nothing, mine: [info('b', { turn: 5 })] });
    expect([all.page.has('b'), turns(all)]).toEqual([false, { b: 5, a: 1, m: 4 }]);
  });

  it('goes on where the last page ends', () => {
    let all = told({
      type: 'matches',
      matches: [info('o', { state: 'open', made_at: 1 }), info('z', { made_at: 7 }), info('y', { made_at: 7 })],
      mine: [info('old', { state: 'over' })],
      more: true,
    });
    expect(last(all)?.match).toBe('y');
    all = extended(all, { type: 'match_page', id: '1', matches: [info('y'), info('x', { made_at: 5 })], more: true });
    expect(every(all).map(({ match }) => match)).toEqual(['old', 'o', 'z', 'y', 'x']);
    expect(last(all)?.match).toBe('x');
    all = changed(all, { type: 'matches_changed', ...nothing, changed: [info('x', { turn: 9, state: 'open' })] });
    expect([all.more, all.further.size, turns(all)['x']]).toEqual([true, 0, 9]);
    expect(last(told({ type: 'matches', matches: [], mine: [], more: false }))).toBeUndefined();
  });

  it('is begun anew with a new connection', () => {
    const page = { type: 'match_page' as const, id: '1', matches: [info('x')], more: false };
    expect(extended(begun(true), page).more).toBe(false);
    expect(turns(begun(true))).toEqual({ m: 1, a: 1, b: 1 });
  });
});
