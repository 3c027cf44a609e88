/** What stands in the walls of a building goes with them: the openings of its row, or the pieces that walls and openings are. */
import { between, segmentPointDistance, type Border, type Spot } from '../lib/geometry';
import { place, spot } from './places';
import type { Opening, Piece, Place } from './setup';

/** A place seen from an edge: which edge, how far along it (0 to 1), and how far to its left (mil). */
interface Held {
  edge: number;
  along: number;
  left: number;
}

const edgeOf = (outline: Border, i: number): [Spot, Spot] => [
  outline[i % outline.length] ?? [0, 0],
  outline[(i + 1) % outline.length] ?? [0, 0],
];

/** A place as seen from the edge that is nearest to it. */
function hold(outline: Border, p: Spot): Held {
  const far = outline.map((_, i) => segmentPointDistance(...edgeOf(outline, i), p));
  const edge = far.indexOf(Math.min(...far));
  const [[ax, ay], [bx, by]] = edgeOf(outline, edge);
  const [x, y] = [bx - ax, by - ay];
  const length = Math.hypot(x, y) || 1;
  const [px, py] = [p[0] - ax, p[1] - ay];
  return { edge, along: (px * x + py * y) / length ** 2, left: (py * x - px * y) / length };
}

/**
 * Where a place in or at the border of `before` is when that has become `after`: as far along the same edge and to its side. With
 * another number of corners it is where it was, on the border that is nearest.
 */
export function carried(before: Border, after: Border, p: Spot): [number, number] {
  if (before.length === 0 || after.length === 0) return [p[0], p[1]];
  const same = before.length === after.length;
  const held = hold(same ? before : after, p);
  const [a, b] = edgeOf(after, held.edge);
  const [x, y] = between(a, b, same ? held.along : Math.min(1, Math.max(0, held.along)));
  if (!same) return [x, y];
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
  return [x - (held.left * (b[1] - a[1])) / length, y + (held.left * (b[0] - a[0])) / length];
}

const carriedPlace = (before: readonly Place[], after: readonly Place[], at: Place): Place =>
  place(carried(before.map(spot), after.map(spot), spot(at)));

/** The openings of a building that is moved, turned or has another outline. */
export const carriedOpenings = (
  before: readonly Place[],
  after: readonly Place[],
  openings: readonly Opening[],
): Opening[] => openings.map((opening) => ({ ...opening, at: carriedPlace(before, after, opening.at) }));

/** Whether a piece is a wall or an opening of a building: in a position that was saved each is a piece of its own. */
export const isPartOf = (piece: { id: string }, building: string): boolean =>
  piece.id.startsWith(`${building}.wall-`) || piece.id.startsWith(`${building}.opening-`);

/** A wall or opening of a building that is moved, turned or has another outline. */
export const carriedPart = (before: readonly Place[], after: readonly Place[], part: Piece): Piece =>
  before.length === after.length
    ? { ...part, outline: part.outline.map((at) => carriedPlace(before, after, at)) }
    : part;
