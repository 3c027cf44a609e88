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
 * may leave, but not go deeper. From avoided units it keeps `clear` mil away besides. At the same place the table is named
 * first, then terrain, then bases, then hulls, those of avoided units last.
 */
export function walkFault(path: readonly Spot[], radius: number, obstacles: Obstacles): PathFault | null {
  const start = path[0];
  if (start === undefined) return null;
  const around = inTheWay(obstacles, start, radius);
  for (let segment = 0; segment + 1 < path.length; segment++) {
    const a = path[segment]!;
    const b = path[segment + 1]!;
    const stopping = around.filter((obstacle) => !obstacle.allows(a, b));
    if (stopping.length > 0) return stopped(a, b, segment, stopping);
  }
  return null;
}

/** The obstacles for a path from `start`. */
function inTheWay({ table, barred, avoided, others, clear }: Obstacles, start: Spot, radius: number): Obstacle[] {
  const kept = radius + clear;
  const found: Obstacle[] = [new Edge(table, radius)];
  for (const piece of barred) found.push(new Barred(piece, keptOff(piece, start, radius)));
  for (const { unit, bases } of avoided) {
    for (const { at, radius: other } of bases) {
      found.push(new Berth(unit, at, Math.min(kept + other, toMil(distance(start, at)))));
    }
  }
  addSides(found, others, start, radius);
  addSides(found, avoided, start, kept);
  return found;
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
