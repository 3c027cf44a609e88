/**
 * Declared paths: what one figure's way over the ground costs, where it may end, and whether a unit keeps together.
 *
 * The browser's half of `paths.py` and `costs.py` in `server/kernel/space`; `tests/vectors/paths.json` holds both to the same
 * answers. What a path may run into: `walking.ts`, `driving.ts`.
 */
import { crossings, distance, gap, spansInside, toMil, toPoint, type Border, type Span, type Spot } from './geometry';
import { overlapsHull } from './hulls';

/** What a path needs to know of a terrain piece. */
export interface Ground {
  readonly id: string;
  readonly outline: Border;
  readonly linear: boolean;
}

/** A round base on the table: its centre and its radius (mil). */
export interface Base {
  readonly at: Spot;
  readonly radius: number;
}

const WHOLE = 100;

// --- what it costs ---

/** The length of a path in mil. */
export function pathLength(path: readonly Spot[]): number {
  let total = 0;
  for (let i = 0; i + 1 < path.length; i++) total += distance(path[i]!, path[i + 1]!);
  return total;
}

/**
 * What a path uses up of a move allowance, in mil. Each piece comes with its number: the cost of an area's ground in
 * percent (the highest counts where pieces overlap), or a linear piece's toll in mil each time the path meets it. Outside
 * the areas each mil costs `ground` percent.
 */
export function pathCost(
  path: readonly Spot[],
  pieces: readonly (readonly [Ground, number])[],
  ground = WHOLE,
): number {
  let total = 0;
  for (let i = 0; i + 1 < path.length; i++) {
    const a = path[i]!;
    const b = path[i + 1]!;
    const length = distance(a, b);
    if (length === 0) continue;
    const dear: [Span, number][] = [];
    for (const [piece, number] of pieces) {
      if (piece.linear) {
        if (number > 0) total += number * meetings(crossings(a, b, piece.outline, true), length);
      } else if (number > WHOLE || ground > WHOLE) {
        for (const span of spansInside(a, b, piece.outline)) dear.push([span, number]);
      }
    }
    total += length * (meanFactor(dear, ground) / WHOLE);
  }
  return total;
}

/** The mean percent of a segment of which the given stretches cost other than `ground`. */
function meanFactor(dear: readonly [Span, number][], ground: number): number {
  const cuts = [...new Set([0, 1, ...dear.flatMap(([span]) => span)])].sort((one, other) => one - other);
  let mean = 0;
  for (let i = 0; i + 1 < cuts.length; i++) {
    const start = cuts[i]!;
    const end = cuts[i + 1]!;
    const middle = (start + end) / 2;
    let factor = 0;
    for (const [[low, high], number] of dear) {
      if (low <= middle && middle <= high && number > factor) factor = number;
    }
    mean += (end - start) * ((factor || ground) - ground);
  }
  return ground + mean;
}

/** How often a segment of this length (mil) meets a line, given where; a shared corner counts once. */
function meetings(found: readonly number[], length: number): number {
  let count = 0;
  let last = 0;
  for (const t of found) {
    if (t > 0 && (count === 0 || (t - last) * length >= 0.5)) {
      count += 1;
      last = t;
    }
  }
  return count;
}

/** The ids of the pieces that a path leads through or over, as `pathCost` has it. */
export function crossed(path: readonly Spot[], grounds: readonly Ground[]): string[] {
  const through = (piece: Ground, a: Spot, b: Spot): boolean =>
    piece.linear
      ? meetings(crossings(a, b, piece.outline, true), distance(a, b)) > 0
      : spansInside(a, b, piece.outline).length > 0;
  return grounds
    .filter((piece) => path.some((b, i) => i > 0 && through(piece, path[i - 1]!, b)))
    .map((piece) => piece.id);
}

// --- where it ends ---

/** Whether a round base (centre `p`, radius in mil) stays wholly on a table of this width and height. */
export function onTable(p: Spot, radius: number, table: readonly [number, number]): boolean {
  const [x, y] = toPoint(p);
  return radius <= x && x <= table[0] - radius && radius <= y && y <= table[1] - radius;
}

/** Whether a round base with its centre at `end` lies over any of the others, or over a hull; touching is allowed. */
export function overlaps(end: Spot, radius: number, others: readonly Base[], hulls: readonly Border[] = []): boolean {
  if (others.some((other) => toMil(distance(end, other.at)) < radius + other.radius)) return true;
  return overlapsHull({ at: end, radius }, hulls);
}

// --- keeping together ---

/** A step of the shortest tree that joins all bases: from base to base, and the gap between their edges (mil). */
export interface Link {
  readonly from: number;
  readonly to: number;
  readonly gap: number;
}

/** The shortest tree that joins all bases, edge to edge. */
export function links(bases: readonly Base[]): Link[] {
  const tree: Link[] = [];
  const first = bases[0];
  if (!first) return tree;
  const waiting = new Map<number, Link>();
  for (let i = 1; i < bases.length; i++) waiting.set(i, { from: 0, to: i, gap: edgeGap(first, bases[i]!) });
  while (waiting.size > 0) {
    let nearest: Link | null = null;
    for (const link of waiting.values()) if (nearest === null || link.gap < nearest.gap) nearest = link;
    const joined = nearest!;
    waiting.delete(joined.to);
    tree.push(joined);
    for (const [i, link] of waiting) {
      const step = edgeGap(bases[joined.to]!, bases[i]!);
      if (step < link.gap) waiting.set(i, { from: joined.to, to: i, gap: step });
    }
  }
  return tree;
}

function edgeGap(a: Base, b: Base): number {
  return toMil(gap(a.at, a.radius, b.at, b.radius));
}

/** The widest step (whole mil) one must take to walk from any base to every other; 0 for fewer than two. */
export function largestGap(bases: readonly Base[]): number {
  return Math.max(0, ...links(bases).map((link) => link.gap));
}
