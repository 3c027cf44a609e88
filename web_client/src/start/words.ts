/** A match of the start page in words. */
import type { MatchSummary, Score } from '../lib/protocol';
import { ago } from '../ui/clock.svelte';
import { inBrackets } from '../ui/words';
import type { GroupKey, Tab } from './groups';

/** What the matches of a group are called, and what to do while there are none. */
export const GROUPS: Readonly<Record<GroupKey, { title: string; empty: string }>> = {
  mine: {
    title: 'Your matches',
    empty: 'You have no matches. Make one, or take a free seat in one that waits for a player.',
  },
  open: {
    title: 'Waiting for a player',
    empty: 'No seat is free. Make a match and list it here, or send its link to a friend.',
  },
  running: {
    title: 'Being played',
    empty: 'No listed match is being played. When one begins, you can watch it here.',
  },
  over: {
    title: 'Over',
    empty: 'No listed match of others has ended yet. When one has, its result and its replay are here.',
  },
};

export const TAB_LABELS: Readonly<Record<Tab, string>> = {
  all: 'All',
  mine: 'Mine',
  open: 'Open',
  running: 'Running',
  over: 'Over',
};

const list = new Intl.ListFormat('en-GB', { type: 'conjunction' });

type Seat = MatchSummary['seats'][number];

export const freeSeats = (match: MatchSummary): Seat[] => match.seats.filter(([, , player]) => player === '');

/** A seat in a line: side, player, and, once there is something to count, how it stands: `Blue: Ann (you), 7 of 10 figures`. */
export function seatLine(match: MatchSummary, [seat, side, player]: Seat, own: readonly string[] = []): string {
  const [, left, of, objectives] = match.score.find(([id]) => id === seat) ?? ([seat, 0, 0, 0] satisfies Score);
  const said = [player ? `${player}${own.includes(seat) ? ' (you)' : ''}` : 'free'];
  if (of > 0) said.push(`${left} of ${of} figures`);
  if (objectives > 0) said.push(`${objectives} ${objectives === 1 ? 'objective' : 'objectives'}`);
  return `${side}: ${said.join(', ')}`;
}

/** Who a seat is, as one would speak of it: its player, or, where several seats are one's own, its side. */
function who(match: MatchSummary, seat: string): string {
  const [, side = seat, player = ''] = match.seats.find(([id]) => id === seat) ?? [];
  return player || side;
}

/** Whose turn it is and since when, of a running match: `You decide, for 12 min`; `now` is the server's time. */
export function whoseTurn(match: MatchSummary, own: readonly string[], now: number): string {
  const since = match.since > 0 ? `, for ${ago(match.since, now)}` : '';
  const others = match.deciding.filter((seat) => !own.includes(seat));
  const ours = match.deciding.length > others.length;
  if (match.deciding.length === 0) return 'The server is at work';
  // When all play at one screen no player is "you": the side says who has to come.
  if (ours && own.length === match.seats.length && own.length > 1) {
    const sides = match.seats.filter(([seat]) => match.deciding.includes(seat)).map(([, side]) => side);
    return `You decide for ${list.format(sides)}${since}`;
  }
  if (ours) {
    return others.length > 0
      ? `You and ${list.format(others.map((seat) => who(match, seat)))} decide${since}`
      : `You decide${since}`;
  }
  const names = list.format(others.map((seat) => who(match, seat)));
  return `${names} ${others.length > 1 ? 'decide' : 'decides'}${since}`;
}

/** How far a match is: `turn 3 of 6`. */
export function turn(match: MatchSummary): string {
  if (match.turn <= 0) return 'being set up';
  return `turn ${match.turn}${match.turn_limit > 0 ? ` of ${match.turn_limit}` : ''}`;
}

/** Who looks on. */
export const watching = (match: MatchSummary): string =>
  match.spectators === 0 ? '' : match.spectators === 1 ? '1 spectator' : `${match.spectators} spectators`;

/** How it ended: `Blue won`, with who played it. */
export function outcome(match: MatchSummary, own: readonly string[] = []): string {
  if (!match.result) return 'over';
  const won = match.seats.find(([seat]) => seat === match.result?.winner);
  if (!won) return match.result.winner ? `${match.result.winner} won` : 'A draw';
  const [seat, side, player] = won;
  const you = own.includes(seat) && own.length < match.seats.length;
  return `${side} won${you ? ': you' : player ? ` ${inBrackets(player)}` : ''}`;
}
