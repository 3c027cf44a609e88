/** A placement being made: the answer to a `PlacementParameter` while units are dragged about their zone. */
import { FULL_TURN, bounds, centroid, direction, distance, turned, type Spot } from '../lib/geometry';
import { largestGap, links, type Base, type Link } from '../lib/paths';
import type { FiguresPlaced, PlacementParameter, TableView, View } from '../lib/protocol';
import { settlePlaces, slide, type Places, type Size } from './arrange';
import { placementFaults, type Fault } from './checks';
import type { Mode } from './march.svelte';
import { lookouts, sheltered } from './shelter';
import { living, standing } from './world';

/** How many places are tried for a unit. */
const MOST_TRIES = 24;

/** One unit as it is being placed. */
export interface Placed {
  readonly unit: string;
  readonly index: number;
  readonly figures: readonly (Size & { readonly role: string; readonly sign: string; readonly at: Spot })[];
  readonly links: readonly Link[];
  readonly widest: number;
  readonly limit: number;
}

export class Placing {
  readonly kind = 'placement';
  readonly parameter: PlacementParameter;
  mode: Mode = $state('formation');
  /** Index of the unit that taps and keys move. */
  selected = $state(0);
  /** The figure that is adjusted in figure mode. */
  figure: string | null = $state(null);

  #getView: () => View;
  #getTable: () => TableView;
  #changed: () => void;
  #places: readonly Places[] = $state.raw([]);
  /** Where hulls face, per unit. */
  #facings: readonly Readonly<Record<string, number>>[] = $state.raw([]);
  #wishes: Places | null = null;
  #held: Places | null = null;

  constructor(parameter: PlacementParameter, getView: () => View, getTable: () => TableView, changed: () => void) {
    this.parameter = parameter;
    this.#getView = getView;
    this.#getTable = getTable;
    this.#changed = changed;
    this.#places = parameter.suggested;
    this.#facings = parameter.units.map((_, index) => parameter.facings[index] ?? {});
    if (parameter.units.length > 1) this.#spread();
  }

  /** Put everything where `value` has it. */
  put(value: FiguresPlaced): void {
    this.#places = value.places;
    this.#facings = this.parameter.units.map((_, index) => value.facings?.[index] ?? this.#facings[index] ?? {});
    this.#wishes = null;
    this.#held = null;
    this.#changed();
  }

