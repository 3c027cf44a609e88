/**
 * Whether a value answers a parameter, as far as the browser can tell: the same questions in the same order as the
 * server's `prompts.check`, so that what looks legal while it is dragged is taken when it is sent. Placements are judged in
 * `placeFaults.ts`, assignments and stops in `givenFaults.ts`.
 */
import {
  atMost,
  contains,
  crossings,
  direction,
  distance,
  distanceToOutline,
  gap,
  inches,
  toMil,
  turnFrom,
  type Border,
  type Spot,
} from '../lib/geometry';
import { driveFault, endPose, entered } from '../lib/driving';
import { baseToOutline, outline, outlineToOutline, type Hull } from '../lib/hulls';
import { basesOf, hullsOf, type Obstacles, type PathFault } from '../lib/obstacles';
import { crossed, largestGap, overlaps, pathCost, pathLength, type Base } from '../lib/paths';
import { walkFault } from '../lib/walking';
import type {
  DirectionParameter,
  EndCondition,
  EndsAtPiece,
  FiguresParameter,
  PathParameter,
  TableView,
  TerrainView,
  UnitParameter,
  View,
} from '../lib/protocol';
import { apartFault, asPoint, type Fault } from './faults';
import { keepsTo, type WholeWay } from './wholeWays';
import { bases, hulls, neighbours, pieces, standing, type Standing } from './world';

export type { Fault } from './faults';
export { placeFault, placementFaults, roomOf } from './placeFaults';

/** How far apart (mil) two bases may be and still touch. */
export const TOUCH = 20;

type Paths = Readonly<Record<string, readonly Spot[]>>;

/** What a figure takes up where it ends: a base, or a hull (`ground`), whose radius is half its width. */
export interface End extends Base {
  readonly ground: Border | null;
}

