/** The list of leagues: pages that are put together, and what is shown of them below which heading. */
import type { LeagueSummary, Leagues } from '../lib/protocol';

/** The leagues that were asked for so far. */
export interface Known {
  leagues: readonly LeagueSummary[];
  own: readonly string[];
  /** The `after` that asks for older ones; 0: there are none. */
  more: number;
}

/**
 * What is known after the first page came anew: it replaces what it has of the newest, and what is older stays. `more` stays too,
 * unless no older page was read yet.
 */
export function refreshed(known: Known | null, page: Leagues): Known {
  const more = page.more ?? 0;
  if (!known || more === 0 || known.leagues.length <= page.leagues.length) return joined(null, page);
  return { ...joined(page, known), more: known.more };
}

/** What is known after an older page came. A league that is in both stands where it stood first. */
export function joined(known: Known | Leagues | null, page: Leagues | Known): Known {
  const ids = new Set(known?.leagues.map(({ id }) => id));
  return {
    leagues: [...(known?.leagues ?? []), ...page.leagues.filter(({ id }) => !ids.has(id))],
    own: [...new Set([...(known?.own ?? []), ...(page.own ?? [])])],
    more: page.more ?? 0,
  };
}

export interface Group {
  title: string;
  list: LeagueSummary[];
}

const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** The leagues whose name, or whose champion's, has all words that are looked for: one's own, others, and those that are over. */
export function groupsOf({ leagues, own }: Known, search: string): Group[] {
  const words = plain(search).split(/\s+/).filter(Boolean);
  const found = leagues.filter(({ name, champion = '' }) => {
    const text = plain(`${name} ${champion}`);
    return words.every((word) => text.includes(word));
  });
  const running = found.filter(({ state }) => state !== 'over');
  return [
    { title: 'Your leagues', list: running.filter(({ id }) => own.includes(id)) },
    { title: 'Other leagues', list: running.filter(({ id }) => !own.includes(id)) },
    { title: 'Past seasons', list: found.filter(({ state }) => state === 'over') },
  ].filter(({ list }) => list.length > 0);
}
