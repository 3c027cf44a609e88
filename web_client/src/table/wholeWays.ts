/** Conditions on all of a path: that it leads away, that it stays inside terrain. The server's `whole_ways.py` has the same. */
import {
  distance,
  segmentDistanceToOutline,
  segmentPointDistance,
  spansInside,
  toMil,
  type Border,
  type Span,
  type Spot,
} from '../lib/geometry';
import type { Base } from '../lib/paths';
import type { EndCondition, TableView, TerrainView, View } from '../lib/protocol';
import { bases, hulls, pieces, standing } from './world';

/** Mil of a leg that may lie between two pieces: where their outlines meet is rounded. */
const GAP = 1;

export type WholeWay = Extract<EndCondition, { type: 'away' | 'inside' }>;

/** Whether the figures of `unit` on bases that go these paths (starts left out) meet `condition`. */
export function keepsTo(
  view: View,
  table: TableView,
  unit: string,
  paths: Readonly<Record<string, readonly Spot[]>>,
  condition: WholeWay,
): boolean {
  const figures = standing(view.units[unit]);
  const wayOf = (figure: (typeof figures)[number]): Spot[] => [figure.at, ...(paths[figure.id] ?? [])];
  if (condition.type === 'inside') {
    const areas = pieces(table, condition.pieces).filter((piece) => !piece.linear);
    return figures.every((figure) => legs(wayOf(figure)).every(([a, b]) => inside(a, b, areas)));
  }
  const near = { bases: bases(view, { only: condition.units }), hulls: hulls(view, { only: condition.units }) };
  return figures.every((figure) => goesAway(wayOf(figure), figure.radius, near));
}

function legs(way: readonly Spot[]): [Spot, Spot][] {
  return way.slice(1).map((b, i) => [way[i] as Spot, b]);
}

interface Foes {
  readonly bases: readonly Base[];
  readonly hulls: readonly Border[];
}

/** Whether a way (start included) ends farther from the nearest of these than it began, and never comes nearer. */
function goesAway(way: readonly Spot[], radius: number, foes: Foes): boolean {
  const start = way[0] as Spot;
  const end = way[way.length - 1] as Spot;
  const began = off(start, start, radius, foes);
  if (began === Infinity) return true;
  if (toMil(off(end, end, radius, foes)) <= toMil(began)) return false;
  return legs(way).every(([a, b]) => toMil(off(a, b, radius, foes)) >= toMil(began));
}

/** Mil from the edge of a base that goes from `a` to `b` to the nearest of these. */
function off(a: Spot, b: Spot, radius: number, foes: Foes): number {
  return Math.min(
    ...foes.bases.map((base) => segmentPointDistance(a, b, base.at) - radius - base.radius),
    ...foes.hulls.map((hull) => segmentDistanceToOutline(a, b, hull, false) - radius),
  );
}

/** Whether all of a leg lies inside pieces, their borders included. */
function inside(a: Spot, b: Spot, areas: readonly TerrainView[]): boolean {
  const spans: Span[] = areas.flatMap((piece) => spansInside(a, b, piece.outline, true));
  spans.sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  const length = distance(a, b);
  let far = 0;
  for (const [start, end] of spans) {
    if ((start - far) * length > GAP) return false;
    far = Math.max(far, end);
  }
  return (1 - far) * length <= GAP;
}
