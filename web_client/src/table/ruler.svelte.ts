/** The ruler: points laid on the table one after the other, drawn to a base where they are near one. */
import { distance, type Spot } from '../lib/geometry';
import type { Hull } from '../lib/hulls';
import { measured } from '../lib/measure.svelte';
import type { View } from '../lib/protocol';
import { distanceBetween, figureAt, standing } from './world';

/** A point of the ruler; on a figure it is the middle of its base or hull. */
export interface Mark {
  readonly at: Spot;
  readonly radius: number;
  readonly hull: Hull | null;
  readonly facing: number;
  readonly unit: string;
}

export class Ruler {
  on = $state(false);
  marks: readonly Mark[] = $state.raw([]);
  /** Where the next point would go: under the mouse, or where the arrow keys brought it. */
  cursor: Mark | null = $state.raw(null);

  #getView: () => View;
  #whole = false;

  constructor(getView: () => View) {
    this.#getView = getView;
  }

  points: readonly Mark[] = $derived.by(() => (this.cursor && this.on ? [...this.marks, this.cursor] : this.marks));

  /** Mil from the first point to the last along the ruler; base to base where it joins two figures directly. */
  length: number = $derived.by(() => {
    let total = 0;
    for (let i = 0; i + 1 < this.points.length; i++) total += distance(this.points[i]!.at, this.points[i + 1]!.at);
    return total;
  });

  /** What the ruler says. */
  text: string = $derived.by(() => {
    const [a, b] = this.points;
    if (!a || !b) return '';
    const whole = measured(this.length);
    if (this.points.length > 2 || (a.radius === 0 && b.radius === 0)) return whole;
    return `${measured(distanceBetween(a, b))} from edge to edge (${whole} between middles)`;
  });

  toggle(): void {
    this.on = !this.on;
    this.clear();
  }

  clear(): void {
    this.marks = [];
    this.cursor = null;
    this.#whole = false;
  }

  /** What lies there is all that was to be measured: the next point begins anew. */
  end(): void {
    this.#whole = true;
    this.cursor = null;
  }

  /** Lay the next point at `p`, on the base within `reach` (mil) of it if there is one. */
  lay(p: Spot, reach: number): void {
    if (this.#whole) this.clear();
    this.marks = [...this.marks, this.#mark(p, reach)];
    this.cursor = null;
  }

  /** Lay the next point on a unit: on its figure nearest to the last point, and that point's unit likewise. */
  layUnit(unit: string): void {
    if (this.#whole) this.clear();
    const last = this.marks.at(-1);
    const from: readonly Omit<Mark, 'unit'>[] = last?.unit
      ? standing(this.#getView().units[last.unit])
      : last
        ? [last]
        : [];
    let best: { from: Mark | undefined; to: Mark } | null = null;
    let nearest = Infinity;
    for (const figure of standing(this.#getView().units[unit])) {
      const to = mark(figure, unit);
      if (from.length === 0) best ??= { from: undefined, to };
      for (const other of from) {
        const off = distanceBetween(other, figure);
        if (off < nearest) {
          nearest = off;
          best = { from: mark(other, last?.unit ?? ''), to };
        }
      }
    }
    if (!best) return;
    this.marks = best.from ? [...this.marks.slice(0, -1), best.from, best.to] : [best.to];
    this.cursor = null;
  }

  /** The mouse is at `p`. */
  point(p: Spot | null, reach: number): void {
    this.cursor = p === null || this.#whole || this.marks.length === 0 ? null : this.#mark(p, reach);
  }

  /** Move the cursor by the arrow keys, from the last point or from `start`. */
  step(by: Spot, start: Spot): void {
    const from = this.cursor?.at ?? this.marks.at(-1)?.at ?? start;
    this.cursor = point([from[0] + by[0], from[1] + by[1]]);
  }

  #mark(p: Spot, reach: number): Mark {
    const found = figureAt(this.#getView(), p, reach);
    if (!found) return point(p);
    const figure = standing(this.#getView().units[found.unit]).find((one) => one.id === found.figure);
    return figure ? mark(figure, found.unit) : point(p);
  }
}

const mark = ({ at, radius, hull, facing }: Omit<Mark, 'unit'>, unit: string): Mark => ({
  at,
  radius,
  hull,
  facing,
  unit,
});

const point = (at: Spot): Mark => ({ at, radius: 0, hull: null, facing: 0, unit: '' });
