/**
 * Setup files: a whole position, in inches and degrees (docs/setups.md). Read so far as one must to change them; whether the
 * position can be played, the server says.
 */
import { BadFile, plainName, readFile } from '../library/file';

/** What a setup file says that it is. */
export const SETUP_FORMAT = 'underfire setup 1';

/** A place in inches. */
export type Place = readonly [number, number];
export const SHAPES = ['circle', 'square', 'diamond', 'hexagon'] as const;
export const EDGES = ['', 'south', 'north', 'west', 'east'] as const;

/** A piece of terrain; what is left out is as its kind has it. */
export interface Piece {
  id: string;
  kind: string;
  outline: readonly Place[];
  name?: string;
  cover?: string;
  flags?: readonly string[];
  sight?: string;
  sight_depth?: number;
  linear?: boolean;
  openings?: readonly Opening[];
}

/** A door or window of a building, in the middle of its place in the wall. */
export interface Opening {
  kind: string;
  at: Place;
  width?: number;
  name?: string;
}

export interface Side {
  id: string;
  name: string;
  letter: string;
  shape: string;
  edge?: string;
  zone?: readonly Place[];
  force?: string;
  assets?: readonly Asset[];
}

/** A figure that is listed; its other fields are the edition's. */
export interface Figure {
  id: string;
  at?: Place;
  role?: string;
  fallen?: boolean;
  conditions?: readonly string[];
  hull?: Place;
  facing?: number;
  [field: string]: unknown;
}

/** What a side has off the table; its other fields are the edition's. */
export interface Asset {
  id: string;
  name: string;
  [field: string]: unknown;
}

export interface MountRow {
  weapon: string;
  middle?: number;
  spread?: number;
  lost?: boolean;
}

/** A unit, its figures listed or counted (then with places `at`); its other fields are the edition's. */
export interface Unit {
  id: string;
  side: string;
  name: string;
  figures: number | readonly Figure[];
  at?: readonly Place[];
  base?: number;
  conditions?: readonly string[];
  activated?: number;
  left?: string;
  mounts?: Readonly<Record<string, MountRow>>;
  seats?: number;
  aboard?: string;
  attached?: string;
  [field: string]: unknown;
}

export interface Objective {
  id: string;
  name: string;
  at: Place;
  radius: number;
  held_by?: string;
}

export interface Turn {
  number?: number;
  phase?: string;
  active?: string;
  first?: string;
}

export type Value = string | number | boolean;

export interface Setup {
  format: typeof SETUP_FORMAT;
  edition: string;
  id: string;
  name: string;
  side: readonly Side[];
  unit?: readonly Unit[];
  summary?: string;
  minutes?: number;
  table?: { width?: number; height?: number; added?: number };
  terrain?: readonly Piece[];
  objective?: readonly Objective[];
  victory?: Readonly<Record<string, string | number>>;
  deployment?: Readonly<Record<string, string>>;
  options?: Readonly<Record<string, Value>>;
  turn?: Turn;
  result?: unknown;
  book?: Readonly<Record<string, unknown>>;
}

/** The largest setup file (bytes, and characters of pasted text). */
export const LARGEST_SETUP = 2 * 1024 * 1024;
export const LONGEST_NAME = 60;

