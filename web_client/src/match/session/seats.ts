/** Seats of a match, and what they can do on the desk. */
import type { OfferView, View } from '../../lib/protocol';

/** The seats that are asked and have not answered yet. */
export const unanswered = (view: View): string[] =>
  Object.keys(view.seats).filter((seat) => view.seats[seat]?.asked && !view.seats[seat]?.sealed);

/** Whether a seat plays on: it is one, nothing is over, it has not given up. */
export const plays = (view: View, seat: string): boolean =>
  view.result === null && view.seats[seat] !== undefined && !view.seats[seat].conceded;

/** Whether all seats are taken: before that there is no seat to agree with. */
export const complete = (view: View): boolean => Object.values(view.seats).every((seat) => seat.name !== '');

/** Whether it has begun: every seat's share of the dice is in. */
export const begun = (view: View): boolean => complete(view) && Object.values(view.seats).every((seat) => seat.ready);

/** Those of these seats that may claim the game because the time of another side is up. */
export function claimants(view: View, seats: readonly string[]): string[] {
  const out = view.clock?.up ?? [];
  const side = (seat: string): string | undefined => view.seats[seat]?.side;
  return seats.filter(
    (seat) => plays(view, seat) && !out.includes(seat) && out.some((other) => side(other) !== side(seat)),
  );
}

/** Whether an offer waits for the answer of one of these places. */
export const offered = (view: View, { places }: { places: readonly { seat: string }[] }): boolean =>
  Object.values(view.offers ?? {}).some((offer) => {
    const awaited = awaitedBy(view, offer);
    return places.some(({ seat }) => awaited.includes(seat));
  });

/** The seats whose consent an offer still needs. */
export const awaitedBy = (view: View, offer: OfferView): string[] =>
  Object.keys(view.seats).filter(
    (seat) =>
      seat !== offer.seat &&
      seat !== offer.hand &&
      !view.seats[seat]?.program &&
      plays(view, seat) &&
      !(offer.accepted ?? []).includes(seat),
  );
