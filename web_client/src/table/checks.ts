/**
 * Whether a value answers a parameter, as far as the browser can tell: the same questions in the same order as the
 * server's `prompts.check`, so that what looks legal while it is dragged is taken when it is sent.
 */
import type {
  DirectionParameter,
  EndCondition,
  FiguresParameter,
  PathParameter,
  PlacementParameter,
  Point,
  TableView,
  TerrainView,
  UnitParameter,
  View,
} from '../protocol';
import {
  atMost,
  contains,
  distanceToOutline,
  edges,
  gap,
  inches,
  segmentPointDistance,
  surelyFar,
  toMil,
  turnFrom,
  type Border,
  type Spot,
} from './geometry';
import { largestGap, onTable, overlaps, pathCost, pathFaults, type Base } from './paths';
import { bases, living, pieces, standing } from './world';

/** What is wrong with a value: a sentence for people, the rule behind it, and for figures which one and where. */
export interface Fault {
  sentence: string;
  rule: string;
  where?: Point;
  figure?: string;
}

/** How far apart (mil) two bases may be and still touch. */
export const TOUCH = 20;

type Paths = Readonly<Record<string, readonly Spot[]>>;

/** Where each living figure stands after its path, keyed by figure. */
export function endPlaces(view: View, unit: string, paths: Paths): Map<string, Base> {
  const ends = new Map<string, Base>();
  for (const figure of standing(view.units[unit])) {
    const path = paths[figure.id];
    ends.set(figure.id, { at: path?.at(-1) ?? figure.at, radius: figure.radius });
  }
  return ends;
}

/** What a figure's whole path (its start included) uses up of the allowance, in whole mil. */
export function cost(table: TableView, parameter: PathParameter, whole: readonly Spot[]): number {
  const numbers = new Map(parameter.costly);
  const costly: [TerrainView, number][] = [];
  for (const piece of table.terrain) {
    const number = numbers.get(piece.id);
    if (number !== undefined) costly.push([piece, number]);
  }
  return toMil(pathCost(whole, costly));
}

/** What is wrong with the way of one figure (its start included), its end aside; null when it is legal. */
export function wayFault(
  view: View,
  table: TableView,
  parameter: PathParameter,
  figure: { id: string; radius: number },
  whole: readonly Spot[],
): Fault | null {
  const barred = pieces(table, parameter.barred);
  const enemies = bases(view, { only: parameter.avoid });
  const fault = pathFaults(whole, figure.radius, [table.width, table.height], barred, enemies);
  const rule = parameter.allowance_rule;
  if (fault) {
    const name = barred.find((piece) => piece.id === fault.piece)?.name ?? 'ground';
    const sentence = {
      table: 'The path leaves the table.',
      impassable: `The path runs into ${name}, which cannot be crossed.`,
      base: 'The path runs through a base; go around it.',
    }[fault.kind];
    return { sentence, rule, where: fault.at, figure: figure.id };
  }
  const used = cost(table, parameter, whole);
  if (used > parameter.allowance) {
    const sentence = `The path uses ${inches(used, true)} inches of movement; there are ${inches(parameter.allowance)}.`;
    return { sentence, rule, where: asPoint(whole[whole.length - 1]!), figure: figure.id };
  }
  return null;
}

/** Everything wrong with the declared paths of a unit (figures left out stay where they are). */
export function pathFaultsOf(view: View, table: TableView, parameter: PathParameter, paths: Paths): Fault[] {
  const figures = standing(view.units[parameter.unit]);
  const moving = figures.filter((figure) => (paths[figure.id]?.length ?? 0) > 0);
  if (moving.length === 0 && parameter.may_stay) return [];
  const faults: Fault[] = [];
  for (const figure of moving) {
    const fault = wayFault(view, table, parameter, figure, [figure.at, ...paths[figure.id]!]);
    if (fault) faults.push(fault);
  }
  return [...faults, ...endFaults(view, table, parameter, endPlaces(view, parameter.unit, paths))];
}

/** Everything wrong with where the figures of a unit end. */
export function endFaults(
  view: View,
  table: TableView,
  parameter: PathParameter,
  ends: ReadonlyMap<string, Base>,
): Fault[] {
  const faults: Fault[] = [];
  const taken = bases(view, { without: [parameter.unit] });
  for (const [id, base] of ends) {
    if (overlaps(base.at, base.radius, taken)) {
      const rule = parameter.allowance_rule;
      faults.push({ sentence: 'A figure would end on another base.', rule, where: asPoint(base.at), figure: id });
    }
    taken.push(base);
  }
  if (parameter.gap > 0) {
    const widest = largestGap([...ends.values()]);
    if (widest > parameter.gap) faults.push(apartFault(widest, parameter.gap, parameter.gap_rule));
  }
  for (const rule of parameter.ends) {
    if (!rule.any_of.some((condition) => meets(view, table, parameter.unit, ends, condition))) {
      faults.push({ sentence: rule.why.sentence, rule: rule.why.rule });
    }
  }
  return faults;
}