type Table = Record<string, unknown>;

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isPlace = (value: unknown): boolean => Array.isArray(value) && value.length === 2 && value.every(isNumber);
const isText = (value: unknown): boolean => typeof value === 'string';
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isList =
  (each: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(each);

type Checks = Readonly<Record<string, [check: (value: unknown) => boolean, what: string, needed?: true]>>;

const TEXT: [typeof isText, string] = [isText, 'a text'];
const NAMED: [typeof isText, string, true] = [isText, 'a text', true];
const PLACES: [(value: unknown) => boolean, string] = [isList(isPlace), 'a list of places, each [x, y]'];
const NUMBER: [(value: unknown) => boolean, string] = [isNumber, 'a number'];
const TEXTS: [(value: unknown) => boolean, string] = [isList(isText), 'a list of words'];
const YES: [(value: unknown) => boolean, string] = [(value) => typeof value === 'boolean', 'true or false'];
const TABLE: [(value: unknown) => boolean, string] = [isTable, 'a table of fields'];

const PIECE: Checks = {
  id: NAMED,
  kind: NAMED,
  outline: [...PLACES, true],
  name: TEXT,
  cover: TEXT,
  sight: TEXT,
  flags: TEXTS,
  sight_depth: NUMBER,
  linear: YES,
  openings: [isList((value) => isTable(value) && isPlace(value.at)), 'a list of openings, each with its place'],
};
const SIDE: Checks = {
  id: NAMED,
  name: NAMED,
  letter: NAMED,
  shape: NAMED,
  edge: TEXT,
  force: TEXT,
  zone: PLACES,
  assets: [isList(isTable), 'a list of what it has off the table'],
};
const FIGURE: Checks = {
  id: NAMED,
  at: [isPlace, 'a place, [x, y]'],
  role: TEXT,
  fallen: YES,
  conditions: TEXTS,
  hull: [isPlace, 'a length and a width'],
  facing: NUMBER,
  traits: TABLE,
};
const UNIT: Checks = {
  id: NAMED,
  side: NAMED,
  name: NAMED,
  figures: [(value) => isCount(value) || isList(isTable)(value), 'a number or a list of figures', true],
  at: PLACES,
  base: NUMBER,
  conditions: TEXTS,
  activated: [isCount, 'the number of a turn'],
  left: TEXT,
  mounts: TABLE,
  traits: TABLE,
  seats: [isCount, 'a whole number'],
  aboard: TEXT,
  attached: TEXT,
};
const OBJECTIVE: Checks = {
  id: NAMED,
  name: NAMED,
  at: [isPlace, 'a place, [x, y]', true],
  radius: [isNumber, 'a number', true],
  held_by: TEXT,
};
const TURN: Checks = { number: [isCount, 'a whole number'], phase: TEXT, active: TEXT, first: TEXT };
const SIZE: Checks = { width: NUMBER, height: NUMBER, added: [isCount, 'a whole number'] };
const FILE: Checks = {
  edition: NAMED,
  id: TEXT,
  name: NAMED,
  summary: TEXT,
  minutes: NUMBER,
  victory: TABLE,
  deployment: TABLE,
  options: TABLE,
  book: TABLE,
};

/** Refuses a table with a field that is not what it should be. */
function checked(value: unknown, checks: Checks, where: string): Table {
  if (!isTable(value)) throw new BadFile(`${where} should be a table of fields.`);
  for (const [key, [check, what, needed]] of Object.entries(checks)) {
    if (value[key] === undefined ? needed : !check(value[key])) {
      throw new BadFile(`${where}: ${key} should be ${what}.`);
    }
  }
  return value;
}

/** Refuses a list with two things of the same id, or with one that is not what it should be. */
function rows(value: unknown, checks: Checks, what: string): void {
  if (value === undefined) return;
  if (!Array.isArray(value)) throw new BadFile(`“${what}” should be a list.`);
  const ids = new Set<unknown>();
  value.forEach((each, i) => {
    const name = isTable(each) && typeof each.name === 'string' && each.name !== '' ? `, ${each.name}` : '';
    const { id } = checked(each, checks, `The ${what} number ${i + 1}${name}`);
    if (ids.has(id)) throw new BadFile(`Two of the list “${what}” have the id “${String(id)}”.`);
    ids.add(id);
  });
}

/**
 * A setup out of data of unknown making.
 *
 * Throws BadFile, with a sentence that says what is wrong and where.
 */
export function readSetup(value: unknown): Setup {
  if (!isTable(value) || value.format !== SETUP_FORMAT) {
    throw new BadFile(`This is not a setup file: a setup file has the field “format” with “${SETUP_FORMAT}”.`);
  }
  checked(value, FILE, 'The setup');
  if (value.table !== undefined) checked(value.table, SIZE, 'The table');
  if (value.turn !== undefined) checked(value.turn, TURN, 'The turn');
  if (value.side === undefined) throw new BadFile('A setup has at least two sides.');
  rows(value.side, SIDE, 'side');
  rows(value.terrain, PIECE, 'terrain');
  rows(value.objective, OBJECTIVE, 'objective');
  rows(value.unit, UNIT, 'unit');
  for (const unit of (value.unit as Unit[] | undefined) ?? []) {
    if (Array.isArray(unit.figures)) rows(unit.figures, FIGURE, `figures of ${unit.name}`);
    for (const mount of Object.values(unit.mounts ?? {})) checked(mount, { weapon: NAMED }, `A weapon of ${unit.name}`);
  }
  return { id: 'position', ...value } as unknown as Setup;
}

/**
 * A setup out of the text of a file: JSON, or TOML.
 *
 * Throws BadFile, with a sentence.
 */
export async function parseSetup(content: string): Promise<Setup> {
  return readSetup(await readFile(content, LARGEST_SETUP, 'a setup'));
}

/** The text of a setup's file: short lists on one line, so that people can read it. */
export function writeSetup(setup: Setup): string {
  const lines = JSON.stringify(setup, null, 1);
  const flat = lines.replace(/\[\s+(-?[\d.]+),\s+(-?[\d.]+)\s+\]/g, '[$1, $2]');
  return flat.replace(/\{\n\s+("id": "[^"]*")/g, '{ $1') + '\n';
}

/** What a setup's file is called, after its name. */
export const setupFileName = (setup: Setup): string => `${plainName(setup.name, 'position')}.setup.json`;

/** A position with two sides and nothing else, on a table of four feet. */
export function newSetup(edition: string, name: string): Setup {
  const strip = (low: number, high: number): Place[] => [
    [0, low],
    [48, low],
    [48, high],
    [0, high],
  ];
  return {
    format: SETUP_FORMAT,
    edition,
    id: 'position',
    name,
    table: { width: 48, height: 48 },
    terrain: [],
    side: [
      { id: 'blue', name: 'Blue', letter: 'B', shape: 'circle', edge: 'south', zone: strip(0, 8) },
      { id: 'red', name: 'Red', letter: 'R', shape: 'square', edge: 'north', zone: strip(40, 48) },
    ],
    unit: [],
    objective: [],
  };
}
