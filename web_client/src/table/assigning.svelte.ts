/** Options being given to rows (figures, weapons): the answer to an `AssignmentParameter` while it is put together. */
import type { Assigned, AssignmentParameter, AssignmentRow, RowOption } from '../lib/protocol';
import type { Fault } from './checks';
import { assignmentFaults } from './givenFaults';

/** An option that several rows have, to be given to all of them at once. */
export interface Shared {
  readonly key: string;
  readonly label: string;
  /** How many rows have it, and how many of them have got it. */
  readonly rows: number;
  readonly given: number;
  /** How often it may be given at most; Infinity: as often as there are rows. */
  readonly limit: number;
}

type Given = readonly (readonly [row: string, option: string])[];

export class Assigning {
  readonly kind = 'assignment';
  readonly parameter: AssignmentParameter;
  /** The row that is pointed at, in the list or on the table. */
  pointed: string | null = $state(null);
  /** What is given, in the order in which it was. */
  #given: Given = $state.raw([]);
  #suggested: Given;
  #changed: () => void;

  constructor(parameter: AssignmentParameter, suggested: Readonly<Record<string, string>>, changed: () => void) {
    this.parameter = parameter;
    this.#suggested = parameter.rows.flatMap(({ key }) =>
      suggested[key] === undefined ? [] : [[key, suggested[key]] as const],
    );
    this.#given = this.#suggested;
    this.#changed = changed;
  }

  given: Readonly<Record<string, string>> = $derived.by(() => Object.fromEntries(this.#given));
  value: Assigned = $derived.by(() => ({ type: 'assignment', given: { ...this.given } }));
  faults: Fault[] = $derived.by(() => assignmentFaults(this.parameter, this.given));

  /** The options that several rows have, in the order of the first row that has them. */
  shared: Shared[] = $derived.by(() => {
    const rows = new Map<string, { label: string; rows: number }>();
    for (const { options } of this.parameter.rows) {
      for (const { key, label } of options) {
        const known = rows.get(key);
        rows.set(key, { label: known?.label ?? label, rows: (known?.rows ?? 0) + 1 });
      }
    }
    return [...rows]
      .filter(([, option]) => option.rows > 1)
      .map(([key, option]) => ({ key, ...option, given: this.#count(key), limit: this.#limit(key) }));
  });

  /** How many rows have to get something still; 0 when enough have. */
  lacking: number = $derived.by(() => Math.max(0, this.parameter.least - this.#given.length));

  /** How things stand, in words: `2 of 3 given, at most 2 at Red`. */
  tally: string = $derived.by(() => {
    const { least, most, rows, limits } = this.parameter;
    const count = this.#given.length;
    const told = [
      least === most || (least > 0 && most >= rows.length)
        ? `${count} of ${most} given`
        : most >= rows.length
          ? `${count} given`
          : `${count} given, ${least === 0 ? `at most ${most}` : `${least} to ${most} wanted`}`,
    ];
    for (const [key, limit] of limits) {
      const label = this.#label(key);
      if (limit < rows.length && label) told.push(`at most ${limit} ${inline(label)}`);
    }
    return told.join(', ');
  });

  /** Whether a row may be left without. */
  optional: boolean = $derived.by(() => this.parameter.least < this.parameter.rows.length);

  row(key: string): AssignmentRow | undefined {
    return this.parameter.rows.find((row) => row.key === key);
  }

  /** What a row has got. */
  option(row: AssignmentRow): RowOption | null {
    return row.options.find((option) => option.key === this.given[row.key]) ?? null;
  }

  /** Whether an option could be given to this row: it has it already, or there is some left. */
  open(row: string, option: string): boolean {
    return this.given[row] === option || this.#count(option) < this.#limit(option);
  }

  /** Give a row an option, or nothing. With as many given as there may be, the row that got something first makes room. */
  give(row: string, option: string | null): void {
    if (option !== null && !this.open(row, option)) return;
    const others = this.#given.filter(([key]) => key !== row);
    if (option === null) this.#given = others;
    else this.#given = [...others, [row, option] as const].slice(-Math.max(1, this.parameter.most));
    this.#changed();
  }

  /** Give the row that stands for a figure its next option; after the last one nothing, if it may be left without. */
  cycle(figure: string): void {
    const rows = this.parameter.rows.filter((row) => row.figure === figure);
    const row = rows.find((one) => one.key === this.pointed) ?? rows[0];
    if (!row) return;
    this.pointed = row.key;
    const at = row.options.findIndex((option) => option.key === this.given[row.key]);
    const next = row.options.slice(at + 1).find((option) => this.open(row.key, option.key));
    if (next) this.give(row.key, next.key);
    else if (this.optional) this.give(row.key, null);
    else this.give(row.key, row.options.find((option) => this.open(row.key, option.key))?.key ?? null);
  }

  /** Give an option to every row that has it, as far as there may be so many. */
  all(option: string): void {
    const { rows, most } = this.parameter;
    const having = rows.filter((row) => row.options.some((one) => one.key === option));
    const mine = having.slice(0, Math.min(this.#limit(option), most)).map((row) => row.key);
    const rest = this.#given.filter(([row, given]) => !mine.includes(row) && given !== option);
    this.#given = [...rest, ...mine.map((row) => [row, option] as const)].slice(-Math.max(1, most));
    this.#changed();
  }

  /** Take everything back. */
  none(): void {
    this.#given = [];
    this.#changed();
  }

  reset(): void {
    this.#given = this.#suggested;
    this.#changed();
  }

  #count(option: string): number {
    return this.#given.filter(([, given]) => given === option).length;
  }

  #limit(option: string): number {
    return this.parameter.limits.find(([key]) => key === option)?.[1] ?? Infinity;
  }

  #label(option: string): string {
    for (const row of this.parameter.rows) {
      const found = row.options.find((one) => one.key === option);
      if (found) return found.label;
    }
    return '';
  }
}

/** A label in the middle of a sentence: small at the beginning, unless it is an abbreviation or a name of several words. */
function inline(label: string): string {
  return /^[A-Z][a-z]+$/.test(label) ? label.toLowerCase() : label;
}
