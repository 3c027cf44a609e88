/**
 * Declared paths of vehicles: what a hull may not drive over, how it stands at the end, which ground it drives through.
 *
 * The browser's half of `server/kernel/space/driving.py`; `tests/vectors/drives.json` holds both to the same answers.
 */
import { between, direction, distance, toMil, toPoint, type Border, type Spot } from './geometry';
import { ahead, off, outline, outlineToOutline, runsInto, smaller, type Hull, type Pose } from './hulls';
import { Barred, Berth, Edge, Side, firstStop, type Obstacle, type Obstacles, type PathFault } from './obstacles';
import type { Base, Ground } from './paths';

const HALVINGS = 20;

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

/**
 * The first fault of a path (start included) for a hull that stands as `pose`, or null. What it overlaps to begin with it may
 * leave, and where it stands nearer than `clear` to avoided units it may go away, not nearer; at its end it may in no case lie
 * over a base or a hull. A path that leads nowhere turns on the spot, and then no clearance is needed.
 */
export function driveFault(
  pose: Pose,
  path: readonly Spot[],
  finalFacing: number | null,
  hull: Hull,
  obstacles: Obstacles,
): PathFault | null {
  const last = path[path.length - 1];
  if (last === undefined || (path.length === 1 && finalFacing === null)) return null;
  const small = smaller(hull);
  const legs = legsOf(path, small);
  const kept = keptOff(obstacles, outline(pose, small), legs.length > 0 ? obstacles.clear : 0);
  const ways = kept.flatMap(({ way }) => way ?? []);
  for (const leg of legs) {
    const stopping = ways.filter((way) => !way.allowsHull(leg.ground));
    if (stopping.length > 0) return stopped(path, leg, small, stopping);
  }
  const final = outline(endPose(pose, path, finalFacing), small);
  const wrong = kept.find(({ end }) => !end.allowsHull(final));
  return wrong ? wrong.end.fault([last[0], last[1]], Math.max(0, path.length - 2)) : null;
}

/** What to keep off on the way, if anything, and what at the end, for one and the same reason. */
interface Kept {
  readonly way: Obstacle | null;
  readonly end: Obstacle;
}

/** What a hull that covers `start` must keep off. */
function keptOff({ table, barred, avoided, others, over, jump }: Obstacles, start: Border, clear: number): Kept[] {
  const edge = new Edge(table, 0);
  const kept: Kept[] = [{ way: edge.allowsHull(start) ? edge : null, end: edge }];
  for (const piece of barred) {
    const ground = new Barred(piece, 0);
    if (ground.allowsHull(start)) kept.push({ way: ground, end: ground });
  }
  for (const { unit, bases } of avoided) {
    for (const base of bases) kept.push(offBase(unit, base, start, base.radius + clear));
  }
  for (const { unit, hulls } of others) for (const hull of hulls) kept.push(offHull(unit, hull, start, 0));
  for (const { unit, hulls } of avoided) for (const hull of hulls) kept.push(offHull(unit, hull, start, clear));
  for (const { unit, bases } of others) {
    for (const { at, radius } of bases) kept.push({ way: null, end: new Berth(unit, at, radius) });
  }
  if (jump) return kept.map(({ end }) => ({ way: null, end }));
  // Only the table's edge, which comes first, stops a flight on its way.
  if (over) return kept.map((one, place) => (place === 0 ? one : { way: null, end: one.end }));
  return kept;
}

/** How a hull that covers `start` keeps off an avoided base: `wide` mil from its centre, or as far as now. */
function offBase(unit: string, { at, radius }: Base, start: Border, wide: number): Kept {
  const free = toMil(off(at, start));
  const way = free >= radius ? new Berth(unit, at, free >= wide ? wide : radius) : null;
  return { way, end: new Berth(unit, at, Math.max(radius, Math.min(wide, free))) };
}

/** How far a hull that covers `start` keeps off another one. */
function offHull(unit: string, hull: Border, start: Border, clear: number): Kept {
  const touching = new Side(unit, hull, 0);
  if (!touching.allowsHull(start)) return { way: null, end: touching };
  const free = clear > 0 ? toMil(outlineToOutline(start, hull)) : 0;
  return { way: new Side(unit, hull, free >= clear ? clear : 0), end: new Side(unit, hull, Math.min(clear, free)) };
}

interface Leg {
  readonly segment: number;
  readonly way: Spot;
  readonly ground: Border;
}

/** The legs of a path that lead anywhere, each with the ground it drives over. */
function legsOf(path: readonly Spot[], hull: Hull): Leg[] {
  const legs: Leg[] = [];
  for (let segment = 0; segment + 1 < path.length; segment++) {
    const a = path[segment]!;
    const b = path[segment + 1]!;
    const length = distance(a, b);
    if (length === 0) continue;
    const way: Spot = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
    legs.push({ segment, way, ground: ahead(a, way, length, hull) });
  }
  return legs;
}

/** Where, and by which of these obstacles, a hull is stopped on a leg. */
function stopped(path: readonly Spot[], leg: Leg, hull: Hull, stopping: readonly Obstacle[]): PathFault {
  const a = path[leg.segment]!;
  const b = path[leg.segment + 1]!;
  const length = distance(a, b);
  const allows = (one: Obstacle, t: number): boolean => one.allowsHull(ahead(a, leg.way, t * length, hull));
  const [t, obstacle] = firstStop(stopping, allows, HALVINGS);
  return obstacle.fault(toPoint(between(a, b, t)), leg.segment);
}