  units: Placed[] = $derived.by(() =>
    this.parameter.units.map((unit, index) => {
      const figures: (Size & { role: string; sign: string; at: Spot })[] = [];
      for (const figure of living(this.#getView().units[unit])) {
        const at = this.#places[index]?.[figure.id];
        if (at) figures.push({ ...figure, at, facing: this.#facings[index]?.[figure.id] ?? figure.facing });
      }
      const own: Base[] = figures.filter((figure) => figure.hull === null);
      return {
        unit,
        index,
        figures,
        links: links(own),
        widest: largestGap(own),
        limit: this.parameter.gaps[index] ?? 0,
      };
    }),
  );

  value: FiguresPlaced = $derived.by(() => {
    const places = this.#places.map((one) => ({ ...one }));
    if (this.#facings.every((one) => Object.keys(one).length === 0)) return { type: 'placement', places };
    return { type: 'placement', places, facings: this.#facings.map((one) => ({ ...one })) };
  });

  faults: Fault[] = $derived.by(() =>
    placementFaults(this.#getView(), this.#getTable(), this.parameter, this.#places, this.#facings),
  );

  /** Whether the unit of this index is a vehicle. */
  drives(index: number = this.selected): boolean {
    return this.units[index]?.figures.some((figure) => figure.hull) ?? false;
  }

  /** The middle of the unit of this index. */
  middle(index: number = this.selected): Spot {
    return centroid(this.units[index]?.figures.map((figure) => figure.at) ?? []);
  }

  /** Choose the unit that taps and keys move. */
  choose(index: number): void {
    this.selected = index;
    this.figure = null;
    this.#held = null;
    this.#wishes = null;
  }

  grab(): void {
    this.#held = { ...(this.#wishes ?? this.#places[this.selected] ?? {}) };
  }

  /** Move the chosen unit by `by` from where it was grabbed (or stands). */
  shift(by: Spot): void {
    const from = this.#held ?? this.#places[this.selected];
    if (!from) return;
    this.#settle(slide(this.#getTable(), this.parameter, this.#sizes()[this.selected] ?? [], from, by));
  }

  /** Put the chosen unit (or figure) at `to`. */
  go(to: Spot): void {
    if (this.mode === 'figure' && this.figure) {
      this.place(this.figure, to);
      return;
    }
    const here = this.middle();
    this.#held = null;
    this.shift([to[0] - here[0], to[1] - here[1]]);
  }

  /** Put each unit on foot where the enemy does not see it, or in cover, if there is such a place for it. */
  shelter(): void {
    const view = this.#getView();
    this.units.forEach(({ unit, index, figures }) => {
      const side = view.units[unit]?.side ?? '';
      const from = lookouts(view, side);
      const friends = Object.values(view.units).flatMap((one) =>
        one.side === side ? standing(one).map(({ at }) => at) : [],
      );
      if (figures.length === 0 || this.drives(index)) return;
      this.choose(index);
      const before = this.#places;
      const spots = sheltered(
        figures.map((figure) => figure.at),
        this.parameter.zone,
        from,
        [...friends, ...this.units.flatMap((other) => (other.index < index ? other.figures.map(({ at }) => at) : []))],
        this.#getTable(),
      );
      for (const spot of spots.slice(0, MOST_TRIES)) {
        this.go(spot);
        if (this.faults.length === 0) return;
        this.#places = before;
      }
    });
  }

  /** Put one figure of the chosen unit at `to`, or at the nearest free place. */
  place(id: string, to: Spot): void {
    const own = this.#places[this.selected];
    const at = own?.[id];
    if (!own || !at) return;
    const sizes = this.#sizes()[this.selected] ?? [];
    const slid = slide(this.#getTable(), this.parameter, sizes, { [id]: at }, [to[0] - at[0], to[1] - at[1]]);
    this.#settle({ ...own, ...slid });
  }

  nudge(by: Spot, id: string | null = this.mode === 'figure' ? this.figure : null): void {
    this.#held = null;
    this.#wishes = null;
    const at = id === null ? undefined : this.#places[this.selected]?.[id];
    if (id !== null && at) this.place(id, [at[0] + by[0], at[1] + by[1]]);
    else this.shift(by);
  }

  /** Turn the chosen unit round its middle by `angle` (hundredths of a degree), a vehicle where it stands. */
  turn(angle: number): void {
    const own = this.#places[this.selected];
    if (!own) return;
    if (this.drives()) {
      this.#turnHulls((facing) => facing + angle);
      return;
    }
    const centre = this.middle();
    this.#held = null;
    this.#settle(Object.fromEntries(Object.entries(own).map(([id, at]) => [id, turned(at, centre, angle)])));
  }

  /** Have the vehicle of this index face the place `to`. */
  face(index: number, to: Spot): void {
    if (this.selected !== index) this.choose(index);
    const at = this.middle();
    if (distance(at, to) >= 1) this.#turnHulls(() => direction(at, to));
  }

  #turnHulls(turn: (facing: number) => number): void {
    const turned: Record<string, number> = {};
    for (const { id, hull, facing } of this.units[this.selected]?.figures ?? []) {
      if (hull) turned[id] = ((turn(facing) % FULL_TURN) + FULL_TURN) % FULL_TURN;
    }
    this.#facings = this.#facings.map((own, i) => (i === this.selected ? turned : own));
    this.#changed();
  }

  /** Back to what was suggested, for the chosen unit or for all. */
  reset(all = true): void {
    const { suggested, facings } = this.parameter;
    this.#facings = this.#facings.map((own, i) => (all || i === this.selected ? (facings[i] ?? {}) : own));
    this.#places = all ? suggested : this.#places.map((own, i) => (i === this.selected ? (suggested[i] ?? own) : own));
    this.#held = null;
    this.#wishes = null;
    this.#changed();
  }

  /** Begin with the units side by side along the zone instead of in a heap, if they may stand so. */
  #spread(): void {
    const { left, right, bottom, top } = bounds(this.parameter.zone);
    const count = this.parameter.units.length;
    for (let index = 0; index < count; index++) {
      const share = (index + 0.5) / count;
      const to = right - left >= top - bottom ? left + share * (right - left) : bottom + share * (top - bottom);
      const [x, y] = this.middle(index);
      this.selected = index;
      this.shift(right - left >= top - bottom ? [to - x, 0] : [0, to - y]);
    }
    this.choose(0);
    if (this.faults.length > 0) this.#places = this.parameter.suggested;
  }

  #settle(wishes: Places): void {
    const index = this.selected;
    const settled = settlePlaces(
      this.#getView(),
      this.#getTable(),
      this.parameter,
      index,
      this.#places,
      wishes,
      this.#sizes(),
    );
    this.#wishes = wishes;
    this.#places = this.#places.map((own, i) => (i === index ? settled : own));
    this.#changed();
  }

  /** What the figures of each unit take up. */
  #sizes(): Size[][] {
    return this.parameter.units.map((unit, index) =>
      living(this.#getView().units[unit]).map((figure) => ({
        ...figure,
        facing: this.#facings[index]?.[figure.id] ?? figure.facing,
      })),
    );
  }
}
