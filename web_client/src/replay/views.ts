/** The audiences whose view a replay can show, and why others are not available yet. */
import type { View } from '../lib/protocol';
import { seatName } from '../ui/words';

export interface ViewChoice {
  view: string;
  label: string;
  /** Why it is not available; "" if it is. */
  why: string;
}

/**
 * The views of a match.
 *
 * @param seats the seats that this browser holds
 */
export function viewChoices(view: View, seats: readonly string[], over: boolean): ViewChoice[] {
  const later = 'after the end';
  return [
    ...Object.keys(view.seats).map((seat) => ({
      view: seat,
      label: seatName(view, seat),
      why: over || seats.includes(seat) ? '' : later,
    })),
    { view: '', label: 'Spectators', why: over || seats.length === 0 ? '' : later },
    { view: '*', label: 'Everything', why: over ? '' : later },
  ];
}
