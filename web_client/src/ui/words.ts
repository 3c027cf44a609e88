/** Seats and sides in words. */
import type { View } from '../lib/protocol';

/** The name of the side that a seat plays. */
export const sideName = (view: View, seat: string): string => view.sides[view.seats[seat]?.side ?? '']?.name ?? seat;

/** A seat with its player: `Blue (Ann)`. */
export function seatName(view: View, seat: string): string {
  const player = view.seats[seat]?.name;
  return player ? `${sideName(view, seat)} (${player})` : sideName(view, seat);
}
