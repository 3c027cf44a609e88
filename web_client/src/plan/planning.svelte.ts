/**
 * What a seat plans: ghosts of its own units, which of them is moved, and what would be seen and done from there.
 *
 * It is kept as long as the page is, and nothing of it leaves the browser but the question that `Asking` asks.
 */
import { centroid, type Spot } from '../lib/geometry';
import type { WhatIf, Sight, TableView, UnitView, View } from '../lib/protocol';
import type { Mode } from '../table/march.svelte';
import { living, middle, sideOf } from '../table/world';
import { Asking } from './asking.svelte';
import {
  blockAt,
  displacement,
  facing,
  ghostOf,
  imagined,
  kept,
  middleOf,
  put,
  shifted,
  spun,
  type Displacement,
  type Ghost,
  type Ghosts,
} from './ghosts';

/** The seat that plans, and what it sees. */
export interface Planner {
  readonly seat: string;
  readonly view: View | null;
  readonly ground: TableView | null;
  readonly link: { readonly state: string };
  whatIf(unit: string, ghosts: Ghosts): Promise<WhatIf>;
}

export class Planning {
  on = $state(false);
  ghosts: Ghosts = $state.raw({});
  /** The unit that taps and keys move. */
  unit: string | null = $state(null);
  mode: Mode = $state('formation');
  /** The figure that is moved alone in figure mode. */
  figure: string | null = $state(null);
  /** The unit to which lines of sight are drawn. */
  target: string | null = $state(null);
  readonly asking: Asking;

  #planner: Planner;
  /** What a drag moves as it was before, and whether it had a ghost then. */
  #held: { unit: string; from: Ghost; before: Ghosts } | null = $state.raw(null);

  constructor(planner: Planner) {
    this.#planner = planner;
    this.asking = new Asking((unit, ghosts) => planner.whatIf(unit, ghosts));
  }

  /** Whether this seat has units to plan with: who watches has none. */
  get possible(): boolean {
    return this.#planner.seat !== '';
  }

