/** Bases, hulls, terrain and sides, read from a view for dragging and checking. */
import { centroid, distance, gap, type Border, type Spot } from '../lib/geometry';
import { baseToOutline, off, outline, outlineToOutline, type Hull } from '../lib/hulls';
import type { Neighbour } from '../lib/obstacles';
import type { Base } from '../lib/paths';
import type { Up } from './up';
import type { FigureView, TableView, TerrainView, UnitView, View } from '../lib/protocol';

/** What stands somewhere: on a round base, or a vehicle with its hull. */
export interface Body extends Base {
  readonly hull: Hull | null;
  readonly facing: number;
}

/** A living figure that stands on the table: on a round base, or a vehicle (it has a `hull`), whose radius is no base's. */
export interface Standing extends Body {
  readonly id: string;
  readonly role: string;
  readonly sign: string;
  readonly conditions: readonly string[];
}

/** The living figures of a unit that stand on the table, in the view's order. */
export const standing = (unit: UnitView | undefined): Standing[] => onTable(unit, false);

/** The figures of a unit that have fallen, where they lie. */
export const lying = (unit: UnitView | undefined): Standing[] => onTable(unit, true);

function onTable(unit: UnitView | undefined, fallen: boolean): Standing[] {
  if (!unit || unit.left) return [];
  const found: Standing[] = [];
  for (const [id, figure] of Object.entries(unit.figures)) {
    if (figure.at !== null && figure.fallen === fallen)
      found.push({
        id,
        at: figure.at,
        radius: figure.radius,
        role: figure.role,
        sign: figure.sign,
        hull: hullOf(figure),
        facing: figure.facing,
        conditions: figure.conditions,
      });
  }
  return found;
}

/** The size of a figure's hull; null for one on a base. */
export function hullOf(figure: FigureView): Hull | null {
  return figure.hull ? { length: figure.hull[0], width: figure.hull[1] } : null;
}

/** A unit's vehicle on the table; null for a unit on foot, and for one that is not there. */
export function vehicle(unit: UnitView | undefined): (Standing & { hull: Hull }) | null {
  for (const figure of standing(unit)) if (figure.hull) return { ...figure, hull: figure.hull };
  return null;
}

/** The ground that a figure takes up, if it has a hull. */
export function covered(figure: { at: Spot; hull: Hull | null; facing: number }): Border | null {
  return figure.hull && outline({ at: figure.at, facing: figure.facing }, figure.hull);
}

/** How far (mil) a figure reaches from its middle towards each edge of the table: to the sides, and up and down. */
export function extent(figure: { radius: number; hull: Hull | null; facing: number }): Spot {
  if (!figure.hull) return [figure.radius, figure.radius];
  const turn = ((figure.facing / 100) * Math.PI) / 180;
  const [x, y] = [Math.abs(Math.cos(turn)) / 2, Math.abs(Math.sin(turn)) / 2];
  const { length, width } = figure.hull;
  return [length * x + width * y, length * y + width * x];
}

/** A unit's living figures, on the table or not: their bases' radii, their hulls. */
export function living(
  unit: UnitView | undefined,
): { id: string; radius: number; role: string; sign: string; hull: Hull | null; facing: number }[] {
  if (!unit) return [];
  return Object.entries(unit.figures)
    .filter(([, figure]) => !figure.fallen)
    .map(([id, figure]) => ({
      id,
      radius: figure.radius,
      role: figure.role,
      sign: figure.sign,
      hull: hullOf(figure),
      facing: figure.facing,
    }));
}

/** Which units are meant: those in `only` if given, and never those in `without`. */
interface Which {
  without?: readonly string[];
  only?: readonly string[];
}

/** The round bases on the table, of these units. */
export function bases(view: View, which: Which): Base[] {
  return figures(view, which).filter((figure) => figure.hull === null);
}

/** The outlines of the hulls on the table, of these units. */
export function hulls(view: View, which: Which): Border[] {
  return figures(view, which)
    .map(covered)
    .filter((ground) => ground !== null);
}

/** These units, with the bases and hulls of theirs that stand on the table. */
export function neighbours(view: View, which: Which): Neighbour[] {
  return units(view, which).map(([unit, unitView]) => {
    const figures = standing(unitView);
    const grounds = figures.map(covered).filter((ground) => ground !== null);
    return { unit, bases: figures.filter((figure) => figure.hull === null), hulls: grounds };
  });
}

function figures(view: View, which: Which): Standing[] {
  return units(view, which).flatMap(([, unit]) => standing(unit));
}

function units(view: View, { without = [], only }: Which): [string, UnitView][] {
  return Object.entries(view.units).filter(([id]) => !without.includes(id) && (!only || only.includes(id)));
}

