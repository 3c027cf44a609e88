/** Which matches of the start page are shown, in which groups, in which order. */
import type { MatchSummary } from '../lib/protocol';

/** What is kept of one match by this browser, as far as the list asks. */
export interface Own {
  /** The seats that are ours, of a match in which we have any. */
  seats: (match: string) => readonly string[];
}

/** A tab of the list: everything, or all matches of one kind. */
export type Tab = 'all' | 'mine' | MatchSummary['state'];
export const TABS: readonly Tab[] = ['all', 'mine', 'open', 'running', 'over'];
export type GroupKey = Exclude<Tab, 'all'>;

export interface Filter {
  tab: Tab;
  /** An edition's id; "" for all of them. */
  edition: string;
  /** Words, each of which stands in the title, a side's name or a player's. */
  text: string;
}
export const NO_FILTER: Filter = { tab: 'all', edition: '', text: '' };

/** A filter as it was kept, whatever an older version kept there. */
export function filterOf(kept: Partial<Filter> | null): Filter {
  const { tab, edition, text } = { ...NO_FILTER, ...kept };
  return { tab: TABS.includes(tab) ? tab : 'all', edition: String(edition), text: String(text) };
}

/** Whether edition and words let a match through. */
export function fits(match: MatchSummary, filter: Filter): boolean {
  if (filter.edition && match.edition !== filter.edition) return false;
  const there = [match.title, ...match.seats.flatMap(([, side, player]) => [side, player])].join('\n').toLowerCase();
  return filter.text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => there.includes(word));
}

/** The seats of ours that are being asked. */
export const asked = (match: MatchSummary, own: Own): string[] =>
  match.state === 'over' ? [] : match.deciding.filter((seat) => own.seats(match.match).includes(seat));

export const isMine = (match: MatchSummary, own: Own): boolean => own.seats(match.match).length > 0;

/** The later is the more urgent: over, waiting for others, waiting for players, ours to decide. */
function urgency(match: MatchSummary, own: Own): number {
  if (match.state === 'over') return 0;
  return asked(match, own).length > 0 ? 2 : 1;
}

/** Where I decide first, and among those what has waited longest; then what goes on; then what is over, the last one first. */
function byUrgency(own: Own): (one: MatchSummary, other: MatchSummary) => number {
  return (one, other) => {
    const first = urgency(one, own);
    const by = urgency(other, own) - first;
    if (by !== 0) return by;
    return first === 2 ? one.since - other.since : latest(one, other);
  };
}

const latest = (one: MatchSummary, other: MatchSummary): number =>
  (other.since || other.made_at) - (one.since || one.made_at) || one.match.localeCompare(other.match);
// These stand still while they are read: what happens in one of them does not move it.
const newest = (one: MatchSummary, other: MatchSummary): number =>
  other.made_at - one.made_at || one.match.localeCompare(other.match);

export interface Group {
  key: GroupKey;
  list: MatchSummary[];
}

const KEYS: readonly GroupKey[] = ['mine', 'open', 'running', 'over'];

function group(key: GroupKey, matches: readonly MatchSummary[], own: Own): Group {
  const list = [...matches];
  return { key, list: list.sort(key === 'mine' ? byUrgency(own) : key === 'over' ? latest : newest) };
}

/**
 * The groups that a filter leaves. Of everything, each match stands in one group: one's own among one's own. Of one kind,
 * all matches of that kind, whosever they are.
 */
export function groups(matches: readonly MatchSummary[], own: Own, filter: Filter): Group[] {
  const fitting = matches.filter((match) => fits(match, filter));
  if (filter.tab !== 'all') return [group(filter.tab, fitting.filter(inTab(filter.tab, own)), own)];
  const home = (match: MatchSummary): GroupKey => (isMine(match, own) ? 'mine' : match.state);
  return KEYS.map((key) =>
    group(
      key,
      fitting.filter((match) => home(match) === key),
      own,
    ),
  );
}

const inTab =
  (tab: Tab, own: Own) =>
  (match: MatchSummary): boolean =>
    tab === 'all' || (tab === 'mine' ? isMine(match, own) : match.state === tab);

/** How many matches each tab would show. */
export function counts(matches: readonly MatchSummary[], own: Own, filter: Filter): Record<Tab, number> {
  const fitting = matches.filter((match) => fits(match, filter));
  return Object.fromEntries(TABS.map((tab) => [tab, fitting.filter(inTab(tab, own)).length])) as Record<Tab, number>;
}
