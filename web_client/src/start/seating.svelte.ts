/** Which seats of a match that is being made are one's own: one of them, several, or all. */

/** A seat and the side that it plays. */
export type Seat = readonly [seat: string, side: string];

// No id of a seat has a blank in it, so neither of these is one.
export const SEVERAL = 'several of them';
export const ALL = 'all of them';

export class Seating {
  /** A seat, or one of the words above. */
  wish = $state('');
  /** The seats that are ticked, for when several are wanted. */
  ticked = $state<string[]>([]);
  /** The program that plays the other seats; "" for other people. */
  against = $state('');

  constructor(readonly seats: () => readonly Seat[]) {}

  /** The wish, as far as there is such a thing: of another scenario the same seats are mine, if it has them. */
  get taking(): string {
    const seats = this.seats();
    const fits = this.wish === ALL || (this.wish === SEVERAL && seats.length > 2);
    return fits || seats.some(([seat]) => seat === this.wish) ? this.wish : (seats[0]?.[0] ?? '');
  }

  /** The programs of the seats that are not mine. */
  get programs(): Record<string, string> {
    const mine = new Set(this.mine.map(([seat]) => seat));
    const others = this.against === '' ? [] : this.seats().filter(([seat]) => !mine.has(seat));
    return Object.fromEntries(others.map(([seat]) => [seat, this.against]));
  }

  get mine(): Seat[] {
    const taking = this.taking;
    return this.seats().filter(
      ([seat]) => taking === ALL || taking === seat || (taking === SEVERAL && this.ticked.includes(seat)),
    );
  }
}
