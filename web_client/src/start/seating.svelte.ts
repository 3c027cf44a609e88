/** Which seats of a match that is being made are one's own: one of them, several, or all; and which a program holds. */

import type { Welcome } from '../lib/protocol';

/** A seat and the side that it plays. */
export type Seat = readonly [seat: string, side: string];

// No id of a seat has a blank in it, so neither of these is one.
export const SEVERAL = 'several of them';
export const ALL = 'all of them';

/** The program of a side that the rules play. */
export const UNCONTROLLED = 'uncontrolled';

/** The programs that can hold a seat of an edition's matches: the computer's, and the edition's own. */
export function programsOf(
  welcome: Pick<Welcome, 'editions' | 'programs'> | null,
  edition: string | undefined,
): string[] {
  const own = welcome?.editions.find(({ id }) => id === edition)?.programs ?? [];
  return [...(welcome?.programs ?? []).map(({ id }) => id), ...own];
}

export class Seating {
  /** A seat, or one of the words above. */
  wish = $state('');
  /** The seats that are ticked, for when several are wanted. */
  ticked = $state<string[]>([]);
  /** The program that is wished for a seat, by seat. */
  left = $state<Record<string, string>>({});

  /** `offered` are the programs that can hold a seat of the match. */
  constructor(
    readonly seats: () => readonly Seat[],
    readonly offered: () => readonly string[] = () => [],
  ) {}

  /** The seats that are another's: a player's, or a program's. */
  get others(): Seat[] {
    const mine = this.mine.map(([seat]) => seat);
    return this.seats().filter(([seat]) => !mine.includes(seat));
  }

  /** The seats that a program holds, each with its name. */
  get programs(): Record<string, string> {
    const held = this.others.flatMap(([seat]) => {
      const program = this.left[seat] ?? '';
      return this.offered().includes(program) ? [[seat, program] as const] : [];
    });
    return Object.fromEntries(held);
  }

  /** The wish, as far as there is such a thing: of another scenario the same seats are mine, if it has them. */
  get taking(): string {
    const seats = this.seats();
    const fits = this.wish === ALL || (this.wish === SEVERAL && seats.length > 2);
    return fits || seats.some(([seat]) => seat === this.wish) ? this.wish : (seats[0]?.[0] ?? '');
  }

  get mine(): Seat[] {
    const taking = this.taking;
    return this.seats().filter(
      ([seat]) => taking === ALL || taking === seat || (taking === SEVERAL && this.ticked.includes(seat)),
    );
  }
}
