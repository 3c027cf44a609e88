/** What positions of an edition are put together from: its terrain, units, markers and scenarios. Fetched once. */
import type { OptionInfo } from '../lib/protocol';
import type { Setup } from './setup';
import type { Trait } from './traits';
import type { Template } from './units';

/** A word of the edition's: its key in a setup, what it is called, what it does. */
export interface Label {
  key: string;
  label: string;
  text: string;
}

/** A kind of terrain as the edition has it. Lengths in inches; `notes` say in words what it does. */
export interface Kind {
  kind: string;
  name: string;
  linear: boolean;
  cover: string;
  sight: string;
  sight_depth: number;
  flags: readonly string[];
  notes: readonly string[];
}

/** A marker, and whether units have it or single figures. */
export interface Marker extends Label {
  on: 'unit' | 'figure';
}

/**
 * A field of how it is won: one of `choices`, the id of an objective or of a side, or a number. Where it is `per_side` there is one for each
 * side, under the key, a dot and the side's id.
 */
export interface Condition {
  key: string;
  label: string;
  kind: 'choice' | 'objective' | 'side' | 'number';
  choices: readonly Label[];
  least: number;
  most: number;
  per_side: boolean;
}

/** A unit that comes ready, and where from. */
export interface Ready {
  name: string;
  from: string;
  row: Template;
}

export interface Parts {
  scenarios: readonly { id: string; name: string; summary: string; setup: Setup }[];
  terrain: readonly Kind[];
  covers: readonly Label[];
  units: readonly Ready[];
  conditions: readonly Marker[];
  /** Why a unit can have left the game. */
  left: readonly Label[];
  phases: readonly Label[];
  /** The roles of figures. */
  roles: readonly Label[];
  /** What some units and figures have and others do not. */
  traits: readonly Trait[];
  /** The traits with which a unit may be attached to another one of its side. */
  attaching: readonly string[];
  /** Ready forces that a side can play. */
  forces: readonly Label[];
  sides: { letters: readonly string[]; shapes: readonly string[]; least: number; most: number };
  victory: readonly Condition[];
  options: readonly OptionInfo[];
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
    throw new Error('The server does not answer. Reload the page to fetch again what can be in a position.');
  }
  if (answer.status === 404) throw new Error(`No positions can be set up for ${edition} on this server.`);
  if (!answer.ok) throw new Error(`What can be in a position of ${edition} could not be fetched.`);
  return (await answer.json()) as Parts;
}

export const kindOf = (parts: Parts, kind: string): Kind | undefined =>
  parts.terrain.find((each) => each.kind === kind);

export const traitsOn = (parts: Parts, on: Trait['on']): Trait[] => parts.traits.filter((trait) => trait.on === on);

export const markersOn = (parts: Parts, on: Marker['on']): Marker[] =>
  parts.conditions.filter((marker) => marker.on === on);

/** A key of the edition's as words, where it says none: `light-something` is `Light something`. */
export function inWords(key: string): string {
  const words = key.replaceAll(/[-_]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What every setup says of a unit and of a figure; everything else is the edition's. */
const SCHEMA = {
  unit: [
    ...[
      'id',
      'side',
      'name',
      'figures',
      'at',
      'base',
      'conditions',
      'activated',
      'left',
      'mounts',
      'seats',
      'aboard',
      'attached',
    ],
    'traits',
  ],
  figure: ['id', 'at', 'role', 'fallen', 'conditions', 'hull', 'facing', 'traits'],
};

/** The value of one of the edition's own fields. */
export type Own = string | number;

/** The edition's own fields of a unit or a figure, each with its value; only words and numbers, and no traits. */
export function ownFields(
  row: Readonly<Record<string, unknown>>,
  of: 'unit' | 'figure',
  traits: readonly Trait[] = [],
): [string, Own][] {
  const others = new Set([...SCHEMA[of], ...traits.map((trait) => trait.key)]);
  return Object.entries(row).flatMap(([key, value]) =>
    (typeof value === 'string' || typeof value === 'number') && !others.has(key) ? [[key, value]] : [],
  );
}

/** For each of the edition's own fields the values that its ready units have there: what one may choose from. */
export function seenValues(parts: Parts, of: 'unit' | 'figure'): Map<string, Own[]> {
  const seen = new Map<string, Set<Own>>();
  for (const { row } of parts.units) {
    const rows = of === 'unit' ? [row] : typeof row.figures === 'number' ? [] : row.figures;
    for (const each of rows) {
      for (const [key, value] of ownFields(each, of, parts.traits))
        seen.set(key, (seen.get(key) ?? new Set()).add(value));
    }
  }
  return new Map([...seen].map(([key, values]) => [key, [...values].sort()]));
}

/** Labels with one for a key that is set and none of them. */
export const withKey = (labels: readonly Label[], key: string | undefined): readonly Label[] =>
  !key || labels.some((each) => each.key === key) ? labels : [...labels, { key, label: key, text: '' }];
