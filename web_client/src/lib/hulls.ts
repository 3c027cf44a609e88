/**
 * Hulls: vehicles that stand on the table as rectangles to scale. The browser's half of `server/kernel/space/hulls.py`.
 *
 * A hull's outline is four whole points, counterclockwise; `tests/vectors/drives.json` holds both halves to the same answers.
 */
import {
  bounds,
  contains,
  direction,
  distance,
  edges,
  heading,
  segmentPointDistance,
  segmentsMeet,
  toMil,
  toPoint,
  turnFrom,
  type Border,
  type Spot,
} from './geometry';
import type { Base } from './paths';

/** Mil by which a hull is drawn in on each side before it is asked what it runs into. */
export const SLACK = 10;

/** The arc, to either side, of a weapon that bears all round. */
export const ALL_ROUND = 18000;

/** The size of a vehicle: along its facing, and across it. */
export interface Hull {
  readonly length: number;
  readonly width: number;
}

/** How a hull stands: its centre and the direction it faces. */
export interface Pose {
  readonly at: Spot;
  readonly facing: number;
}

// --- outlines ---

/** The four corners of a hull, counterclockwise from its right rear one. */
export function outline(pose: Pose, hull: Hull): Border {
  return block(pose.at, heading(pose.facing), -hull.length / 2, hull.length / 2, hull.width / 2);
}

/**
 * The ground a hull drives over from centre `a` for `length` along the unit vector `way`. What lies behind `a` is left out:
 * there the hull stands because it turned on the spot, and turning is free.
 */
export function ahead(a: Spot, way: Spot, length: number, hull: Hull): Border {
  return block(a, way, 0, length + hull.length / 2, hull.width / 2);
}

function block(at: Spot, way: Spot, rear: number, front: number, half: number): Border {
  const [x, y] = at;
  const [ux, uy] = way;
  return [
    [toMil(x + ux * rear + uy * half), toMil(y + uy * rear - ux * half)],
    [toMil(x + ux * front + uy * half), toMil(y + uy * front - ux * half)],
    [toMil(x + ux * front - uy * half), toMil(y + uy * front + ux * half)],
    [toMil(x + ux * rear - uy * half), toMil(y + uy * rear + ux * half)],
  ];
}

/** The hull drawn in by the slack on each side. */
export function smaller(hull: Hull): Hull {
  return { length: Math.max(1, hull.length - 2 * SLACK), width: Math.max(1, hull.width - 2 * SLACK) };
}

function drawnIn(rectangle: Border, by: number): Border {
  return rectangle.map((corner, index) => {
    let [x, y] = corner;
    const count = rectangle.length;
    for (const neighbour of [rectangle[(index + count - 1) % count]!, rectangle[(index + 1) % count]!]) {
      const side = distance(corner, neighbour);
      const share = side > 2 * by ? by / side : 0.5;
      x += share * (neighbour[0] - corner[0]);
      y += share * (neighbour[1] - corner[1]);
    }
    return toPoint([x, y]);
  });
}

// --- distances ---

/** Mil from `p` to a hull; 0 within it. */
export function off(p: Spot, hull: Border): number {
  let nearest = Infinity;
  let outside = false;
  let a = hull[hull.length - 1]!;
  for (const b of hull) {
    if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) < 0) outside = true;
    nearest = Math.min(nearest, segmentPointDistance(a, b, p));
    a = b;
  }
  return outside ? nearest : 0;
}

/** Mil from the edge of a round base to a hull; 0 when they touch or overlap. */
export function baseToOutline(base: Base, hull: Border): number {
  return Math.max(0, off(base.at, hull) - base.radius);
}

/** Mil between two hulls; 0 when they touch or overlap. */
export function outlineToOutline(one: Border, other: Border): number {
  if (runsInto(one, other, false)) return 0;
  return Math.min(...one.map((corner) => off(corner, other)), ...other.map((corner) => off(corner, one)));
}

/**
 * Whether a hull's weapon whose arc is `spread` to either side of `middle` (from the facing; 18000 is all round) bears on a
 * place, seen from the hull's centre.
 */
export function bears(pose: Pose, middle: number, spread: number, target: Spot): boolean {
  if (spread >= ALL_ROUND || distance(pose.at, target) === 0) return true;
  return Math.abs(turnFrom(pose.facing + middle, direction(pose.at, target))) <= spread;
}

// --- what is in the way ---

/** Whether a hull meets an area or an open line; touching counts. */
export function runsInto(one: Border, border: Border, linear: boolean): boolean {
  const box = bounds(one);
  const other = bounds(border);
  if (box.right < other.left || box.left > other.right || box.top < other.bottom || box.bottom > other.top)
    return false;
  const sides = edges(one, false);
  for (const [p, q] of edges(border, linear)) {
    if (sides.some(([a, b]) => segmentsMeet(a, b, p, q))) return true;
  }
  return off(border[0]!, one) === 0 || (!linear && contains(border, one[0]!));
}

/** Whether a hull is wholly on a table of this width and height. */
export function insideTable(one: Border, table: readonly [number, number]): boolean {
  return one.every(([x, y]) => 0 <= x && x <= table[0] && 0 <= y && y <= table[1]);
}

/** Whether a round base lies over any of these hulls by more than touching. */
export function overlapsHull(base: Base, hulls: readonly Border[]): boolean {
  return hulls.some((hull) => toMil(off(base.at, hull)) < base.radius - 2 * SLACK);
}

/** Whether a hull lies over any of these bases or other hulls by more than touching. */
export function hullOverlaps(hull: Border, bases: readonly Base[], hulls: readonly Border[]): boolean {
  if (bases.some((base) => overlapsHull(base, [hull]))) return true;
  const inner = drawnIn(hull, 2 * SLACK + 1);
  return hulls.some((other) => runsInto(inner, other, false));
}
