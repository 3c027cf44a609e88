/** Ghosts of units: where a player imagines them to stand. Places are mil, facings hundredths of a degree. */
import { FULL_TURN, centroid, direction, distance, toPoint, turnFrom, turned, type Spot } from '../lib/geometry';
import type { Point, TableView, UnitView, View } from '../lib/protocol';
import { extent, living, standing, type Standing } from '../table/world';

/** Where a unit is imagined: a place for each of its living figures, and a facing for each that has a hull. */
export interface Ghost {
  readonly places: Readonly<Record<string, Point>>;
  readonly facings: Readonly<Record<string, number>>;
}

export type Ghosts = Readonly<Record<string, Ghost>>;

/** What is left free between figures that are put somewhere in a block. */
const BLOCK_GAP = 500;

/** A unit's ghost where the unit stands; null while it is not on the table. */
export function ghostOf(unit: UnitView): Ghost | null {
  const figures = standing(unit);
  if (figures.length === 0) return null;
  return {
    places: Object.fromEntries(figures.map(({ id, at }) => [id, toPoint(at)])),
    facings: Object.fromEntries(figures.filter(({ hull }) => hull).map(({ id, facing }) => [id, facing])),
  };
}

/** A unit's ghost in a block round `at`, for one that is not on the table. */
export function blockAt(unit: UnitView, at: Spot, table: TableView): Ghost {
  const figures = living(unit);
  const wide = Math.max(1, Math.ceil(Math.sqrt(figures.length)));
  const pitch = Math.max(...figures.map((figure) => 2 * Math.max(...extent(figure)))) + BLOCK_GAP;
  const middle = (count: number): number => ((count - 1) * pitch) / 2;
  const block: Ghost = {
    places: Object.fromEntries(
      figures.map(({ id }, i) => [
        id,
        toPoint([
          at[0] + (i % wide) * pitch - middle(wide),
          at[1] - Math.floor(i / wide) * pitch + middle(Math.ceil(figures.length / wide)),
        ]),
      ]),
    ),
    facings: Object.fromEntries(figures.filter(({ hull }) => hull).map(({ id, facing }) => [id, facing])),
  };
  return shifted(unit, block, [0, 0], table);
}

/** The ghost moved by `by`, in each direction as far as all of it stays on the table. */
export function shifted(unit: UnitView, ghost: Ghost, by: Spot, table: TableView): Ghost {
  let [left, right, down, up] = [-Infinity, Infinity, -Infinity, Infinity];
  for (const { at, ...figure } of ghostly(unit, ghost)) {
    const [x, y] = extent(figure);
    left = Math.max(left, x - at[0]);
    right = Math.min(right, table.width - x - at[0]);
    down = Math.max(down, y - at[1]);
    up = Math.min(up, table.height - y - at[1]);
  }
  const dx = Math.min(Math.max(by[0], left), right);
  const dy = Math.min(Math.max(by[1], down), up);
  return onTable(ghost, table, ([x, y]) => [x + dx, y + dy]);
}

/** The ghost with one figure at `to`, or as near to it as it stays on the table. */
export function put(unit: UnitView, ghost: Ghost, id: string, to: Spot, table: TableView): Ghost {
  const figure = ghostly(unit, ghost).find((one) => one.id === id);
  if (!figure) return ghost;
  const [x, y] = extent(figure);
  const at = toPoint([Math.min(Math.max(to[0], x), table.width - x), Math.min(Math.max(to[1], y), table.height - y)]);
  return { ...ghost, places: { ...ghost.places, [id]: at } };
}

/** The ghost turned by `angle`: a hull where it stands, figures on bases round their middle. */
export function spun(unit: UnitView, ghost: Ghost, angle: number, table: TableView): Ghost {
  const facings = Object.fromEntries(Object.entries(ghost.facings).map(([id, facing]) => [id, whole(facing + angle)]));
  if (Object.keys(facings).length > 0) return shifted(unit, { ...ghost, facings }, [0, 0], table);
  const centre = middleOf(ghost);
  const round = onTable(ghost, null, (at) => turned(at, centre, angle));
  return shifted(unit, round, [0, 0], table);
}

/** The ghost with its hull facing the place `to`. */
export function facing(unit: UnitView, ghost: Ghost, to: Spot, table: TableView): Ghost {
  const centre = middleOf(ghost);
  if (distance(centre, to) < 1) return ghost;
  const facings = Object.fromEntries(Object.keys(ghost.facings).map((id) => [id, whole(direction(centre, to))]));
  return shifted(unit, { ...ghost, facings }, [0, 0], table);
}

