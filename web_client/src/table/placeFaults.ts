/** Whether units may be put on the table as they are, as `checks.ts` does it for the other kinds of value. */
import {
  contains,
  distanceToOutline,
  edges,
  inches,
  segmentPointDistance,
  segmentsMeet,
  surelyFar,
  toMil,
  type Border,
  type Spot,
} from '../lib/geometry';
import { hullOverlaps, insideTable, outline, runsInto, smaller, type Hull, type Pose } from '../lib/hulls';
import { largestGap, onTable, overlaps, type Base } from '../lib/paths';
import type { PlacementParameter, TableView, View } from '../lib/protocol';
import { apartFault, asPoint, type Fault } from './faults';
import { bases, hulls, living, pieces } from './world';

type Places = readonly Readonly<Record<string, Spot>>[];
type Facings = readonly Readonly<Record<string, number>>[];

/** Where a unit may be put down: inside a zone, off some terrain pieces (by their ids). */
export interface Room {
  readonly zone: Border;
  readonly barred: readonly string[];
}

/** Where the unit of this index may be put down. */
export const roomOf = (parameter: PlacementParameter, index: number): Room => ({
  zone: parameter.zone,
  barred: parameter.barred[index] ?? [],
});

/** Everything wrong with where the figures of the units are placed; hulls left out of `facings` face as suggested. */
export function placementFaults(
  view: View,
  table: TableView,
  parameter: PlacementParameter,
  places: Places,
  facings: Facings = [],
): Fault[] {
  const faults: Fault[] = [];
  const taken = bases(view, { without: parameter.units });
  const vehicles = hulls(view, { without: parameter.units });
  const avoided = bases(view, { only: parameter.avoid });
  const avoidedHulls = hulls(view, { only: parameter.avoid });
  parameter.units.forEach((unit, index) => {
    const own: Base[] = [];
    const standing = new Map<string, Base>();
    const room = roomOf(parameter, index);
    for (const { id, radius, hull, facing } of living(view.units[unit])) {
      const at = places[index]?.[id];
      if (!at) {
        faults.push({ sentence: 'Every figure needs a place.', rule: '', figure: id });
        continue;
      }
      if (hull) {
        const faces = facings[index]?.[id] ?? parameter.facings[index]?.[id] ?? facing;
        const fault = parkFault(table, room, id, { at, facing: faces }, hull, taken, vehicles);
        if (fault) faults.push(fault);
        vehicles.push(outline({ at, facing: faces }, hull));
        continue;
      }
      const base = { at, radius };
      const fault =
        placeFault(table, room, id, base, taken, vehicles) ??
        nearFault(parameter, id, base, avoided, avoidedHulls) ??
        objectiveFault(view, parameter, id, base);
      if (fault) faults.push(fault);
      taken.push({ at, radius });
      own.push({ at, radius });
      standing.set(id, { at, radius });
    }
    const limit = parameter.gaps[index] ?? 0;
    const widest = largestGap(own);
    if (limit > 0 && widest > limit) faults.push(apartFault(widest, limit, parameter.gap_rule));
    for (const bond of parameter.bonds.filter((one) => one.unit === unit)) {
      const torn = largestGap(bond.figures.flatMap((id) => standing.get(id) ?? []));
      if (torn > bond.gap) faults.push(apartFault(torn, bond.gap, bond.rule, bond.name));
    }
  });
  return faults;
}

/** What is wrong with a figure on a base that ought to keep clear of others. */
function nearFault(
  { clear, clear_rule: rule }: PlacementParameter,
  figure: string,
  { at, radius }: Base,
  others: readonly Base[],
  vehicles: readonly Border[],
): Fault | null {
  if (clear === 0 || !overlaps(at, radius + clear, others, vehicles)) return null;
  return { sentence: `A figure would stand within ${inches(clear)}" of an enemy.`, rule, where: asPoint(at), figure };
}

/** What is wrong with a figure on a base that ought to keep clear of the middles of objectives. */
function objectiveFault(
  view: View,
  { avoid, clear, clear_rule: rule }: PlacementParameter,
  figure: string,
  { at, radius }: Base,
): Fault | null {
  const near = avoid
    .flatMap((id) => view.objectives[id] ?? [])
    .find((one) => overlaps(at, radius + clear, [{ at: one.at, radius: 0 }]));
  if (!near) return null;
  return { sentence: `It would lie within ${inches(clear)}" of ${near.name}.`, rule, where: asPoint(at), figure };
}

/** What is wrong with the place of one figure on a base; null when it may stand there. */
export function placeFault(
  table: TableView,
  room: Room,
  figure: string,
  base: Base,
  taken: readonly Base[],
  vehicles: readonly Border[] = [],
): Fault | null {
  const where = asPoint(base.at);
  if (!onTable(base.at, base.radius, [table.width, table.height]) || !inZone(base, room.zone)) {
    return { sentence: 'A figure must stand wholly inside the marked zone.', rule: '', where, figure };
  }
  for (const piece of pieces(table, room.barred)) {
    if (surelyFar(base.at, base.at, piece.outline, base.radius + 1)) continue;
    if (toMil(distanceToOutline(base.at, piece.outline, piece.linear)) < base.radius) {
      return { sentence: `A figure cannot stand in ${piece.name}.`, rule: '', where, figure };
    }
  }
  if (overlaps(base.at, base.radius, taken)) {
    return { sentence: 'A figure would stand on another base.', rule: '', where, figure };
  }
  if (overlaps(base.at, base.radius, [], vehicles)) {
    return { sentence: 'A figure would stand in a vehicle.', rule: '', where, figure };
  }
  return null;
}

/** What is wrong with how one vehicle stands; null when it may. */
export function parkFault(
  table: TableView,
  room: Room,
  figure: string,
  pose: Pose,
  hull: Hull,
  taken: readonly Base[],
  vehicles: readonly Border[],
): Fault | null {
  const where = asPoint(pose.at);
  const inner = outline(pose, smaller(hull));
  if (!insideTable(inner, [table.width, table.height]) || !hullInZone(inner, room.zone)) {
    return { sentence: 'A vehicle must stand wholly inside the marked zone.', rule: '', where, figure };
  }
  const piece = pieces(table, room.barred).find((one) => runsInto(inner, one.outline, one.linear));
  if (piece) return { sentence: `The vehicle cannot stand in ${piece.name}.`, rule: '', where, figure };
  if (hullOverlaps(outline(pose, hull), taken, vehicles)) {
    return { sentence: 'The vehicle would stand on a figure or another vehicle.', rule: '', where, figure };
  }
  return null;
}

/** Whether a base stands wholly inside the polygon `zone`. */
export function inZone(base: Base, zone: Border): boolean {
  return (
    contains(zone, base.at) &&
    edges(zone, false).every(([a, b]) => toMil(segmentPointDistance(a, b, base.at)) >= base.radius)
  );
}

/** Whether a hull stands wholly inside the polygon `zone`. */
export function hullInZone(hull: Border, zone: Border): boolean {
  const sides = edges(hull, false);
  return (
    hull.every((corner) => contains(zone, corner)) &&
    !edges(zone, false).some(([p, q]) => sides.some(([a, b]) => segmentsMeet(a, b, p, q)))
  );
}
