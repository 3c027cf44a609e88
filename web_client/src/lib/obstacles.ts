/**
 * Obstacles: what paths may run into, and which unit or terrain piece that is.
 *
 * The browser's half of `server/kernel/space/obstacles.py`: one value for all paths of a unit, of which `walking.ts` and
 * `driving.ts` make a list of `Obstacle` for a single path.
 */
import { segmentDistanceToOutline, segmentPointDistance, surelyFar, toMil, type Border, type Spot } from './geometry';
import { insideTable, off, outlineToOutline, runsInto } from './hulls';
import { onTable, type Base, type Ground } from './paths';

/** Another unit on the table, by its id, with its bases or its hull. */
export interface Neighbour {
  readonly unit: string;
  readonly bases: readonly Base[];
  readonly hulls: readonly Border[];
}

/** What the paths of a unit may run into. */
export interface Obstacles {
  readonly table: readonly [number, number];
  /** The terrain pieces that may not be entered. */
  readonly barred: readonly Ground[];
  /** The units of which neither bases nor hulls may be passed through, and which are kept `clear` of. */
  readonly avoided: readonly Neighbour[];
  /** The units whose bases may be passed, but not ended on, and whose hulls may not be passed through. */
  readonly others: readonly Neighbour[];
  /** How far to keep away from those that are avoided, edge to edge, in mil. */
  readonly clear: number;
  /** Whether paths lead over terrain and units, which then are in the way only at their ends. */
  readonly over: boolean;
  /** The units, among those that are avoided, to which a base comes no nearer on its way than it began. */
  readonly receding: readonly string[];
  /** Whether hulls get to their ends at once, so that nothing is in the way before, not even the table's edge. */
  readonly jump: boolean;
}

/** The bases on which no path may end, those of avoided units first. */
export function basesOf({ avoided, others }: Obstacles): Base[] {
  return [...avoided, ...others].flatMap((one) => one.bases);
}

/** The hulls in which no path may end, those of avoided units last. */
export function hullsOf({ avoided, others }: Obstacles): Border[] {
  return [...others, ...avoided].flatMap((one) => one.hulls);
}

/**
 * The first thing wrong with a path; `at` is the last legal place, on the segment that begins at `path[segment]`. `what` is the
 * id of the terrain piece or of the unit in the way; empty for the table.
 */
export interface PathFault {
  readonly kind: 'table' | 'impassable' | 'base' | 'hull';
  readonly at: [number, number];
  readonly segment: number;
  readonly what: string;
}

// --- what is in the way of one path ---

/**
 * Something a path can come into conflict with. A base is judged by its centre's way, so that its radius is part of what is
 * needed; a hull by the ground that it covers.
 */
export interface Obstacle {
  /** Whether the straight way of a base's centre from `a` to `b` is legal. */
  allows(a: Spot, b: Spot): boolean;
  /** Whether a hull may cover this ground. */
  allowsHull(ground: Border): boolean;
  /** The fault if it is not. */
  fault(at: [number, number], segment: number): PathFault;
}

/** The table's edge. A table is convex, so the end of a base's way tells; its beginning is not judged. */
export class Edge implements Obstacle {
  constructor(
    readonly table: readonly [number, number],
    readonly needed: number,
  ) {}

  allows(_: Spot, b: Spot): boolean {
    return onTable(b, this.needed, this.table);
  }

  allowsHull(ground: Border): boolean {
    return insideTable(ground, this.table);
  }

  fault(at: [number, number], segment: number): PathFault {
    return { kind: 'table', at, segment, what: '' };
  }
}

/** A barred piece. A hull may touch it and no more, whatever is needed. */
export class Barred implements Obstacle {
  constructor(
    readonly piece: Ground,
    readonly needed: number,
  ) {}

  allows(a: Spot, b: Spot): boolean {
    const { outline, linear } = this.piece;
    if (surelyFar(a, b, outline, this.needed + 1)) return true;
    return toMil(segmentDistanceToOutline(a, b, outline, linear)) >= this.needed;
  }

  allowsHull(ground: Border): boolean {
    return !runsInto(ground, this.piece.outline, this.piece.linear);
  }

  fault(at: [number, number], segment: number): PathFault {
    return { kind: 'impassable', at, segment, what: this.piece.id };
  }
}

/** A base of `unit`, from whose centre to keep off. */
export class Berth implements Obstacle {
  constructor(
    readonly unit: string,
    readonly centre: Spot,
    readonly needed: number,
  ) {}

  allows(a: Spot, b: Spot): boolean {
    return toMil(segmentPointDistance(a, b, this.centre)) >= this.needed;
  }

  allowsHull(ground: Border): boolean {
    return toMil(off(this.centre, ground)) >= this.needed;
  }

  fault(at: [number, number], segment: number): PathFault {
    return { kind: 'base', at, segment, what: this.unit };
  }
}

/** The hull of `unit`. */
export class Side implements Obstacle {
  constructor(
    readonly unit: string,
    readonly hull: Border,
    readonly needed: number,
  ) {}

  allows(a: Spot, b: Spot): boolean {
    if (surelyFar(a, b, this.hull, this.needed + 1)) return true;
    return toMil(segmentDistanceToOutline(a, b, this.hull, false)) >= this.needed;
  }

  allowsHull(ground: Border): boolean {
    if (this.needed === 0) return !runsInto(ground, this.hull, false);
    return toMil(outlineToOutline(ground, this.hull)) >= this.needed;
  }

  fault(at: [number, number], segment: number): PathFault {
    return { kind: 'hull', at, segment, what: this.unit };
  }
}

// --- where it stops a path ---

/**
 * How far along a straight way (0 to 1) one may go, and which of these obstacles stops one there: of several at the same place
 * the first. `allows` says whether an obstacle lets one go so far; once it does not, it does not farther on either, so the place
 * is found by halving the way so often.
 */
export function firstStop(
  stopping: readonly Obstacle[],
  allows: (obstacle: Obstacle, t: number) => boolean,
  halvings: number,
): [number, Obstacle] {
  let first: [number, Obstacle] = [Infinity, stopping[0]!];
  for (const one of stopping) {
    const t = lastLegal(one, allows, halvings);
    if (t < first[0]) first = [t, one];
  }
  return first;
}

function lastLegal(obstacle: Obstacle, allows: (obstacle: Obstacle, t: number) => boolean, halvings: number): number {
  let low = 0;
  let high = 1;
  for (let i = 0; i < halvings; i++) {
    const middle = (low + high) / 2;
    if (allows(obstacle, middle)) low = middle;
    else high = middle;
  }
  return low;
}
