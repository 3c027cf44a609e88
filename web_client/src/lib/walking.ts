/**
 * Declared paths of figures on round bases: what a base may not run into.
 *
 * The browser's half of `server/kernel/space/walking.py`; `tests/vectors/paths.json` holds both to the same answers.
 */
import { between, distance, segmentDistanceToOutline, surelyFar, toMil, toPoint, type Spot } from './geometry';
import { off } from './hulls';
import {
  Barred,
  Berth,
  Edge,
  Side,
  firstStop,
  type Neighbour,
  type Obstacle,
  type Obstacles,
  type PathFault,
} from './obstacles';
import type { Ground } from './paths';

const HALVINGS = 30;

/**
 * The first fault of a path for a round base of this radius (mil), or null. A figure that stands illegally to begin with
 * may leave, but not go deeper. From avoided units it keeps `clear` mil away besides, and from those that are receding as far as
 * it is from the nearest of them. At the same place the table is named
 * first, then terrain, then bases, then hulls, those of avoided units last. A path that leads over everything is stopped on
 * its way by the table's edge alone; its end keeps off all of them, however near the figure stands to begin with.
 */
export function walkFault(path: readonly Spot[], radius: number, obstacles: Obstacles): PathFault | null {
  const start = path[0];
  if (start === undefined) return null;
  if (obstacles.over) return overFault(path, radius, obstacles);
  const around = inTheWay(obstacles, start, radius);
  for (let segment = 0; segment + 1 < path.length; segment++) {
    const a = path[segment]!;
    const b = path[segment + 1]!;
    const stopping = around.filter((obstacle) => !obstacle.allows(a, b));
    if (stopping.length > 0) return stopped(a, b, segment, stopping);
  }
  return null;
}

/** What is wrong with a path that leads over everything: where it leaves the table, or at its end. */
function overFault(path: readonly Spot[], radius: number, obstacles: Obstacles): PathFault | null {
  const { table, barred, avoided, others, clear } = obstacles;
  const edge = new Edge(table, radius);
  for (let segment = 0; segment + 1 < path.length; segment++) {
    const a = path[segment]!;
    const b = path[segment + 1]!;
    if (!edge.allows(a, b)) return stopped(a, b, segment, [edge]);
  }
  const end = path[path.length - 1]!;
  const kept = radius + clear;
  const found: Obstacle[] = [
    ...barred.map((piece) => new Barred(piece, radius)),
    ...avoided.flatMap(({ unit, bases }) => bases.map((base) => new Berth(unit, base.at, kept + base.radius))),
    ...others.flatMap(({ unit, hulls }) => hulls.map((hull) => new Side(unit, hull, radius))),
    ...avoided.flatMap(({ unit, hulls }) => hulls.map((hull) => new Side(unit, hull, kept))),
  ];
  const first = found.find((obstacle) => !obstacle.allows(end, end));
  return first ? first.fault(toPoint(end), path.length - 2) : null;
}

/** The obstacles for a path from `start`. */
function inTheWay(obstacles: Obstacles, start: Spot, radius: number): Obstacle[] {
  const { table, barred, avoided, others, clear, receding } = obstacles;
  const kept = radius + clear;
  const found: Obstacle[] = [new Edge(table, radius)];
  for (const piece of barred) found.push(new Barred(piece, keptOff(piece, start, radius)));
  for (const one of avoided) {
    const offIt = receding.includes(one.unit) ? radius + Math.max(clear, apart(one, start, radius)) : kept;
    for (const { at, radius: other } of one.bases) {
      found.push(new Berth(one.unit, at, Math.min(offIt + other, toMil(distance(start, at)))));
    }
    if (offIt !== kept) addSides(found, [one], start, offIt);
  }
  addSides(found, others, start, radius);
  addSides(found, avoided, start, kept);
  return found;
}

/** How far a base at `start` is from the nearest base or hull of a unit, in mil; 0 where it overlaps. */
function apart({ bases, hulls }: Neighbour, start: Spot, radius: number): number {
  const nearest = Math.min(
    ...bases.map((base) => distance(start, base.at) - radius - base.radius),
    ...hulls.map((hull) => off(start, hull) - radius),
  );
  return nearest < Infinity ? Math.max(0, toMil(nearest)) : 0;
}

/** How far a path from `start` keeps off a barred piece: `radius` mil, or as far as it does now. */
function keptOff(piece: Ground, start: Spot, radius: number): number {
  if (surelyFar(start, start, piece.outline, radius + 1)) return radius;
  return Math.min(radius, toMil(segmentDistanceToOutline(start, start, piece.outline, piece.linear)));
}

function addSides(found: Obstacle[], neighbours: readonly Neighbour[], start: Spot, reach: number): void {
  for (const { unit, hulls } of neighbours) {
    for (const hull of hulls) found.push(new Side(unit, hull, Math.min(reach, toMil(off(start, hull)))));
  }
}

/** Where, and by which of these obstacles, the straight way from `a` to `b` is stopped. */
function stopped(a: Spot, b: Spot, segment: number, stopping: readonly Obstacle[]): PathFault {
  const [t, obstacle] = firstStop(stopping, (one, part) => one.allows(a, between(a, b, part)), HALVINGS);
  return obstacle.fault(toPoint(between(a, b, t)), segment);
}
