/** What each side began with and what was left, unit by unit. */
import type { UnitView, View } from '../lib/protocol';

export interface UnitLoss {
  unit: string;
  name: string;
  number: number;
  began: number;
  fallen: number;
  /** Figures that were still in the game. */
  left: number;
  /** A vehicle is lost as a whole. */
  vehicle: boolean;
  /** Why it was out of the game at the end; "" if it was still in it. */
  gone: string;
}

export interface SideLoss {
  side: string;
  name: string;
  began: number;
  fallen: number;
  left: number;
  units: UnitLoss[];
}

/**
 * The losses of each side.
 *
 * @param end how it ended
 * @param start how its first turn began, if that is known, and if there was one: units that are told of only there are gone
 */
export function losses(end: View, start: View | null = null): SideLoss[] {
  const units: Record<string, UnitView> = { ...start?.units, ...end.units };
  return Object.entries(end.sides).map(([side, { name }]) => {
    const own = Object.entries(units)
      .filter(([, unit]) => unit.side === side)
      .sort(([, a], [, b]) => a.number - b.number)
      .map(([id, unit]) => loss(id, unit, start?.units[id], id in end.units));
    const sum = (of: 'began' | 'fallen' | 'left'): number => own.reduce((total, unit) => total + unit[of], 0);
    return { side, name, began: sum('began'), fallen: sum('fallen'), left: sum('left'), units: own };
  });
}

function loss(id: string, unit: UnitView, first: UnitView | undefined, known: boolean): UnitLoss {
  const figures = Object.values(unit.figures);
  const began = Math.max(figures.length, Object.keys(first?.figures ?? {}).length);
  const standing = known ? figures.filter((figure) => !figure.fallen).length : 0;
  return {
    unit: id,
    name: unit.name,
    number: unit.number,
    began,
    fallen: began - standing,
    // The figures of a unit that has left went with it; they have not fallen.
    left: unit.left ? 0 : standing,
    vehicle: figures.some((figure) => figure.hull),
    gone: unit.left,
  };
}