  /** The seat's own units that are in the game, with their ids, by number. */
  get own(): [string, UnitView][] {
    const view = this.#planner.view;
    if (!view) return [];
    const side = sideOf(view, this.#planner.seat);
    return Object.entries(view.units)
      .filter(([, unit]) => unit.side === side && unit.left === '' && living(unit).length > 0)
      .sort(([, a], [, b]) => a.number - b.number);
  }

  /** What was answered about the ghost as it is now. */
  get answer(): WhatIf | null {
    return this.asking.fresh && this.#held === null ? this.asking.answer : null;
  }

  get count(): number {
    return Object.keys(this.ghosts).length;
  }

  toggle(): void {
    this.drop();
    this.on = !this.on;
    if (!this.on) this.target = null;
  }

  name(unit: string): string {
    return this.#planner.view?.units[unit]?.name ?? '';
  }

  /** Whether a unit is one's own, and can be planned with. */
  has(unit: string): boolean {
    return this.own.some(([id]) => id === unit);
  }

  /** Choose the unit that taps and keys move; a unit of another seat cannot be chosen. */
  choose(unit: string): void {
    if (unit === this.unit || !this.has(unit)) return;
    this.drop();
    this.unit = unit;
    this.mode = 'formation';
    this.figure = null;
    this.target = null;
  }

  /** Move the whole unit, or one figure of it. */
  move(mode: Mode, figure: string | null = null): void {
    this.mode = this.drives ? 'formation' : mode;
    if (this.mode === 'formation') this.figure = null;
    else this.figure = figure ?? this.figure ?? Object.keys(this.ghost(this.unit)?.places ?? {})[0] ?? null;
  }

  /** Draw the lines to this unit, or no more if they are drawn already. */
  aim(target: string): void {
    this.target = this.target === target ? null : target;
  }

  /** The lines of sight to `target` from where the chosen unit is imagined. */
  sight(target: string | null): Sight | null {
    return this.answer?.targets.find((one) => one.target === target)?.sight ?? null;
  }

  /** A unit's ghost, or, if it has none, where it stands; null for one that is neither imagined nor there. */
  ghost(unit: string | null): Ghost | null {
    const seen = this.#planner.view?.units[unit ?? ''];
    return this.ghosts[unit ?? ''] ?? (seen ? ghostOf(seen) : null);
  }

  /** The chosen unit as it is imagined. */
  get imagined(): UnitView | null {
    const [unit, ghost] = [this.#planner.view?.units[this.unit ?? ''], this.ghost(this.unit)];
    return unit && ghost ? imagined(unit, ghost) : null;
  }

  /** Whether the chosen unit is a vehicle. */
  get drives(): boolean {
    return living(this.#planner.view?.units[this.unit ?? '']).some((figure) => figure.hull);
  }

  /** What lies between a unit and its ghost; null where it has none, or is not on the table. */
  way(unit: string): Displacement | null {
    const [seen, ghost] = [this.#planner.view?.units[unit], this.ghosts[unit]];
    return seen && ghost ? displacement(seen, ghost) : null;
  }

  // --- moving ---

  /** Begin to drag the chosen unit: what follows is measured from where it is now. */
  grab(): void {
    const from = this.ghost(this.unit);
    if (this.unit !== null && from) this.#held = { unit: this.unit, from, before: this.ghosts };
  }

  /** The drag is over; so the ghost has settled. */
  drop(): void {
    this.#held = null;
  }

  /** The drag was none. */
  undo(): void {
    if (this.#held) this.ghosts = this.#held.before;
    this.#held = null;
  }

  /** Move the chosen unit by `by` from where it was grabbed (or is). */
  shift(by: Spot): void {
    this.#change((unit, ghost, table) => shifted(unit, this.#held?.from ?? ghost, by, table));
  }

  /** Put one figure of the chosen unit at `to`. */
  place(figure: string, to: Spot): void {
    this.#change((unit, ghost, table) => put(unit, ghost, figure, to, table));
  }

  /** Put the chosen unit (or the chosen figure) at `to`; who is not on the table comes there in a block. */
  go(to: Spot): void {
    const ghost = this.ghost(this.unit);
    if (!ghost) this.#summon(to);
    else if (this.mode === 'figure' && this.figure !== null) this.place(this.figure, to);
    else {
      const here = middleOf(ghost);
      this.shift([to[0] - here[0], to[1] - here[1]]);
    }
  }

  /** Move by a small step: the figure in figure mode (or the one named), else the unit. */
  nudge(by: Spot, figure: string | null = this.mode === 'figure' ? this.figure : null): void {
    const at = figure === null ? undefined : this.ghost(this.unit)?.places[figure];
    if (figure !== null && at) this.place(figure, [at[0] + by[0], at[1] + by[1]]);
    else this.shift(by);
  }

  turn(angle: number): void {
    this.#change((unit, ghost, table) => spun(unit, ghost, angle, table));
  }

  /** Have the chosen vehicle face the place `to`. */
  face(to: Spot): void {
    this.#change((unit, ghost, table) => facing(unit, ghost, to, table));
  }

  /** Put a unit that is not on the table there: next to the unit that carries it, else into its side's zone. */
  summon(): void {
    const [view, table] = [this.#planner.view, this.#planner.ground];
    const unit = view?.units[this.unit ?? ''];
    if (!view || !table || !unit) return;
    const zone = view.sides[unit.side]?.zone ?? [];
    const carrier = this.ghosts[unit.aboard] ? middleOf(this.ghosts[unit.aboard]!) : middle(view.units[unit.aboard]);
    const near: Spot | null = carrier && [carrier[0], carrier[1] + 4000];
    this.#summon(near ?? (zone.length > 0 ? centroid(zone) : [table.width / 2, table.height / 2]));
  }

  /** Forget a unit's ghost. */
  reset(unit: string): void {
    const { [unit]: _, ...others } = this.ghosts;
    this.ghosts = others;
    if (unit === this.unit) this.move('formation');
  }

  /** Forget all ghosts. */
  clear(): void {
    this.drop();
    this.ghosts = {};
    this.target = null;
    this.move('formation');
  }

  /** Keep to what there is, and ask what is not known. To be called whenever the view, the link or the plan changes. */
  follow(): void {
    const { view, ground, link } = this.#planner;
    if (!view) return;
    this.ghosts = kept(this.ghosts, view);
    if (this.unit !== null && !this.has(this.unit)) {
      this.#held = null;
      this.unit = null;
      this.target = null;
    }
    if (this.target !== null && !view.units[this.target]) this.target = null;
    if (this.#held !== null) return;
    const unit = this.on && link.state === 'live' ? this.unit : null;
    const there = unit !== null && this.ghost(unit) !== null;
    this.asking.want(there ? { unit, ghosts: this.ghosts, given: [view.units, ground] } : null);
  }

  #change(change: (unit: UnitView, ghost: Ghost, table: TableView) => Ghost): void {
    const { view, ground } = this.#planner;
    const [seen, ghost] = [view?.units[this.unit ?? ''], this.ghost(this.unit)];
    if (this.unit === null || !seen || !ghost || !ground) return;
    this.ghosts = { ...this.ghosts, [this.unit]: change(seen, ghost, ground) };
  }

  #summon(at: Spot): void {
    const { view, ground } = this.#planner;
    const unit = view?.units[this.unit ?? ''];
    if (this.unit === null || !unit || !ground) return;
    this.ghosts = { ...this.ghosts, [this.unit]: blockAt(unit, at, ground) };
  }
}
