/** Places of a setup (inches) as those of the table (whole mil) and back, and what is moved and turned as a whole. */
import { centroid, toMil, turned, type Spot } from '../lib/geometry';
import type { Place } from './setup';

/** A length of a setup in mil. */
export const mil = (inches: number): number => toMil(inches * 1000);
/** A length in mil as a setup has it. */
export const inch = (length: number): number => Math.round(length) / 1000;
/** A place of a setup on the table. */
export const spot = ([x, y]: Place): [number, number] => [mil(x), mil(y)];
/** A place on the table as a setup has it. */
export const place = ([x, y]: Spot): [number, number] => [inch(x), inch(y)];

/** Every place moved by `by` (mil). */
export const shifted = (places: readonly Place[], by: Spot): Place[] =>
  places.map((at) => {
    const [x, y] = spot(at);
    return place([x + by[0], y + by[1]]);
  });

/** Every place turned by `angle` (hundredths of a degree) round the middle of them all. */
export function spun(places: readonly Place[], angle: number): Place[] {
  const spots = places.map(spot);
  const middle = centroid(spots);
  return spots.map((at) => place(turned(at, middle, angle)));
}

/** The middle of some places on the table, of their box: where a thing is said to be. */
export function middleOf(places: readonly Place[]): [number, number] {
  const [xs, ys] = [places.map(([x]) => mil(x)), places.map(([, y]) => mil(y))];
  if (xs.length === 0) return [0, 0];
  return [(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2].map(Math.round) as [
    number,
    number,
  ];
}

/** How far some places must be moved so that none of them is off a table of this size (mil). */
export function backOn(spots: readonly Spot[], size: Spot, margin = 0): [number, number] {
  const along = (axis: 0 | 1): number => {
    const values = spots.map((at) => at[axis]);
    if (values.length === 0) return 0;
    const [low, high] = [Math.min(...values), Math.max(...values)];
    if (low < margin) return margin - low;
    return high > size[axis] - margin ? size[axis] - margin - high : 0;
  };
  return [along(0), along(1)];
}

/** A rectangle round a place (all mil). */
export function rectangle(middle: Spot, width: number, height: number): Place[] {
  const [x, y] = middle;
  const [w, h] = [width / 2, height / 2];
  return [place([x - w, y - h]), place([x + w, y - h]), place([x + w, y + h]), place([x - w, y + h])];
}

/** How far the corners of a blob lie from its middle, in shares of its radius: like grown ground, and the same each time. */
const GROWN = [1, 0.82, 0.96, 0.8, 1, 0.88, 0.78, 0.93];

/** Ground without right angles round a place, `radius` mil wide at most to each side. */
export function blob(middle: Spot, radius: number): Place[] {
  return GROWN.map((share, i) => {
    const angle = (i / GROWN.length) * 2 * Math.PI;
    return place([middle[0] + Math.cos(angle) * radius * share, middle[1] + Math.sin(angle) * radius * share]);
  });
}

/** A line of this length through a place. */
export const line = ([x, y]: Spot, length: number): Place[] => [place([x - length / 2, y]), place([x + length / 2, y])];

/** An id that is not taken: `woods`, `woods-2` ... */
export function freeId(wish: string, taken: Iterable<string>): string {
  const all = new Set(taken);
  const bare = wish.replace(/-\d+$/, '') || 'thing';
  if (!all.has(wish) && wish !== '') return wish;
  for (let n = 2; ; n++) if (!all.has(`${bare}-${n}`)) return `${bare}-${n}`;
}
