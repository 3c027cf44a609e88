/** Seats and sides in words. */
import type { View } from '../lib/protocol';

/** The name of the side that a seat plays. */
export const sideName = (view: View, seat: string): string => view.sides[view.seats[seat]?.side ?? '']?.name ?? seat;

/** A player's name as it stands in brackets: a program's has one of its own, "Recruit (computer)". */
export const inBrackets = (player: string): string => `(${player.replace(/ \(([^()]*)\)$/, ', $1')})`;

/** A seat with its player: `Blue (Ann)`, `Red (Recruit, computer)`. */
export function seatName(view: View, seat: string): string {
  const player = view.seats[seat]?.name;
  return player ? `${sideName(view, seat)} ${inBrackets(player)}` : sideName(view, seat);
}
