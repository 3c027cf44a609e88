/** The matches that the server lists: a first page that it keeps up to date, one's own, and later pages on request. */
import type { Matches, MatchesChanged, MatchSummary, MatchPage } from './protocol';

type Infos = ReadonlyMap<string, MatchSummary>;

export interface Told {
  /** The first page of the list, up to date. */
  readonly page: Infos;
  /** One's own that are not on it, up to date. */
  readonly own: Infos;
  /** What was asked for beyond it, as it was then. */
  readonly further: Infos;
  /** Whether the server has still more. */
  readonly more: boolean;
}

const byMatch = (infos: readonly MatchSummary[]): Map<string, MatchSummary> =>
  new Map(infos.map((info) => [info.match, info]));

const without = (infos: Infos, ...gone: readonly Iterable<string>[]): Map<string, MatchSummary> => {
  const left = new Map(infos);
  for (const matches of gone) for (const match of matches) left.delete(match);
  return left;
};

/** The whole list, sent again. */
export const told = (message: Matches): Told => ({
  page: byMatch(message.matches),
  own: byMatch(message.mine),
  further: new Map(),
  more: message.more,
});

/** The list with the changes that the server sent. */
export function changed(was: Told, message: MatchesChanged): Told {
  const page = byMatch(message.changed);
  const own = byMatch(message.mine);
  return {
    page: new Map([...without(was.page, message.gone, own.keys()), ...page]),
    own: new Map([...without(was.own, message.gone, page.keys()), ...own]),
    further: without(was.further, page.keys(), own.keys()),
    // Of what lies beyond the pages that were asked for, the first page says nothing.
    more: was.further.size > 0 ? was.more : message.more,
  };
}

/** The list with one page more. */
export const extended = (was: Told, message: MatchPage): Told => ({
  ...was,
  further: without(new Map([...was.further, ...byMatch(message.matches)]), was.page.keys(), was.own.keys()),
  more: message.more,
});

/** Every match, once; one's own first. */
export const every = (all: Told): MatchSummary[] => [...new Map([...all.own, ...all.page, ...all.further]).values()];

const RANKS: Record<MatchSummary['state'], number> = { open: 2, running: 1, over: 0 };

/** The match after which the next page begins. */
export function last(all: Told): MatchSummary | undefined {
  return [...all.page.values(), ...all.further.values()].sort(
    (one, other) =>
      RANKS[one.state] - RANKS[other.state] || one.made_at - other.made_at || (one.match < other.match ? -1 : 1),
  )[0];
}
