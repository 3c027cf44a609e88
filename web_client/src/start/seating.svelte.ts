/** Which seats of a match that is being made are one's own: one of them, several, or all; and which a program holds. */

import type { Welcome } from '../lib/protocol';

/** A seat and the side that it plays. */
export type Seat = readonly [seat: string, side: string];

// No id of a seat has a blank in it, so neither of these is one.
export const SEVERAL = 'several of them';
export const ALL = 'all of them';
export const NONE = 'none of them';

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
      // Who only watches leaves every seat to the computer.
      const program = this.left[seat] ?? (this.taking === NONE ? (this.computers.at(-1) ?? '') : '');
      return this.offered().includes(program) ? [[seat, program] as const] : [];
    });
    return Object.fromEntries(held);
  }

  /** The programs that can play any match, the weakest first. */
  private get computers(): string[] {
    return this.offered().filter((program) => program !== UNCONTROLLED);
  }

  /** Whether one can only watch: then programs play. */
  get watchable(): boolean {
    return this.computers.length > 0;
  }

  /** Whether the match can be made so: some seat is one's own, or programs hold them all. */
  get good(): boolean {
    if (this.taking !== NONE) return this.mine.length > 0;
    return this.seats().every(([seat]) => this.programs[seat] !== undefined);
  }

  /** The wish, as far as there is such a thing: of another scenario the same seats are mine, if it has them. */
  get taking(): string {
    const seats = this.seats();
    const fits =
      this.wish === ALL || (this.wish === NONE && this.watchable) || (this.wish === SEVERAL && seats.length > 2);
    return fits || seats.some(([seat]) => seat === this.wish) ? this.wish : (seats[0]?.[0] ?? '');
  }

  get mine(): Seat[] {
    const taking = this.taking;
    return this.seats().filter(
      ([seat]) => taking === ALL || taking === seat || (taking === SEVERAL && this.ticked.includes(seat)),
    );
  }
}
