/** For whom a match waits, in words. */
import type { View } from '../../lib/protocol';
import { seatName, sideName } from '../../ui/words';
import type { MatchState } from './match.svelte';
import { unanswered } from './seats';

const list = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** The seats that are free. */
export const freeSeats = (view: View): string[] =>
  Object.keys(view.seats).filter((seat) => view.seats[seat]?.name === '');

/** For whom a seat whose answer is in waits: `Red and Green`; "the others" if none is left to be named. */
export function awaited(view: View, seat: string): string {
  const names = unanswered(view).flatMap((other) => (other === seat ? [] : [sideName(view, other)]));
  return names.length > 0 ? list.format(names) : 'the others';
}

/** Whose decision it is, for all who look; in a hot seat no player is "you". */
export function deciding(match: Pick<MatchState, 'view' | 'seat' | 'revealed'>, hotSeat = false): string {
  const { view } = match;
  if (!view || view.result) return '';
  const free = freeSeats(view);
  if (free.length > 0) {
    const players = free.length > 1 ? 'players' : 'a player';
    return `Waiting for ${players} for ${list.format(free.map((seat) => sideName(view, seat)))}`;
  }
  const asked = unanswered(view);
  if (asked.includes(match.seat) && !hotSeat && !view.seats[match.seat]?.program) {
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