/** Where each living figure stands after its path, keyed by figure; a hull faces to `facing` if it is told to. */
export function endPlaces(view: View, unit: string, paths: Paths, facing: number | null = null): Map<string, End> {
  const ends = new Map<string, End>();
  for (const figure of standing(view.units[unit])) {
    const path = paths[figure.id] ?? [];
    const at = path.at(-1) ?? figure.at;
    const ground = figure.hull && outline(endPose(figure, [figure.at, ...path], facing), figure.hull);
    ends.set(figure.id, { at, radius: figure.radius, ground });
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
  return toMil(pathCost(whole, costly, parameter.ground));
}

/** What a piece of ground adds to what a path uses up, and the rule by which it does. */
export interface Surcharge {
  readonly name: string;
  readonly more: number;
  readonly rule: string;
}

/** What the ground adds to a figure's whole path, piece by piece (mil); where pieces overlap, the dearest alone. */
export function surcharges(table: TableView, parameter: PathParameter, whole: readonly Spot[]): Surcharge[] {
  const numbers = new Map(parameter.costly);
  const dear = table.terrain
    .filter((piece) => numbers.has(piece.id))
    .sort((one, other) => numbers.get(other.id)! - numbers.get(one.id)!);
  const counted: [TerrainView, number][] = [];
  const found: Surcharge[] = [];
  let before = toMil(pathLength(whole));
  for (const piece of dear) {
    counted.push([piece, numbers.get(piece.id)!]);
    const used = toMil(pathCost(whole, counted));
    if (used > before) found.push({ name: piece.name, more: used - before, rule: groundRule(parameter, piece.id) });
    before = used;
  }
  return found;
}

/** Who is on his way: a figure on a base, or one with a hull that faces so to begin with. */
interface Mover {
  readonly id: string;
  readonly radius: number;
  readonly hull?: Hull | null;
  readonly facing?: number;
}

/** What is wrong with the way of one figure (its start included), its end aside; null when it is legal. */
export function wayFault(
  view: View,
  table: TableView,
  parameter: PathParameter,
  figure: Mover,
  whole: readonly Spot[],
  facing: number | null = null,
): Fault | null {
  const fault = runsInto(obstaclesOf(view, table, parameter), figure, whole, facing);
  if (fault) return { ...told(table, parameter, figure, fault), where: fault.at, figure: figure.id };
  const where = asPoint(whole[whole.length - 1]!);
  const used = cost(table, parameter, whole);
  const length = toMil(pathLength(whole));
  if (used > parameter.allowance) {
    return { ...tooLong(table, parameter, whole, used, length), where, figure: figure.id };
  }
  if (parameter.limits.length === 0) return null;
  const limits = new Map(parameter.limits);
  const limited = pieces(table, [...limits.keys()]);
  const through = figure.hull ? entered(whole, facing, figure.hull, limited) : crossed(whole, limited);
  const tooFar = limited.find((piece) => through.includes(piece.id) && length > limits.get(piece.id)!);
  if (!tooFar) return null;
  const limit = inches(limits.get(tooFar.id)!);
  const sentence = `The path is ${inches(length, true)}" long; one that enters ${tooFar.name} is at most ${limit}" long.`;
  return { sentence, rule: parameter.limits_rule || parameter.allowance_rule, where, figure: figure.id };
}

/**
 * A way that uses more than the allowance: refused by the rule of the ground if on open ground it were short enough, else by
 * that of what lessens the allowance if it were without that, else by the move's own.
 */
function tooLong(
  table: TableView,
  parameter: PathParameter,
  whole: readonly Spot[],
  used: number,
  length: number,
): { sentence: string; rule: string } {
  const has = `there are ${inches(parameter.allowance)}"`;
  const plain = `The path uses ${inches(used, true)}" of movement`;
  const rise = parameter.dear;
  if (rise && used > length) {
    const rule = length <= parameter.allowance ? rise.rule : parameter.allowance_rule;
    return { sentence: `${plain}; ${has}. ${rise.sentence}`, rule };
  }
  const costly = new Set(parameter.costly.map(([piece]) => piece));
  const dear =
    used > length ? table.terrain.filter((one) => costly.has(one.id) && crossed(whole, [one]).length > 0) : [];
  const names = [...new Set(dear.map((one) => one.name))].join(' and ');
  const sentence = `${plain}${names && `, since ${names} costs more than open ground`}; ${has}.`;
  if (dear.length > 0 && length <= parameter.allowance) return { sentence, rule: groundRule(parameter, dear[0]!.id) };
  const { less } = parameter;
  if (less && length <= parameter.full) return { sentence: `${sentence} ${less.sentence}`, rule: less.rule };
  return { sentence, rule: parameter.allowance_rule };
}

/** The rule behind what a terrain piece does to a path; the move's own where none is named. */
function groundRule(parameter: PathParameter, piece: string): string {
  return parameter.grounds.find((ground) => ground.piece === piece)?.rule || parameter.allowance_rule;
}

/** What the paths of a unit may run into. */
function obstaclesOf(view: View, table: TableView, parameter: PathParameter): Obstacles {
  const { avoid, unit } = parameter;
  return {
    table: [table.width, table.height],
    barred: pieces(table, parameter.barred),
    avoided: neighbours(view, { only: avoid, without: [unit] }),
    others: neighbours(view, { without: [unit, ...avoid] }),
    clear: parameter.clear,
    over: parameter.over,
    receding: parameter.receding,
    jump: parameter.jump,
  };
}

/** What a figure runs into on its way, or at its end if it has a hull. */
function runsInto(
  obstacles: Obstacles,
  figure: Mover,
  whole: readonly Spot[],
  facing: number | null,
): PathFault | null {
  const at = whole[0];
  if (at === undefined) return null;
  if (!figure.hull) return walkFault(whole, figure.radius, obstacles);
  return driveFault({ at, facing: figure.facing ?? 0 }, whole, facing, figure.hull, obstacles);
}

function told(table: TableView, parameter: PathParameter, figure: Mover, fault: PathFault): Fault {
  const rule = parameter.base_rule || parameter.allowance_rule;
  const avoided = parameter.avoid.includes(fault.what);
  switch (fault.kind) {
    case 'table':
      return { sentence: 'The path leaves the table.', rule: parameter.table_rule || parameter.allowance_rule };
    case 'impassable': {
      const name = pieces(table, [fault.what])[0]?.name ?? 'ground';
      const by = figure.hull ? ' by this vehicle' : '';
      const sentence = parameter.jump
        ? `It would end in ${name}, which cannot be entered${by}.`
        : `The path runs into ${name}, which cannot be crossed${by}.`;
      return { sentence, rule: groundRule(parameter, fault.what) };
    }
    default:
      if (parameter.jump) return { sentence: 'It would end on another unit; end next to it.', rule };
      if (fault.kind === 'base' && !avoided) {
        return { sentence: 'The vehicle would end on a figure; end next to it.', rule };
      }
      if (parameter.receding.includes(fault.what)) {
        const sentence = 'The path comes nearer to the enemy than it began; go away from it.';
        return { sentence, rule: parameter.receding_rule || rule };
      }
      if (avoided && parameter.clear > 0) {
        const sentence = `The path comes nearer than ${inches(parameter.clear)}" to an enemy; keep at least so far away.`;
        return { sentence, rule: parameter.clear_rule || rule };
      }
      return {
        sentence: `The path runs ${fault.kind === 'base' ? 'through a base' : 'into a vehicle'}; go around it.`,
        rule,
      };
  }
}

/** Everything wrong with the declared paths of a unit (figures left out stay where they are). */
export function pathFaultsOf(
  view: View,
  table: TableView,
  parameter: PathParameter,
  paths: Paths,
  facing: number | null = null,
): Fault[] {
  const figures = standing(view.units[parameter.unit]);
  const turns = (figure: Standing): boolean => figure.hull !== null && facing !== null && facing !== figure.facing;
  const goes = (figure: Standing): boolean => (paths[figure.id]?.length ?? 0) > 0;
  const moving = figures.filter((figure) => goes(figure) || turns(figure));
  const bent = legFault(parameter, moving, paths, facing);
  if (bent) return [bent];
  if (moving.length === 0 && parameter.may_stay) return [];
  const faults: Fault[] = [];
  for (const figure of moving) {
    if (parameter.figures.length > 0 && goes(figure) && !parameter.figures.includes(figure.id)) {
      faults.push({ sentence: 'This figure cannot move now.', rule: parameter.allowance_rule, figure: figure.id });
      continue;
    }
    const whole = [figure.at, ...(paths[figure.id] ?? [])];
    const fault = wayFault(view, table, parameter, figure, whole, figure.hull ? facing : null);
    if (fault) faults.push(fault);
  }
  return [...faults, ...endFaults(view, table, parameter, endPlaces(view, parameter.unit, paths, facing), paths)];
}

/** What is wrong with paths that ought to be one straight leg. */
function legFault(
  { straight, jump, may_stay, allowance_rule: rule }: PathParameter,
  moving: readonly Standing[],
  paths: Paths,
  facing: number | null,
): Fault | null {
  if (!straight && !jump) return null;
  const ways = moving.map(({ at, id }) => [at, ...(paths[id] ?? [])] as const);
  if (ways.some((way) => way.length > 2)) return { sentence: 'It goes straight to where it ends.', rule };
  if (!straight) return null;
  if (ways.every((way) => way.length < 2)) {
    return may_stay && facing === null ? null : { sentence: 'It has to go somewhere.', rule };
  }
  const along = ways.every((way) => facing === null || (way[1] && direction(way[0], way[1]) === facing));
  return along ? null : { sentence: 'It ends facing along its way.', rule };
}

/** Everything wrong with where the figures of a unit end. */
export function endFaults(
  view: View,
  table: TableView,
  parameter: PathParameter,
  ends: ReadonlyMap<string, End>,
  paths: Paths = {},
): Fault[] {
  const faults: Fault[] = [];
  const obstacles = obstaclesOf(view, table, parameter);
  const taken = basesOf(obstacles);
  const vehicles = hullsOf(obstacles);
  // A hull's own end is judged with its way.
  const onFoot = [...ends].filter(([, end]) => end.ground === null);
  for (const [id, base] of onFoot) {
    const onBase = overlaps(base.at, base.radius, taken);
    if (onBase || overlaps(base.at, base.radius, [], vehicles)) {
      const sentence = onBase
        ? 'A figure would end on another base.'
        : 'A figure would end in a vehicle; end next to it.';
      const rule = parameter.base_rule || parameter.allowance_rule;
      faults.push({ sentence, rule, where: asPoint(base.at), figure: id });
    }
    taken.push(base);
  }
  if (parameter.gap > 0) {
    const widest = largestGap(onFoot.map(([, base]) => base));
    if (widest > parameter.gap) faults.push(apartFault(widest, parameter.gap, parameter.gap_rule));
  }
  for (const rule of parameter.ends) {
    if (!rule.any_of.some((condition) => met(view, table, parameter, ends, paths, condition))) {
      faults.push({ sentence: rule.why.sentence, rule: rule.why.rule });
    }
  }
  return faults;
}

type Place = Exclude<EndCondition, { type: 'spent' } | WholeWay>;

/** Whether paths meet a condition on where they end or lead, or on how much of the allowance they use up. */
function met(
  view: View,
  table: TableView,
  parameter: PathParameter,
  ends: ReadonlyMap<string, End>,
  paths: Paths,
  condition: EndCondition,
): boolean {
  if (condition.type === 'away' || condition.type === 'inside') {
    return keepsTo(view, table, parameter.unit, paths, condition);
  }
  if (condition.type !== 'spent') return meets(view, table, parameter.unit, ends, condition);
  // The server alone knows who is out of sight; it is asked with the preview.
  if (condition.hides) return true;
  const wanted = pieces(table, condition.pieces);
  const enough = standing(view.units[parameter.unit]).filter((figure) => {
    const end = ends.get(figure.id);
    const covered = end !== undefined && wanted.some((piece) => standsIn(end, piece, condition.reach));
    return covered || cost(table, parameter, [figure.at, ...(paths[figure.id] ?? [])]) >= condition.least;
  });
  return enough.length >= condition.figures;
}

/** Whether figures of `unit` that stand at `ends` meet `condition`. */
export function meets(
  view: View,
  table: TableView,
  unit: string,
  ends: ReadonlyMap<string, End>,
  condition: Place,
): boolean {
  if (condition.type === 'in_terrain') {
    const wanted = pieces(table, condition.pieces);
    let count = 0;
    for (const end of ends.values()) if (wanted.some((piece) => standsIn(end, piece, condition.reach))) count += 1;
    return count >= condition.figures;
  }
  if (condition.type === 'along' || condition.type === 'at_piece') {
    const began = endPlaces(view, unit, {});
    return [...ends].every(([id, end]) => {
      const start = began.get(id);
      if (condition.type === 'at_piece') return comesTo(table, start, end, condition);
      if (!start || (start.at[0] === end.at[0] && start.at[1] === end.at[1])) return true;
      return Math.abs(turnFrom(condition.angle, direction(start.at, end.at))) <= condition.spread;
    });
  }
  if (condition.type === 'covered') {
    const foes = condition.units.flatMap((other) => standing(view.units[other]).map((foe) => foe.at));
    const wanted = pieces(table, condition.pieces);
    const covered = [...ends.values()].filter((end) => {
      const foe = nearestOf(end.at, foes);
      return foe !== null && wanted.some((piece) => shields(piece, end, foe, condition.reach));
    });
    return covered.length >= condition.figures;
  }
  if (condition.type === 'edge') {
    return [...ends.values()].every((end) => toMil(offEdge(table, end)) <= condition.reach);
  }
  if (condition.type === 'together') {
    const group = [...ends].filter(([id]) => condition.figures.includes(id));
    return largestGap(group.map(([, end]) => end)) <= condition.gap;
  }
  const near = { bases: among(view, condition), hulls: hulls(view, { only: condition.units }) };
  if (near.bases.length === 0 && near.hulls.length === 0) {
    return condition.type === 'farther' || condition.type === 'beyond';
  }
  if (condition.type === 'beyond') {
    const least = new Map(condition.least);
    return [...ends].every(([id, end]) => nearestGap(end, near) >= (least.get(id) ?? 0));
  }
  if (condition.type === 'farther' || condition.type === 'closer') {
    const began = endPlaces(view, unit, {});
    const sign = condition.type === 'farther' ? 1 : -1;
    return [...ends].every(([id, end]) => {
      const start = began.get(id);
      return !start || sign * (nearestGap(end, near) - nearestGap(start, near)) > 0;
    });
  }
  if (condition.type === 'near') {
    const reached = [...ends.values()].filter((end) => nearestGap(end, near) <= condition.reach).length;
    return reached >= (condition.figures || ends.size);
  }
  return [...ends.values()].some((end) => nearestGap(end, near) <= TOUCH);
}

/** The nearest of some places to a spot, the first of those that are equally near; null if there are none. */
function nearestOf(at: Spot, places: readonly Spot[]): Spot | null {
  let nearest: Spot | null = null;
  for (const place of places) if (!nearest || distance(place, at) < distance(nearest, at)) nearest = place;
  return nearest;
}

/** Whether a base is in an area, or has the border or the line between it and a spot within `reach`. */
function shields(piece: TerrainView, base: Base, from: Spot, reach: number): boolean {
  if (!piece.linear && contains(piece.outline, base.at)) return true;
  const last = crossings(from, base.at, piece.outline, piece.linear).at(-1);
  return last !== undefined && atMost((1 - last) * distance(from, base.at) - base.radius, reach);
}

/** Mil from a base or hull to the table's edge. */
function offEdge(table: TableView, end: End): number {
  const off = ([x, y]: Spot) => Math.min(x, y, table.width - x, table.height - y);
  return end.ground ? Math.min(...end.ground.map(off)) : off(end.at) - end.radius;
}

/** Whether a figure ends in a piece, or closer to it than it began. */
function comesTo(table: TableView, start: End | undefined, end: End, condition: EndsAtPiece): boolean {
  const piece = pieces(table, [condition.piece])[0];
  if (!piece) return false;
  if (standsIn(end, piece, condition.reach)) return true;
  const far = (at: Spot) => toMil(distanceToOutline(at, piece.outline, piece.linear));
  return start !== undefined && far(end.at) < far(start.at);
}

/** The bases that a condition counts: of its units' figures all, or those that it names. */
function among(view: View, condition: Extract<EndCondition, { units: string[] }>): Base[] {
  if (condition.type !== 'near' || condition.among.length === 0) return bases(view, { only: condition.units });
  const figures = condition.units.flatMap((unit) => standing(view.units[unit]));
  return figures.filter((figure) => condition.among.includes(figure.id));
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

/** Whole mil from what a figure takes up to the nearest of these, edge to edge. */
function nearestGap(end: End, others: { bases: readonly Base[]; hulls: readonly Border[] }): number {
  const { ground } = end;
  const far = ground
    ? [
        ...others.bases.map((base) => baseToOutline(base, ground)),
        ...others.hulls.map((hull) => outlineToOutline(ground, hull)),
      ]
    : [
        ...others.bases.map((base) => gap(end.at, end.radius, base.at, base.radius)),
        ...others.hulls.map((hull) => baseToOutline(end, hull)),
      ];
  return toMil(Math.min(...far));
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
