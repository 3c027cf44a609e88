/** What stands where, read from a view: the bases, terrain and sides that dragging and checking need. */
import type { TableView, TerrainView, UnitView, View } from '../protocol';
import { centroid, distance, type Spot } from './geometry';
import type { Base } from './paths';

/** A living figure that stands on the table. */
export interface Standing extends Base {
  readonly id: string;
  readonly role: string;
}

/** The living figures of a unit that stand on the table, in the view's order. */
export function standing(unit: UnitView | undefined): Standing[] {
  if (!unit || unit.left) return [];
  const found: Standing[] = [];
  for (const [id, figure] of Object.entries(unit.figures)) {
    if (figure.at !== null && !figure.fallen)
      found.push({ id, at: figure.at, radius: figure.radius, role: figure.role });
  }
  return found;
}

/** The ids of a unit's living figures, on the table or not, with their radii. */
export function living(unit: UnitView | undefined): { id: string; radius: number; role: string }[] {
  if (!unit) return [];
  return Object.entries(unit.figures)
    .filter(([, figure]) => !figure.fallen)
    .map(([id, figure]) => ({ id, radius: figure.radius, role: figure.role }));
}

/** The bases on the table: of the units in `only` if given, and never of those in `without`. */
export function bases(
  view: View,
  { without = [], only }: { without?: readonly string[]; only?: readonly string[] },
): Base[] {
  const found: Base[] = [];
  for (const [id, unit] of Object.entries(view.units)) {
    if (without.includes(id) || (only && !only.includes(id))) continue;
    found.push(...standing(unit));
  }
  return found;
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

/** The unit and figure nearest to `p` within `reach` (mil) beyond the base's edge, of those that `wanted` admits. */
export function figureAt(
  view: View,
  p: Spot,
  reach: number,
  wanted: (unit: string, figure: string) => boolean = () => true,
): { unit: string; figure: string; at: Spot; radius: number } | null {
  let best: { unit: string; figure: string; at: Spot; radius: number } | null = null;
  let nearest = reach;
  for (const [unit, unitView] of Object.entries(view.units)) {
    for (const figure of standing(unitView)) {
      const off = distance(p, figure.at) - figure.radius;
      if (off <= nearest && wanted(unit, figure.id)) {
        nearest = off;
        best = { unit, figure: figure.id, at: figure.at, radius: figure.radius };
      }
    }
  }
  return best;
}