export const middleOf = (ghost: Ghost): Spot => centroid(Object.values(ghost.places));

/** How far from where they stand the figures are imagined. */
export interface Displacement {
  /** Mil that the figure which goes farthest goes, straight. */
  readonly far: number;
  /** Whether all go as far. */
  readonly alike: boolean;
  /** Hundredths of a degree by which a hull is turned, to the left or the right. */
  readonly turn: number;
}

/** What lies between a unit and its ghost; null for a unit that is not on the table. */
export function displacement(unit: UnitView, ghost: Ghost): Displacement | null {
  const figures = standing(unit);
  if (figures.length === 0) return null;
  const ways = figures.flatMap(({ id, at }) => (ghost.places[id] ? [Math.round(distance(at, ghost.places[id]))] : []));
  const turns = figures.map(({ id, facing }) => Math.abs(turnFrom(facing, ghost.facings[id] ?? facing)));
  const far = Math.max(0, ...ways);
  // A mil is what rounding makes of it.
  return { far, alike: ways.every((way) => far - way <= 2), turn: Math.max(0, ...turns) };
}

/** The unit's figures as they are imagined. */
export function ghostly(unit: UnitView, ghost: Ghost): Standing[] {
  return standing(imagined(unit, ghost));
}

/** The unit as it is imagined, for what draws and measures units. */
export function imagined(unit: UnitView, ghost: Ghost): UnitView {
  const figures = Object.entries(unit.figures).map(([id, figure]) => {
    const at = ghost.places[id];
    const told = at ? { ...figure, at, facing: ghost.facings[id] ?? figure.facing } : figure;
    return [id, told] as const;
  });
  return { ...unit, aboard: '', figures: Object.fromEntries(figures) };
}

const MARK = 'ghost of ';

/** The key of a unit's ghost in `haunted`; no unit has it. */
export const ghostKey = (unit: string): string => MARK + unit;

/** The unit whose ghost has this key in `haunted`; null for a unit itself. */
export const ghostsUnit = (key: string): string | null => (key.startsWith(MARK) ? key.slice(MARK.length) : null);

/** The view with the ghosts as further units in it: one measures from and to either. */
export function haunted(view: View, ghosts: Ghosts): View {
  const found = Object.entries(ghosts).flatMap(([id, ghost]) => {
    const unit = view.units[id];
    return unit ? [[ghostKey(id), imagined(unit, ghost)] as const] : [];
  });
  return found.length === 0 ? view : { ...view, units: { ...view.units, ...Object.fromEntries(found) } };
}

/** The ghosts of those who are still there: figures that fell have none, nor units that left or stand where it is. */
export function kept(ghosts: Ghosts, view: View): Ghosts {
  let changed = false;
  const left: Record<string, Ghost> = {};
  for (const [id, ghost] of Object.entries(ghosts)) {
    const unit = view.units[id];
    const still = new Set(unit && !unit.left ? living(unit).map((figure) => figure.id) : []);
    const only = <Value>(values: Readonly<Record<string, Value>>): Record<string, Value> =>
      Object.fromEntries(Object.entries(values).filter(([figure]) => still.has(figure)));
    const places = only(ghost.places);
    const own = { places, facings: only(ghost.facings) };
    const way = unit ? displacement(unit, own) : null;
    const there = way !== null && way.far === 0 && way.turn === 0;
    if (Object.keys(places).length === 0 || there) {
      changed = true;
    } else if (Object.keys(places).length === Object.keys(ghost.places).length) {
      left[id] = ghost;
    } else {
      left[id] = own;
      changed = true;
    }
  }
  return changed ? left : ghosts;
}

function onTable(ghost: Ghost, table: TableView | null, move: (at: Spot) => Spot): Ghost {
  const places = Object.entries(ghost.places).map(([id, at]) => {
    const [x, y] = toPoint(move(at));
    // What is larger than the table has its middle on it.
    const inside: Point = table ? [clamp(x, table.width), clamp(y, table.height)] : [x, y];
    return [id, inside] as const;
  });
  return { ...ghost, places: Object.fromEntries(places) };
}

const clamp = (value: number, most: number): number => Math.min(Math.max(value, 0), most);

const whole = (angle: number): number => ((Math.round(angle) % FULL_TURN) + FULL_TURN) % FULL_TURN;
