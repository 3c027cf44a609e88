/** What positions of an edition are put together from: its terrain, units, markers and scenarios. Fetched once. */
import type { Setup } from './setup';
import type { Template } from './units';

/** A kind of terrain as the edition has it. Lengths in inches. */
export interface Kind {
  kind: string;
  name: string;
  linear: boolean;
  cover: string;
  sight: string;
  sight_depth?: number;
  flags: readonly string[];
}

/** A marker that a unit or a figure can have. */
export interface Marker {
  key: string;
  label: string;
  text?: string;
}

export interface Phase {
  key: string;
  label: string;
}

/** A unit that comes ready, and where from. */
export interface Ready {
  name: string;
  from: string;
  row: Template;
}

export interface Parts {
  scenarios: readonly { id: string; name: string; setup: Setup }[];
  terrain: readonly Kind[];
  units: readonly Ready[];
  /** Markers of a unit, and of a figure alone. */
  conditions: readonly Marker[];
  figure_conditions: readonly Marker[];
  phases: readonly Phase[];
  /** Why a unit can have left the game. */
  left: readonly Phase[];
}

const fetched = new Map<string, Promise<Parts>>();

/** An edition's parts; a failed attempt is not remembered. Rejects with a sentence. */
export function partsOf(edition: string): Promise<Parts> {
  let parts = fetched.get(edition);
  if (!parts) {
    parts = load(edition);
    parts.catch(() => fetched.delete(edition));
    fetched.set(edition, parts);
  }
  return parts;
}

async function load(edition: string): Promise<Parts> {
  let answer: Response;
  try {
    answer = await fetch(`/positions/${encodeURIComponent(edition)}.json`);
  } catch {
    throw new Error('The server does not answer. What can be in a position is asked again when you reload the page.');
  }
  if (answer.status === 404) throw new Error(`No positions are set up for ${edition} on this server.`);
  if (!answer.ok) throw new Error(`What can be in a position of ${edition} could not be fetched.`);
  const found = (await answer.json()) as Partial<Parts>;
  return {
    scenarios: found.scenarios ?? [],
    terrain: found.terrain ?? [],
    units: found.units ?? [],
    conditions: found.conditions ?? [],
    figure_conditions: found.figure_conditions ?? [],
    phases: found.phases ?? [],
    left: found.left ?? [],
  };
}

export const kindOf = (parts: Parts, kind: string): Kind | undefined =>
  parts.terrain.find((each) => each.kind === kind);

/** A key of the edition's as words, where it says none: `light-something` is `Light something`. */
export function inWords(key: string): string {
  const words = key.replaceAll(/[-_]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What figures are or carry in the edition's ready units: what one may give to others. */
export function rolesOf(parts: Parts): string[] {
  const found = new Set<string>();
  for (const { row } of parts.units) {
    if (typeof row.figures === 'number') continue;
    for (const { role } of row.figures) if (role) found.add(role);
  }
  return [...found].sort();
}