function apartFault(widest: number, limit: number, rule: string): Fault {
  const sentence = `The figures would be ${inches(widest, true)} inches apart; they may be at most ${inches(limit)}.`;
  return { sentence, rule };
}

/** Whether figures of `unit` that stand at `ends` meet `condition`. */
export function meets(
  view: View,
  table: TableView,
  unit: string,
  ends: ReadonlyMap<string, Base>,
  condition: EndCondition,
): boolean {
  if (condition.type === 'farther') {
    const threats = bases(view, { only: condition.units });
    if (threats.length === 0) return true;
    const began = new Map(standing(view.units[unit]).map((figure) => [figure.id, figure]));
    return [...ends].every(([id, end]) => {
      const start = began.get(id);
      return !start || nearestGap(end, threats) > nearestGap(start, threats);
    });
  }
  if (condition.type === 'in_terrain') {
    const wanted = pieces(table, condition.pieces);
    let count = 0;
    for (const end of ends.values()) if (wanted.some((piece) => standsIn(end, piece, condition.reach))) count += 1;
    return count >= condition.figures;
  }
  const touchable = bases(view, { only: condition.units });
  return [...ends.values()].some((end) => touchable.some((other) => touches(end, other)));
}

/** Whether two bases are in contact. */
export function touches(one: Base, other: Base): boolean {
  return toMil(gap(one.at, one.radius, other.at, other.radius)) <= TOUCH;
}

/** Whether a base is in an area with its centre, or with its edge within `reach` of a line. */
export function standsIn(base: Base, piece: TerrainView, reach: number): boolean {
  if (piece.linear) return atMost(distanceToOutline(base.at, piece.outline, true) - base.radius, reach);
  return contains(piece.outline, base.at);
}

function nearestGap(base: Base, others: readonly Base[]): number {
  return Math.min(...others.map((other) => toMil(gap(base.at, base.radius, other.at, other.radius))));
}

// --- placement ---

type Places = readonly Readonly<Record<string, Spot>>[];

/** Everything wrong with where the figures of the units are placed. */
export function placementFaults(view: View, table: TableView, parameter: PlacementParameter, places: Places): Fault[] {
  const faults: Fault[] = [];
  const taken = bases(view, { without: parameter.units });
  parameter.units.forEach((unit, index) => {
    const own: Base[] = [];
    for (const { id, radius } of living(view.units[unit])) {
      const at = places[index]?.[id];
      if (!at) {
        faults.push({ sentence: 'Every figure needs a place.', rule: '', figure: id });
        continue;
      }
      const fault = placeFault(table, parameter, id, { at, radius }, taken);
      if (fault) faults.push(fault);
      taken.push({ at, radius });
      own.push({ at, radius });
    }
    const limit = parameter.gaps[index] ?? 0;
    const widest = largestGap(own);
    if (widest > limit) faults.push(apartFault(widest, limit, parameter.gap_rule));
  });
  return faults;
}

/** What is wrong with the place of one figure; null when it may stand there. */
export function placeFault(
  table: TableView,
  parameter: PlacementParameter,
  figure: string,
  base: Base,
  taken: readonly Base[],
): Fault | null {
  const where = asPoint(base.at);
  if (!onTable(base.at, base.radius, [table.width, table.height]) || !inZone(base, parameter.zone)) {
    return { sentence: 'A figure must stand wholly inside the deployment zone.', rule: '', where, figure };
  }
  for (const piece of pieces(table, parameter.barred)) {
    if (surelyFar(base.at, base.at, piece.outline, base.radius + 1)) continue;
    if (toMil(distanceToOutline(base.at, piece.outline, piece.linear)) < base.radius) {
      return { sentence: `A figure cannot stand in ${piece.name}.`, rule: '', where, figure };
    }
  }
  if (overlaps(base.at, base.radius, taken)) {
    return { sentence: 'A figure would stand on another base.', rule: '', where, figure };
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

// --- the rest ---

/** What is wrong with naming `unit`. */
export function unitFaults(parameter: UnitParameter, unit: string): Fault[] {
  const candidate = parameter.candidates.find((one) => one.unit === unit);
  if (!candidate) return [{ sentence: 'That unit is not among those that can be named.', rule: '' }];
  return candidate.why ? [{ sentence: candidate.why.sentence, rule: candidate.why.rule }] : [];
}

/** What is wrong with picking these figures: too few or too many. */
export function figuresFaults(parameter: FiguresParameter, picked: readonly string[]): Fault[] {
  const { least, most } = parameter;
  if (least <= picked.length && picked.length <= most) return [];
  const wanted = least === most ? `${least}` : `${least} to ${most}`;
  return [{ sentence: `Pick ${wanted}; ${picked.length} picked so far.`, rule: '' }];
}

/** What is wrong with a direction: too far to a side. */
export function directionFaults(parameter: DirectionParameter, angle: number): Fault[] {
  if (Math.abs(turnFrom(parameter.middle, angle)) <= parameter.spread) return [];
  return [{ sentence: `At most ${parameter.spread / 100} degrees to either side.`, rule: '' }];
}

function asPoint(p: Spot): Point {
  return [p[0], p[1]];
}
