/** A place on a declared path being chosen: the answer to a `StopParameter` while the figures are slid along. */
import { between, direction, distance, toPoint, type Spot } from '../lib/geometry';
import type { StopParameter, StopTaken, View } from '../lib/protocol';
import type { Fault } from './checks';
import { stopFaults } from './givenFaults';
import { standing, type Standing } from './world';

/** All of a way, in the thousandths that a stop counts in. */
export const WAY = 1000;

/** A figure on its way: the points it passes, and where it stands at the stop. */
export interface Passing extends Standing {
  readonly points: readonly Spot[];
}

/** Where a figure is after `at` thousandths of its way (by length), and where it faces there if it is on its way. */
export function alongPath(points: readonly Spot[], at: number): { at: Spot; facing: number | null } {
  let length = 0;
  for (let i = 0; i + 1 < points.length; i++) length += distance(points[i]!, points[i + 1]!);
  let left = (length * at) / WAY;
  let facing: number | null = null;
  for (let i = 0; i + 1 < points.length; i++) {
    const [a, b] = [points[i]!, points[i + 1]!];
    const leg = distance(a, b);
    if (leg === 0) continue;
    facing = direction(a, b);
    if (left <= leg) return { at: toPoint(between(a, b, left / leg)), facing };
    left -= leg;
  }
  return { at: points[points.length - 1] ?? [0, 0], facing };
}

export class Stopping {
  readonly kind = 'stop';
  readonly parameter: StopParameter;
  at = $state(0);
  #suggested: number;
  #getView: () => View;
  #changed: () => void;

  constructor(parameter: StopParameter, getView: () => View, changed: () => void, suggested: number) {
    this.parameter = parameter;
    this.#getView = getView;
    this.#changed = changed;
    this.#suggested = suggested;
    this.at = suggested;
  }

  value: StopTaken = $derived.by(() => ({ type: 'stop', at: this.at }));
  faults: Fault[] = $derived.by(() => stopFaults(this.parameter, this.at));

  /** The unit's figures, those included that do not move, as they would stand at the stop. */
  figures: Passing[] = $derived.by(() =>
    standing(this.#getView().units[this.parameter.unit]).map((figure) => {
      const points = this.parameter.paths[figure.id] ?? [figure.at];
      const place = alongPath(points, this.at);
      return { ...figure, points, at: place.at, facing: place.facing ?? figure.facing };
    }),
  );

  least: number = $derived.by(() => Math.min(...this.parameter.spans.map(([from]) => from)));
  most: number = $derived.by(() => Math.max(...this.parameter.spans.map(([, to]) => to)));

  /** Slide to `to`, or, where one may not stop there, to the next place where one may, onwards in the direction of the slide. */
  slide(to: number): void {
    this.at = nearestStop(this.parameter.spans, Math.round(to), Math.sign(to - this.at));
    this.#changed();
  }

  /** Slide so that the figure stands as near to `p` as it comes. */
  towards(figure: string, p: Spot): void {
    const points = this.parameter.paths[figure];
    if (!points || points.length < 2) return;
    let best = this.at;
    let nearest = Infinity;
    let length = 0;
    for (let i = 0; i + 1 < points.length; i++) length += distance(points[i]!, points[i + 1]!);
    if (length === 0) return;
    let passed = 0;
    for (let i = 0; i + 1 < points.length; i++) {
      const [a, b] = [points[i]!, points[i + 1]!];
      const leg = distance(a, b);
      const along = leg === 0 ? 0 : ((p[0] - a[0]) * (b[0] - a[0]) + (p[1] - a[1]) * (b[1] - a[1])) / (leg * leg);
      const t = Math.max(0, Math.min(1, along));
      const off = distance(p, between(a, b, t));
      if (off < nearest) {
        nearest = off;
        best = ((passed + t * leg) / length) * WAY;
      }
      passed += leg;
    }
    this.at = nearestStop(this.parameter.spans, Math.round(best), 0);
    this.#changed();
  }

  reset(): void {
    this.at = this.#suggested;
    this.#changed();
  }
}

/** The place inside the spans that is `at`, or the next one in the `way` (1: onwards, -1: back, 0: whichever is nearer). */
export function nearestStop(spans: readonly (readonly [number, number])[], at: number, way: number): number {
  if (spans.some(([from, to]) => from <= at && at <= to)) return at;
  const ends = spans.flatMap((span) => span);
  const ahead = ends.filter((end) => Math.sign(end - at) === way);
  const wanted = way !== 0 && ahead.length > 0 ? ahead : ends;
  return wanted.reduce((best, end) => (Math.abs(end - at) < Math.abs(best - at) ? end : best), wanted[0] ?? at);
}
