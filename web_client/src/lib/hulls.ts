/**
 * Hulls and their ways: the browser's half of `server/kernel/hulls.py` and `server/kernel/driving.py`.
 *
 * A hull's outline is four whole points, counterclockwise; `tests/vectors/drives.json` holds both halves to the same answers.
 */
import {
  between,
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
  type Border,
  type Spot,
} from './geometry';
import type { Base, Ground, PathFault } from './paths';

/** Mil by which a hull is drawn in on each side before it is asked what it runs into. */
export const SLACK = 10;

const HALVINGS = 20;

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
function ahead(a: Spot, way: Spot, length: number, hull: Hull): Border {
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

// --- driving ---

/** How a hull stands after `path` (its start included): facing as said, else as its last leg ran. */
export function endPose(pose: Pose, path: readonly Spot[], finalFacing: number | null): Pose {
  let { facing } = pose;
  for (let i = 0; i + 1 < path.length; i++) {
    const a = path[i]!;
    const b = path[i + 1]!;
    if (a[0] !== b[0] || a[1] !== b[1]) facing = direction(a, b);
  }
  return { at: path[path.length - 1] ?? pose.at, facing: finalFacing ?? facing };
}

/** The ids of the pieces whose ground a hull drives over or ends on; touching is not entering. */
export function entered(
  path: readonly Spot[],
  finalFacing: number | null,
  hull: Hull,
  pieces: readonly Ground[],
): string[] {
  const small = smaller(hull);
  const grounds = legsOf(path, small).map((leg) => leg.ground);
  const start = path[0];
  if (start !== undefined && (path.length > 1 || finalFacing !== null)) {
    grounds.push(outline(endPose({ at: start, facing: 0 }, path, finalFacing), small));
  }
  return pieces.filter((p) => grounds.some((g) => runsInto(g, p.outline, p.linear))).map((piece) => piece.id);
}

/** What a vehicle's way may run into; all that `driveFaults` asks about. */
export interface Traffic {
  readonly table: readonly [number, number];
  readonly barred: readonly Ground[];
  /** Bases that the hull keeps `clear` mil away from. */
  readonly bases: readonly Base[];
  readonly hulls: readonly Border[];
  readonly clear: number;
  /** Hulls that the hull keeps `clear` mil away from. */
  readonly blockedHulls: readonly Border[];
  /** Bases that let the hull pass, and on which it may not end. */
  readonly endsOff: readonly Base[];
}

interface Obstacle {
  allows(ground: Border): boolean;
  fault(at: [number, number], segment: number): PathFault;
}

/**
 * The first fault of a path (start included) for a hull that stands as `pose`, or null. What it overlaps to begin with it may
 * leave; at its end it may in no case lie over a base or a hull. In a fault the bases of `endsOff` are counted on after the
 * bases, the blocked hulls after the hulls.
 */
export function driveFaults(
  pose: Pose,
  path: readonly Spot[],
  finalFacing: number | null,
  hull: Hull,
  traffic: Traffic,
): PathFault | null {
  const last = path[path.length - 1];
  if (last === undefined || (path.length === 1 && finalFacing === null)) return null;
  const small = smaller(hull);
  const legs = legsOf(path, small);
  const { way, end } = obstacles(outline(pose, small), traffic, legs.length > 0 ? traffic.clear : 0);
  for (const leg of legs) {
    const a = path[leg.index]!;
    const b = path[leg.index + 1]!;
    let first: [number, Obstacle] | null = null;
    for (const obstacle of way) {
      if (obstacle.allows(leg.ground)) continue;
      const t = lastLegal(a, b, leg.way, small, obstacle);
      if (first === null || t < first[0]) first = [t, obstacle];
    }
    if (first !== null) return first[1].fault(toPoint(between(a, b, first[0])), leg.index);
  }
  const final = outline(endPose(pose, path, finalFacing), small);
  const wrong = end.find((obstacle) => !obstacle.allows(final));
  return wrong ? wrong.fault([last[0], last[1]], Math.max(0, path.length - 2)) : null;
}

/** What a hull that covers `start` must keep off on its way, and what at its end. */
function obstacles(start: Border, traffic: Traffic, clear: number): { way: Obstacle[]; end: Obstacle[] } {
  const edge: Obstacle = {
    allows: (ground) => insideTable(ground, traffic.table),
    fault: (at, segment) => ({ kind: 'table', at, segment }),
  };
  const way: Obstacle[] = edge.allows(start) ? [edge] : [];
  const end: Obstacle[] = [edge];
  for (const piece of traffic.barred) {
    const ground: Obstacle = {
      allows: (covered) => !runsInto(covered, piece.outline, piece.linear),
      fault: (at, segment) => ({ kind: 'impassable', at, segment, piece: piece.id }),
    };
    if (!ground.allows(start)) continue;
    way.push(ground);
    end.push(ground);
  }
  traffic.bases.forEach((base, index) => {
    const wide = base.radius + clear;
    const free = toMil(off(base.at, start));
    if (free >= base.radius) way.push(berth(base, index, free >= wide ? wide : base.radius));
    end.push(berth(base, index, Math.max(base.radius, Math.min(wide, free))));
  });
  const sides = [
    ...traffic.hulls.map((hull) => [hull, 0] as const),
    ...traffic.blockedHulls.map((hull) => [hull, clear] as const),
  ];
  sides.forEach(([hull, wide], index) => {
    if (side(hull, index, 0).allows(start)) {
      const free = wide > 0 ? toMil(outlineToOutline(start, hull)) : 0;
      way.push(side(hull, index, free >= wide ? wide : 0));
      end.push(side(hull, index, Math.min(wide, free)));
    } else end.push(side(hull, index, 0));
  });
  traffic.endsOff.forEach((base, index) => end.push(berth(base, traffic.bases.length + index, base.radius)));
  return { way, end };
}

function berth(base: Base, index: number, needed: number): Obstacle {
  return {
    allows: (ground) => toMil(off(base.at, ground)) >= needed,
    fault: (at, segment) => ({ kind: 'base', at, segment, base: index }),
  };
}

function side(hull: Border, index: number, needed: number): Obstacle {
  return {
    allows: (ground) =>
      needed === 0 ? !runsInto(ground, hull, false) : toMil(outlineToOutline(ground, hull)) >= needed,
    fault: (at, segment) => ({ kind: 'hull', at, segment, hull: index }),
  };
}

interface Leg {
  readonly index: number;
  readonly way: Spot;
  readonly ground: Border;
}

/** The legs of a path that lead anywhere, each with the ground it drives over. */
function legsOf(path: readonly Spot[], hull: Hull): Leg[] {
  const legs: Leg[] = [];
  for (let index = 0; index + 1 < path.length; index++) {
    const a = path[index]!;
    const b = path[index + 1]!;
    const length = distance(a, b);
    if (length === 0) continue;
    const way: Spot = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
    legs.push({ index, way, ground: ahead(a, way, length, hull) });
  }
  return legs;
}

function lastLegal(a: Spot, b: Spot, way: Spot, hull: Hull, obstacle: Obstacle): number {
  let low = 0;
  let high = 1;
  const length = distance(a, b);
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (obstacle.allows(ahead(a, way, middle * length, hull))) low = middle;
    else high = middle;
  }
  return low;
}
