/** A map as an organiser draws it: areas, routes and homes, changed step by step, and what still forbids a campaign on it. */
import type { CampaignMap } from '../lib/protocol';

export interface SketchArea {
  readonly id: string;
  readonly name: string;
  /** In thousandths of the map's width and height, from the upper left corner. */
  readonly x: number;
  readonly y: number;
  /** The scenario; "": those of the league in turns. */
  readonly scenario: string;
  readonly worth: number;
}

export interface Sketch {
  readonly areas: readonly SketchArea[];
  readonly routes: readonly (readonly [string, string])[];
  /** The areas where forces begin, in the order in which players join. */
  readonly homes: readonly string[];
}

export const MOST_AREAS = 40;
const SIZE = 1000;

const within = (value: number): number => Math.min(SIZE, Math.max(0, Math.round(value)));

/** A new area where there is most free space, joined to no other one; returns it with the sketch. */
export function withArea(sketch: Sketch): { sketch: Sketch; area: SketchArea } {
  let number = sketch.areas.length + 1;
  while (sketch.areas.some(({ id, name }) => id === `a${number}` || name === `Area ${number}`)) number += 1;
  const area: SketchArea = { id: `a${number}`, name: `Area ${number}`, ...emptiest(sketch), scenario: '', worth: 1 };
  return { sketch: { ...sketch, areas: [...sketch.areas, area] }, area };
}

function emptiest({ areas }: Sketch): { x: number; y: number } {
  let best = { x: SIZE / 2, y: SIZE / 2 };
  let most = -1;
  for (let y = 100; y < SIZE; y += 100) {
    for (let x = 100; x < SIZE; x += 100) {
      const free = Math.min(SIZE, ...areas.map((each) => Math.hypot(each.x - x, each.y - y)));
      if (free > most) {
        most = free;
        best = { x, y };
      }
    }
  }
  return best;
}

/** What is changed of an area. A place outside the map is brought to its edge. */
export function changed(sketch: Sketch, id: string, change: Partial<Omit<SketchArea, 'id'>>): Sketch {
  const areas = sketch.areas.map((each) => {
    if (each.id !== id) return each;
    const next = { ...each, ...change };
    return { ...next, x: within(next.x), y: within(next.y) };
  });
  return { ...sketch, areas };
}

/** Without an area, its routes, and its home. */
export const without = (sketch: Sketch, id: string): Sketch => ({
  areas: sketch.areas.filter((each) => each.id !== id),
  routes: sketch.routes.filter((route) => !route.includes(id)),
  homes: sketch.homes.filter((home) => home !== id),
});

export const joined = ({ routes }: Sketch, one: string, other: string): boolean =>
  routes.some((route) => route.includes(one) && route.includes(other));

/** With a route between two areas, or without the one that is there. */
export function toggled(sketch: Sketch, one: string, other: string): Sketch {
  if (one === other) return sketch;
  const routes = joined(sketch, one, other)
    ? sketch.routes.filter((route) => !(route.includes(one) && route.includes(other)))
    : [...sketch.routes, [one, other] as const];
  return { ...sketch, routes };
}

/** With a home in an area, as the last one, or without the one that is there. */
export const rehomed = (sketch: Sketch, id: string): Sketch => ({
  ...sketch,
  homes: sketch.homes.includes(id) ? sketch.homes.filter((home) => home !== id) : [...sketch.homes, id],
});

/** Why no campaign can be played on it yet, in a sentence; "" if one can. */
export function fault(sketch: Sketch): string {
  const { areas, homes } = sketch;
  if (areas.length < 2) return 'The map needs two areas at least.';
  const names = areas.map(({ name }) => name.trim().toLowerCase());
  if (names.includes('')) return 'An area has no name.';
  const double = areas.find((_, i) => names.indexOf(names[i]!) !== i);
  if (double) return `Two areas are called ${double.name.trim()}.`;
  const apart = unreached(sketch);
  if (apart) return `No route leads to ${apart.name.trim()} from ${areas[0]!.name.trim()}: join them.`;
  if (homes.length < 2) return 'The map needs homes for two players at least.';
  return '';
}

function unreached(sketch: Sketch): SketchArea | undefined {
  const reached = new Set([sketch.areas[0]!.id]);
  for (let before = 0; before < reached.size;) {
    before = reached.size;
    for (const [one, other] of sketch.routes) {
      if (reached.has(one)) reached.add(other);
      if (reached.has(other)) reached.add(one);
    }
  }
  return sketch.areas.find(({ id }) => !reached.has(id));
}

/** The scenario of each area: its own if the league has it, else those of the league in turns. */
export function scenarioOf(sketch: Sketch, id: string, scenarios: readonly string[]): string {
  const at = sketch.areas.findIndex((each) => each.id === id);
  const own = sketch.areas[at]?.scenario ?? '';
  return scenarios.includes(own) ? own : (scenarios[Math.max(0, at) % Math.max(1, scenarios.length)] ?? '');
}

/** The map of a league with these scenarios. */
export const mapOf = (sketch: Sketch, scenarios: readonly string[]): CampaignMap => ({
  areas: sketch.areas.map((each) => ({
    ...each,
    name: each.name.trim(),
    scenario: scenarioOf(sketch, each.id, scenarios),
  })),
  routes: sketch.routes.map(([one, other]) => [one, other]),
  homes: [...sketch.homes],
});
