/**
 * Where a unit is out of its enemies' sight as it is set down, or in cover. A suggestion: the rules decide what sees what, and only
 * they know their covers.
 */
import { bounds, centroid, contains, distance, spansInside, type Spot } from '../lib/geometry';
import type { TableView, TerrainView, View } from '../lib/protocol';
import { groundAt } from './ground';
import { standing } from './world';

/** Between two places that are tried, in mil. */
const PITCH = 2000;
/** How much of a figure in the open one in cover counts for. */
const IN_COVER = 0.4;
/** Nearer to a figure of another unit of the side one stands in its way: mil between middles. */
const APART = 2500;
/** What a way of so many mil from where it was suggested outweighs: one figure in the open. */
const FAR = 60_000;

/** Places from which enemies of a side may look: where they stand, or else where they begin. */
export function lookouts(view: View, side: string): Spot[] {
  const standingThere = Object.values(view.units).flatMap((unit) =>
    unit.side === side ? [] : standing(unit).map((figure) => figure.at),
  );
  if (standingThere.length > 0) return spread(standingThere);
  return Object.entries(view.sides).flatMap(([id, { zone }]) => {
    if (id === side || zone.length < 3) return [];
    const middle = centroid(zone);
    return [middle, ...zone.map(([x, y]): Spot => [(x + middle[0]) / 2, (y + middle[1]) / 2])];
  });
}

/** At most a handful of places, from all over. */
const spread = (spots: readonly Spot[]): Spot[] => {
  const every = Math.ceil(spots.length / 8);
  return spots.filter((_, i) => i % every === 0);
};

/** How exposed figures at these places are: 1 for each that all lookouts see in the open. */
export function exposure(places: readonly Spot[], from: readonly Spot[], table: TableView): number {
  if (from.length === 0) return 0;
  return places.reduce((sum, at) => {
    const seen = from.filter((eye) => table.terrain.every((piece) => !hides(piece, eye, at))).length / from.length;
    const covered = groundAt([at], table).some(({ piece }) => piece.cover !== '' && piece.cover !== 'none');
    return sum + seen * (covered ? IN_COVER : 1);
  }, 0);
}

/** Whether a piece hides a place from an eye: it blocks sight, or sight does not reach so far into it. */
function hides(piece: TerrainView, eye: Spot, at: Spot): boolean {
  if (piece.linear || piece.sight === 'clear' || piece.sight === '') return false;
  const spans = spansInside(eye, at, piece.outline);
  if (spans.length === 0) return false;
  const inside = spans.reduce((sum, [begin, end]) => sum + end - begin, 0) * distance(eye, at);
  if (piece.sight === 'solid') return inside > 0;
  if (piece.sight === 'occupied') return !contains(piece.outline, at) && !contains(piece.outline, eye);
  return inside > piece.sight_depth;
}

/**
 * The middles of a formation that is set down in a zone, the most sheltered first, apart from `friends`; the one that is suggested
 * is among them.
 */
export function sheltered(
  places: readonly Spot[],
  zone: readonly Spot[],
  from: readonly Spot[],
  friends: readonly Spot[],
  table: TableView,
): Spot[] {
  const here = centroid(places);
  const { left, right, bottom, top } = bounds(zone);
  const crowded = (spots: readonly Spot[]): number =>
    spots.filter((at) => friends.some((friend) => distance(at, friend) < APART)).length;
  const found: { at: Spot; cost: number }[] = [{ at: here, cost: exposure(places, from, table) + crowded(places) }];
  for (let x = left + PITCH / 2; x < right; x += PITCH) {
    for (let y = bottom + PITCH / 2; y < top; y += PITCH) {
      const moved = places.map((at): Spot => [at[0] + x - here[0], at[1] + y - here[1]]);
      if (!moved.every((at) => contains(zone, at))) continue;
      found.push({ at: [x, y], cost: exposure(moved, from, table) + crowded(moved) + distance(here, [x, y]) / FAR });
    }
  }
  return found.sort((a, b) => a.cost - b.cost).map(({ at }) => at);
}
