/** A point of the table being picked: the answer to a `PointParameter`, with what stands in the circle around it. */
import { atMost, contains, distance, gap, toPoint, type Spot } from '../lib/geometry';
import type { PointParameter, PointTaken, TableView, TerrainView, View } from '../lib/protocol';
import type { Fault } from './checks';
import { pointFaults, shutAt } from './givenFaults';
import { distanceTowards, standing, type Standing } from './world';

/** A unit in the circle, and which of its figures are in it. */
export interface Caught {
  readonly unit: string;
  readonly figures: readonly string[];
}

/** The one unit, on foot or not, that is nearest to `at` and within `radius` (mil), with all of its figures; none if none is. */
export function nearestAt(view: View, at: Spot, radius: number): Caught[] {
  const away = Object.keys(view.units).flatMap((unit) => {
    const figures = standing(view.units[unit]);
    const each = figures.map((figure) => distanceTowards(at, figure));
    return each.length > 0 ? [{ unit, figures: figures.map(({ id }) => id), away: Math.min(...each) }] : [];
  });
  const [first] = away.sort((one, other) => one.away - other.away);
  return first && atMost(first.away, radius) ? [{ unit: first.unit, figures: first.figures }] : [];
}

/**
 * The units with a part of a base within `radius` (mil) of `at`, the nearest first. Vehicles are not among them, nor those who stand
 * in one of the pieces `shut`.
 */
export function caughtAt(view: View, at: Spot, radius: number, shut: readonly TerrainView[] = []): Caught[] {
  return Object.keys(view.units)
    .map((unit) => {
      const inside = standing(view.units[unit])
        .filter((figure) => !figure.hull && atMost(gap(at, 0, figure.at, figure.radius), radius))
        .filter((figure) => !shut.some((piece) => contains(piece.outline, figure.at)))
        .sort((one, other) => distance(at, one.at) - distance(at, other.at));
      return { unit, inside };
    })
    .filter(({ inside }) => inside.length > 0)
    .sort((one, other) => distance(at, one.inside[0]!.at) - distance(at, other.inside[0]!.at))
    .map(({ unit, inside }) => ({ unit, figures: inside.map((figure) => figure.id) }));
}

export class Aiming {
  readonly kind = 'point';
  readonly parameter: PointParameter;
  at: Spot | null = $state.raw(null);
  #suggested: Spot | null;
  #getView: () => View;
  #getTable: () => TableView;
  #changed: () => void;

  constructor(
    parameter: PointParameter,
    getView: () => View,
    getTable: () => TableView,
    changed: () => void,
    suggested: Spot | null,
  ) {
    this.parameter = parameter;
    this.#getView = getView;
    this.#getTable = getTable;
    this.#changed = changed;
    this.#suggested = suggested;
    this.at = suggested;
  }

  value: PointTaken | null = $derived.by(() => (this.at === null ? null : { type: 'point', at: toPoint(this.at) }));
  faults: Fault[] = $derived.by(() =>
    this.value === null ? [] : pointFaults(this.#getView(), this.#getTable(), this.parameter, this.value.at),
  );
  /** What stands in the circle, and is struck there. */
  caught: Caught[] = $derived.by(() => {
    const { nearest, radius, shelters, around } = this.parameter;
    if (this.value === null || around !== null) return [];
    const { at } = this.value;
    if (nearest) return nearestAt(this.#getView(), at, radius);
    return caughtAt(this.#getView(), at, radius, shutAt(this.#getTable(), shelters, at));
  });

  /** The units of the same side as the one that aims that stand in the circle. */
  friends: Caught[] = $derived.by(() => {
    const { units } = this.#getView();
    return this.caught.filter(({ unit }) => units[unit]?.side === units[this.parameter.unit]?.side);
  });

  /** Where the figure that aims stands; null when it is not on the table, or does not matter. */
  from: Standing | null = $derived.by(() => {
    if (this.parameter.around !== null) return null;
    return (
      standing(this.#getView().units[this.parameter.unit]).find((figure) => figure.id === this.parameter.figure) ?? null
    );
  });
  /** How far the point is from the edge of that figure's base or hull, or from the point around which it lies, in mil. */
  away: number = $derived.by(() => {
    if (this.value === null) return 0;
    if (this.parameter.around !== null) return distance(this.value.at, this.parameter.around);
    return this.from ? distanceTowards(this.value.at, this.from) : 0;
  });

  /** Aim at `p`, or at the nearest point of the table. */
  aim(p: Spot): void {
    const { width, height } = this.#getTable();
    this.at = toPoint([Math.max(0, Math.min(width, p[0])), Math.max(0, Math.min(height, p[1]))]);
    this.#changed();
  }

  /** Move the point; from the figure that aims while there is none. */
  shift(by: Spot): void {
    const from = this.at ?? this.from?.at ?? this.parameter.around;
    if (from) this.aim([from[0] + by[0], from[1] + by[1]]);
  }

  reset(): void {
    this.at = this.#suggested;
    this.#changed();
  }
}