/** The units that a vehicle carries, with their ids. */
export function aboard(view: View, vehicle: string): [string, UnitView][] {
  return Object.entries(view.units).filter(([, unit]) => unit.aboard === vehicle && !unit.left);
}

const wholes = new WeakMap<View['terrain'], readonly [TableView, View['gone'], TableView]>();

/**
 * The table with the terrain that came about in play, and without what is there no more; a piece that became another one has its
 * id. The same as long as neither changes.
 */
export function wholeTable(table: TableView, view: View): TableView {
  const { terrain: added, gone } = view;
  if (Object.keys(added).length === 0 && gone.length === 0) return table;
  const known = wholes.get(added);
  if (known?.[0] === table && known[1] === gone) return known[2];
  const left = table.terrain.filter((piece) => !added[piece.id] && !gone.includes(piece.id));
  const whole = { ...table, terrain: [...left, ...Object.values(added)] };
  wholes.set(added, [table, gone, whole]);
  return whole;
}

/** The pieces of these ids, in the table's order. */
export function pieces(table: TableView, ids: readonly string[]): TerrainView[] {
  const wanted = new Set(ids);
  return table.terrain.filter((piece) => wanted.has(piece.id));
}

/** The middle of a unit's standing figures; null when none stands on the table. */
export function middle(unit: UnitView | undefined): Spot | null {
  const figures = standing(unit);
  return figures.length > 0 ? centroid(figures.map((figure) => figure.at)) : null;
}

/** What a unit is called in lists and labels: the side's letter, its number, its name. */
export function shortName(view: View, unit: UnitView): string {
  return `${view.sides[unit.side]?.letter ?? ''}${unit.number}`;
}

/** The side that a seat plays; "" for spectators. */
export function sideOf(view: View, seat: string): string {
  return view.seats[seat]?.side ?? '';
}

/** Mil from `p` to a figure's edge: below 0 inside a base, 0 inside a hull. */
export function distanceTo(p: Spot, figure: { at: Spot; radius: number; hull: Hull | null; facing: number }): number {
  const ground = covered(figure);
  return ground ? off(p, ground) : distance(p, figure.at) - figure.radius;
}

/** Mil between the nearest edges of two figures, on bases or with hulls. */
export function distanceBetween(one: Body, other: Body): number {
  const [a, b] = [covered(one), covered(other)];
  if (a && b) return outlineToOutline(a, b);
  if (a) return baseToOutline(other, a);
  return b ? baseToOutline(one, b) : gap(one.at, one.radius, other.at, other.radius);
}

/** Mil from a figure's edge to `p`; 0 on its base or within its hull. */
export function distanceTowards(p: Spot, figure: Body): number {
  return Math.max(0, distanceTo(p, figure));
}

/** The unit and figure nearest to `p` within `reach` (mil) beyond the base's edge, of those that `wanted` admits. */
export function figureAt(
  view: View,
  p: Spot,
  reach: number,
  wanted: (unit: string, figure: string) => boolean = () => true,
  among: (unit: UnitView) => readonly Standing[] = standing,
): { unit: string; figure: string; at: Spot; radius: number } | null {
  let best: { unit: string; figure: string; at: Spot; radius: number } | null = null;
  let nearest = reach;
  for (const [unit, unitView] of Object.entries(view.units)) {
    for (const figure of among(unitView)) {
      const away = distanceTo(p, figure);
      if (away <= nearest && wanted(unit, figure.id)) {
        nearest = away;
        best = { unit, figure: figure.id, at: figure.at, radius: figure.radius };
      }
    }
  }
  return best;
}

/** How high the handle of a formation is, in pixels. */
export const HANDLE = 44;

/** Whether a handle above these bases would stand over the table's edge, where tools may cover it; `pixel` is in mil. */
export function nearTheTop(bases: readonly Round[], height: number, pixel: number, up: Up): boolean {
  const edge = up > 0 ? height : 0;
  return Math.max(...bases.map(({ at, radius }) => up * at[1] + radius)) + HANDLE_OFF + HANDLE * pixel > edge;
}

/**
 * Where the handle of a formation stands on a table that lies so: in the middle above its bases, or below them. `pixel` is how many
 * mil a pixel takes.
 */
export function nextToFigures(bases: readonly Round[], below: boolean, pixel: number, up: Up): Spot {
  const xs = bases.map(({ at }) => at[0]);
  const middle = (Math.min(...xs) + Math.max(...xs)) / 2;
  const heights = bases.map(({ at, radius }) => [up * at[1] - radius, up * at[1] + radius] as const);
  if (!below) return [middle, up * (Math.max(...heights.map(([, high]) => high)) + HANDLE_OFF)];
  return [middle, up * (Math.min(...heights.map(([low]) => low)) - HANDLE_OFF - HANDLE * pixel)];
}

type Round = Pick<Base, 'at' | 'radius'>;
const HANDLE_OFF = 250;
