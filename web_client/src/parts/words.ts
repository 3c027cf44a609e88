/** Seats, sides and connections in words. */
import type { MatchState } from '../match.svelte';
import type { Status, View } from '../protocol';
import type { LinkReport } from '../connection';
import { unanswered } from '../beside/seats';
import { ago } from './clock.svelte';

/** The name of the side that a seat plays. */
export const sideName = (view: View, seat: string): string => view.sides[view.seats[seat]?.side ?? '']?.name ?? seat;

/** A seat with its player: `Blue (Ann)`. */
export function seatName(view: View, seat: string): string {
  const player = view.seats[seat]?.name;
  return player ? `${sideName(view, seat)} (${player})` : sideName(view, seat);
}

const list = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** The seats that nobody has taken yet. */
export const freeSeats = (view: View): string[] =>
  Object.keys(view.seats).filter((seat) => view.seats[seat]?.name === '');

/** For whom a seat whose answer is in waits: `Red and Green`; "the others" if nobody is left to be named. */
export function awaited(view: View, seat: string): string {
  const names = unanswered(view).flatMap((other) => (other === seat ? [] : [sideName(view, other)]));
  return names.length > 0 ? list.format(names) : 'the others';
}

/** Whose decision it is, for everybody; in a hot seat nobody is "you". */
export function deciding(match: Pick<MatchState, 'view' | 'seat' | 'revealed'>, hotSeat = false): string {
  const { view } = match;
  if (!view || view.result) return '';
  const free = freeSeats(view);
  if (free.length > 0) {
    const players = free.length > 1 ? 'players' : 'a player';
    return `Waiting for ${players} for ${list.format(free.map((seat) => sideName(view, seat)))}`;
  }
  const asked = unanswered(view);
  if (asked.includes(match.seat) && !hotSeat) {
    const others = asked.filter((seat) => seat !== match.seat);
    return others.length > 0
      ? `${list.format(['You', ...others.map((seat) => sideName(view, seat))])} decide`
      : 'You decide';
  }
  if (asked.length > 0) {
    if (!hotSeat && view.seats[match.seat]?.sealed) return `Waiting for ${awaited(view, match.seat)}`;
    const name = hotSeat ? sideName : seatName;
    return `${list.format(asked.map((seat) => name(view, seat)))} ${asked.length > 1 ? 'decide' : 'decides'}`;
  }
  const late = Object.keys(view.seats).filter((seat) => !match.revealed.includes(seat));
  return late.length > 0 ? `Waiting for the dice of ${list.format(late.map((seat) => seatName(view, seat)))}` : '';
}

/** How the connection is: a word for the eye, a sentence where something is wrong. */
export interface Condition {
  kind: 'live' | 'waiting' | 'readonly' | 'ended';
  word: string;
  sentence: string;
}

/** The truth about the link and the server behind it. */
export function condition(link: LinkReport, status: Status | null, readOnlySince: number, now: number): Condition {
  const since = ago(link.since, now);
  switch (link.state) {
    case 'connecting':
      return { kind: 'waiting', word: 'Connecting', sentence: '' };
    case 'reconnecting':
      return {
        kind: 'waiting',
        word: `Reconnecting, ${since}`,
        sentence:
          link.sentence || `No connection for ${since}. Trying again by itself; nothing that was confirmed is lost.`,
      };
    case 'offline':
      return { kind: 'waiting', word: `Offline, ${since}`, sentence: `This device has been offline for ${since}.` };
    case 'ended':
      return { kind: 'ended', word: 'Closed', sentence: link.sentence };
    case 'live':
      if (status?.state !== 'read_only') return { kind: 'live', word: 'Live', sentence: '' };
      return {
        kind: 'readonly',
        word: `Read only, ${ago(readOnlySince, now)}`,
        sentence:
          status.sentence || 'The server cannot take orders at the moment. You can look at everything meanwhile.',
      };
  }
}

/** The match that another one goes on from, by the sentence that says where it comes from; null if there is none. */
export const otherMatch = (origin: string): string | null => /of the match ([\w-]+)\.$/.exec(origin)?.[1] ?? null;
