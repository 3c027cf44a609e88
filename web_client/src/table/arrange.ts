/**
 * Where the figures of a formation come to stand: as far as the allowance goes, and next to obstacles instead of
 * on them. Nothing here decides what is legal (`checks.ts` does); it only proposes places that are.
 */
import { contains, distance, gap, toMil, toPoint, type Spot } from '../lib/geometry';
import { insideTable, type Hull } from '../lib/hulls';
import { overlaps, type Base } from '../lib/paths';
import type { PathParameter, PlacementParameter, Point, TableView, View } from '../lib/protocol';
import { TOUCH, cost, placeFault, roomOf, touches, wayFault } from './checks';
import { bases, covered, hulls } from './world';

/** A figure on its way: the points that are fixed (its start first), and its base. */
export interface Walker {
  readonly id: string;
  readonly radius: number;
  readonly head: readonly Spot[];
}

export type Places = Record<string, Point>;

/** How a figure gets to where it was settled: any points between, and the end. */
export interface Way {
  via: Point[];
  end: Point;
}

const STEP = 250;
const RINGS = 16;
const SPOKES = 16;

/** The places `share` of the way along a common displacement. */
function shifted(places: Readonly<Places>, by: Spot, share: number): Places {
  const found: Places = {};
  for (const [id, at] of Object.entries(places)) found[id] = toPoint([at[0] + by[0] * share, at[1] + by[1] * share]);
  return found;
}

