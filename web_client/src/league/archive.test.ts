import { describe, expect, it } from 'vitest';
import type { LeagueSummary, Leagues } from '../lib/protocol';
import { groupsOf, joined, refreshed, type Known } from './archive';

const league = (id: string, more: Partial<LeagueSummary> = {}): LeagueSummary => ({
  id,
  name: `League ${id}`,
  edition: 'fad',
  format: 'swiss',
  state: 'runs',
  players: 4,
  round: 1,
  made_at: 0,
  matches: 0,
  champion: '',
  ...more,
});
const page = (ids: string, more = 0, own: string[] = []): Leagues => ({
  type: 'leagues',
  id: '1',
  leagues: [...ids].map((id) => league(id)),
  own,
  more,
});
const ids = ({ leagues }: Known): string => leagues.map(({ id }) => id).join('');

describe('pages of leagues', () => {
  it('are put together without doubles, also where a league was made meanwhile', () => {
    const known = joined(joined(null, page('edc', 3, ['e'])), page('cb', 5, ['b']));
    expect([ids(known), known.own, known.more]).toEqual(['edcb', ['e', 'b'], 5]);
  });

  it('keep what is older when the newest come anew', () => {
    const known = joined(joined(null, page('edc', 3)), page('ba', 0));
    const after = refreshed(known, page('fed', 3));
    expect([ids(after), after.more]).toEqual(['fedcba', 0]);
    expect(refreshed(null, page('ed', 2)).more).toBe(2);
    expect(ids(refreshed(joined(null, page('edc')), page('fedc')))).toBe('fedc');
  });
});

describe('the list', () => {
  const known: Known = {
    leagues: [
      league('a'),
      league('b', { name: 'Winter Cup', state: 'over', champion: 'Zoë' }),
      league('c', { name: 'Summer Cup', state: 'over' }),
      league('d', { name: 'Cup of Now' }),
    ],
    own: ['a', 'c'],
    more: 0,
  };
  const shown = (search: string): string[] =>
    groupsOf(known, search).map(({ title, list }) => `${title}: ${list.map(({ id }) => id).join('')}`);

  it('has those that are over apart', () => {
    expect(shown('')).toEqual(['Your leagues: a', 'Other leagues: d', 'Past seasons: bc']);
  });

  it('is searched by name and champion, all words of them, without accents', () => {
    expect(shown('cup')).toEqual(['Other leagues: d', 'Past seasons: bc']);
    expect(shown(' CUP  win')).toEqual(['Past seasons: b']);
    expect(shown('zoe')).toEqual(['Past seasons: b']);
    expect(shown('nothing')).toEqual([]);
  });
});