/** The largest share (0 to 1) that `fits`, to about a mil on any table; 0 when none does. */
function largestShare(fits: (share: number) => boolean): number {
  if (fits(1)) return 1;
  let low = 0;
  let high = 1;
  for (let i = 0; i < 16; i++) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * The formation `places` moved by `by`, or as near to that as every walker's allowance goes on the way there from where
 * the leg begins. `clipped` says that it stopped short.
 */
export function advance(
  table: TableView,
  parameter: PathParameter,
  walkers: readonly Walker[],
  places: Readonly<Places>,
  by: Spot,
): { places: Places; clipped: boolean } {
  if (walkers.length === 0) return { places: {}, clipped: false };
  // What the formation has moved so far is taken out and clipped together with the rest, so that a formation at the end
  // of its allowance can still swing round; what each figure deviates by stays.
  let x = 0;
  let y = 0;
  for (const { id, head } of walkers) {
    const begin = head[head.length - 1]!;
    x += (places[id]![0] - begin[0]) / walkers.length;
    y += (places[id]![1] - begin[1]) / walkers.length;
  }
  const begun = shifted(places, [-x, -y], 1);
  const whole: Spot = [x + by[0], y + by[1]];
  const share = largestShare((t) => {
    const wished = shifted(begun, whole, t);
    return walkers.every((walker) => within(table, parameter, walker, wished[walker.id]!));
  });
  return { places: shifted(begun, whole, share), clipped: share < 1 };
}

/** The place on the way to `wish` that one walker's allowance reaches. */
export function reach(
  table: TableView,
  parameter: PathParameter,
  walker: Walker,
  wish: Spot,
): { end: Point; clipped: boolean } {
  const from = walker.head[walker.head.length - 1]!;
  const at = (t: number) => toPoint([from[0] + (wish[0] - from[0]) * t, from[1] + (wish[1] - from[1]) * t]);
  const share = largestShare((t) => within(table, parameter, walker, at(t)));
  return { end: at(share), clipped: share < 1 };
}

function within(table: TableView, parameter: PathParameter, walker: Walker, end: Spot): boolean {
  return cost(table, parameter, [...walker.head, end]) <= parameter.allowance;
}

/**
 * Where the walkers really end: each at its wish where it may, else at the nearest place next to it, else as far as the
 * way is free. `fixed` are the unit's figures that stay out of it.
 */
export function settle(
  view: View,
  table: TableView,
  parameter: PathParameter,
  walkers: readonly Walker[],
  wishes: Readonly<Places>,
  fixed: readonly Base[] = [],
): Record<string, Way> {
  const others = bases(view, { without: [parameter.unit] });
  const vehicles = hulls(view, { without: [parameter.unit] });
  const accepted: Base[] = [...fixed];
  const ways: Record<string, Way> = {};
  const contact = contactTargets(view, parameter);
  const free = (walker: Walker, way: Way): boolean =>
    !overlaps(way.end, walker.radius, others, vehicles) &&
    !overlaps(way.end, walker.radius, accepted) &&
    wayFault(view, table, parameter, walker, [...walker.head, ...way.via, way.end]) === null;
  const accept = (walker: Walker, way: Way) => {
    ways[walker.id] = way;
    accepted.push({ at: way.end, radius: walker.radius });
  };

  const blocked: Walker[] = [];
  for (const walker of walkers) {
    const wish = wishes[walker.id]!;
    const snapped = snap(walker, wish, contact);
    const way = [snapped, wish].map((end) => ({ via: [], end })).find((one) => free(walker, one));
    if (way) accept(walker, way);
    else blocked.push(walker);
  }
  // First those whose neighbour already has its place, so that the chain grows from settled figures.
  for (const walker of blocked) {
    const wish = wishes[walker.id]!;
    const near = (end: Spot) =>
      parameter.gap === 0 || accepted.length === 0 || holds(end, walker.radius, accepted, parameter.gap);
    const way =
      nextTo(wish, (end) => near(end) && free(walker, { via: [], end })) ??
      around(view, table, parameter, walker, wish, (found) => near(found.end) && free(walker, found)) ??
      short(view, table, parameter, walker, wish, (found) => free(walker, found));
    accept(walker, way ?? { via: [], end: wish });
  }
  return ways;
}

/** Whether a base at `end` would stand within `limit` of one of `accepted`. */
function holds(end: Spot, radius: number, accepted: readonly Base[], limit: number): boolean {
  return accepted.some((base) => gap(end, radius, base.at, base.radius) <= limit);
}

/** The nearest place to `wish`, ring by ring, that `fits`. */
function nextTo(wish: Spot, fits: (end: Point) => boolean): Way | null {
  for (let ring = 1; ring <= RINGS; ring++) {
    for (let spoke = 0; spoke < SPOKES; spoke++) {
      const angle = (spoke * 2 * Math.PI) / SPOKES + (ring % 2) * (Math.PI / SPOKES);
      const end = toPoint([wish[0] + Math.cos(angle) * ring * STEP, wish[1] + Math.sin(angle) * ring * STEP]);
      if (fits(end)) return { via: [], end };
    }
  }
  return null;
}

/** A way to `wish` over one more point, next to the place where the straight way is blocked. */
function around(
  view: View,
  table: TableView,
  parameter: PathParameter,
  walker: Walker,
  wish: Spot,
  fits: (way: Way) => boolean,
): Way | null {
  const end = toPoint(wish);
  const fault = wayFault(view, table, parameter, walker, [...walker.head, end]);
  if (!fault?.where) return null;
  const from = walker.head[walker.head.length - 1]!;
  const length = distance(from, end);
  if (length === 0) return null;
  const ahead: Spot = [(end[0] - from[0]) / length, (end[1] - from[1]) / length];
  for (let off = 500; off <= 3000; off += 500) {
    for (const side of [1, -1]) {
      for (const further of [0, 600, 1200]) {
        const point = toPoint([
          fault.where[0] + ahead[0] * further - ahead[1] * off * side,
          fault.where[1] + ahead[1] * further + ahead[0] * off * side,
        ]);
        const way = { via: [point], end };
        if (fits(way)) return way;
      }
    }
  }
  return null;
}

/** The straight way to `wish` as far as it is legal, if a figure can stand there. */
function short(
  view: View,
  table: TableView,
  parameter: PathParameter,
  walker: Walker,
  wish: Spot,
  fits: (way: Way) => boolean,
): Way | null {
  const from = walker.head[walker.head.length - 1]!;
  const where = wayFault(view, table, parameter, walker, [...walker.head, wish])?.where ?? toPoint(wish);
  for (let share = 1; share >= 0; share -= 0.05) {
    const end = toPoint([from[0] + (where[0] - from[0]) * share, from[1] + (where[1] - from[1]) * share]);
    if (fits({ via: [], end })) return { via: [], end };
  }
  return null;
}

/**
 * The bases that stand apart from the largest group that holds together, nearest first, each with the base to come to.
 * Consumed one by one: a base that has come counts to the group.
 */
export function* strays<B extends { at: Spot; radius: number }>(all: readonly B[], limit: number): Generator<[B, B]> {
  let group: B[] = [];
  for (const first of all) {
    const joined = new Set([first]);
    for (const base of joined) {
      for (const other of all) if (toMil(gap(base.at, base.radius, other.at, other.radius)) <= limit) joined.add(other);
    }
    if (joined.size > group.length) group = [...joined];
  }
  const waiting = new Set(all.filter((base) => !group.includes(base)));
  while (waiting.size > 0) {
    let best: [B, B] | null = null;
    let nearest = Infinity;
    for (const base of waiting) {
      for (const other of group) {
        const off = gap(base.at, base.radius, other.at, other.radius);
        if (off < nearest) {
          nearest = off;
          best = [base, other];
        }
      }
    }
    if (!best) return;
    if (nearest > limit) yield best;
    waiting.delete(best[0]);
    group.push(best[0]);
  }
}

// --- base contact ---

const SNAP = 500;

/** The bases that the parameter wants touched, if it wants any. */
function contactTargets(view: View, parameter: PathParameter): Base[] {
  const units = parameter.ends.flatMap((rule) =>
    rule.any_of.flatMap((one) => (one.type === 'touching' ? one.units : [])),
  );
  return units.length > 0 ? bases(view, { only: units }) : [];
}

/** `wish`, drawn into contact with a base that wants touching when it is nearly there or on top of it. */
function snap(walker: Walker, wish: Spot, targets: readonly Base[]): Point {
  let best: Base | null = null;
  let nearest = SNAP;
  for (const base of targets) {
    const off = distance(wish, base.at) - base.radius - walker.radius;
    if (off <= nearest) {
      nearest = off;
      best = base;
    }
  }
  if (!best || (touches({ at: wish, radius: walker.radius }, best) && nearest >= 0)) return toPoint(wish);
  const from = distance(wish, best.at) > 1 ? wish : walker.head[walker.head.length - 1]!;
  const length = Math.max(1, distance(from, best.at));
  const apart = best.radius + walker.radius + TOUCH / 2;
  return toPoint([
    best.at[0] + ((from[0] - best.at[0]) / length) * apart,
    best.at[1] + ((from[1] - best.at[1]) / length) * apart,
  ]);
}

// --- placement ---

/** What a placed figure takes up round its place: a base of this radius, or a hull that faces so. */
export interface Size {
  readonly id: string;
  readonly radius: number;
  readonly hull: Hull | null;
  readonly facing: number;
}

/** The unit's places moved by `by`, each direction as far as all of its bases and hulls stay inside the zone. */
export function slide(
  table: TableView,
  parameter: PlacementParameter,
  sizes: readonly Size[],
  places: Readonly<Places>,
  by: Spot,
): Places {
  const inside = (wished: Places) =>
    sizes.every((size) => {
      const at = wished[size.id];
      return at === undefined || zoneOnly(table, parameter, size, at);
    });
  if (!inside(places)) return shifted(places, by, 1);
  let found: Places = { ...places };
  for (const part of [
    [by[0], 0],
    [0, by[1]],
  ] as const) {
    const from = found;
    found = shifted(
      from,
      part,
      largestShare((t) => inside(shifted(from, part, t))),
    );
  }
  return found;
}

function zoneOnly(table: TableView, parameter: PlacementParameter, size: Size, at: Point): boolean {
  const ground = covered({ ...size, at });
  if (ground)
    return insideTable(ground, [table.width, table.height]) && ground.every((p) => contains(parameter.zone, p));
  return placeFault(table, { zone: parameter.zone, barred: [] }, size.id, { at, radius: size.radius }, []) === null;
}

/**
 * Where the figures of one unit are placed: each at its wish where it may stand, else at the nearest legal place; a
 * vehicle at its wish in any case. `sizes` are those of all units' figures.
 */
export function settlePlaces(
  view: View,
  table: TableView,
  parameter: PlacementParameter,
  index: number,
  all: readonly Readonly<Places>[],
  wishes: Readonly<Places>,
  sizes: readonly (readonly Size[])[],
): Places {
  const taken = bases(view, { without: parameter.units });
  const vehicles = hulls(view, { without: parameter.units });
  sizes.forEach((own, other) => {
    if (other === index) return;
    for (const size of own) {
      const at = all[other]?.[size.id];
      const ground = at && covered({ ...size, at });
      if (ground) vehicles.push(ground);
      else if (at) taken.push({ at, radius: size.radius });
    }
  });
  const figures = sizes[index] ?? [];
  const limit = parameter.gaps[index] ?? 0;
  const room = roomOf(parameter, index);
  const accepted: Base[] = [];
  const places: Places = {};
  const free = (id: string, radius: number, at: Point) =>
    placeFault(table, room, id, { at, radius }, taken) === null && !overlaps(at, radius, accepted, vehicles);
  const blocked: Size[] = [];
  for (const figure of figures) {
    const wish = wishes[figure.id]!;
    if (figure.hull) places[figure.id] = wish;
    else if (free(figure.id, figure.radius, wish)) {
      places[figure.id] = wish;
      accepted.push({ at: wish, radius: figure.radius });
    } else blocked.push(figure);
  }
  for (const { id, radius } of blocked) {
    const wish = wishes[id]!;
    const way = nextTo(
      wish,
      (at) => (accepted.length === 0 || holds(at, radius, accepted, limit)) && free(id, radius, at),
    );
    const at = way?.end ?? wish;
    places[id] = at;
    accepted.push({ at, radius });
  }
  return places;
}
