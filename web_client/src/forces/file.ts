/** Force files: read strictly, as `underfire validate` reads them, and written. What is wrong is said in a sentence. */
import {
  FORCE_FORMAT,
  LONGEST,
  type Entries,
  type Entry,
  type Force,
  type ForceUnit,
  type Rows,
} from '../lib/protocol';
import { BadFile, plainName, readFile } from '../library/file';

/** The largest file of a force (bytes, and characters of an unpacked link). */
export const LARGEST_FILE = 128 * 1024;

const MOST_UNITS = 40;
const MOST_LISTS = 8;
const MOST_ROWS = 60;
const MOST_FIELDS = 40;
const LONGEST_ABOUT = 300;
const LARGEST_NUMBER = 10_000;

type Table = Record<string, unknown>;

/** What may stand in a field, checked; `where` begins the sentence that says what is wrong. */
function table(value: unknown, where: string): Table {
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)) {
    return value as Table;
  }
  throw new BadFile(`${where} should be a table of names and values.`);
}

function array(value: unknown, where: string, most: number, what: string): unknown[] {
  if (!Array.isArray(value)) throw new BadFile(`${where} should be a list of ${what}.`);
  if (value.length > most)
    throw new BadFile(`${where}: ${value.length} ${what} are too many; at most ${most} are allowed.`);
  return value;
}

function text(value: unknown, where: string, most: number, least = 0): string {
  if (typeof value !== 'string') throw new BadFile(`${where} should be a text.`);
  if ([...value].length > most) throw new BadFile(`${where} is too long: it may have at most ${most} characters.`);
  if ([...value].length < least) throw new BadFile(`${where} is empty.`);
  return value;
}

function only(value: Table, known: readonly string[], where: string): void {
  const strange = Object.keys(value).find((key) => !known.includes(key));
  if (strange !== undefined) {
    throw new BadFile(`${where} has the unknown field “${strange}”. It may have ${known.join(', ')}.`);
  }
}

function entry(value: unknown, where: string): Entry {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return text(value, where, LONGEST.Id);
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= LARGEST_NUMBER) return value;
  throw new BadFile(`${where} should be a word, a whole number up to ${LARGEST_NUMBER}, or yes or no.`);
}

function entries(value: unknown, where: string): Entries {
  const found = Object.entries(table(value, where));
  if (found.length > MOST_FIELDS) throw new BadFile(`${where} has more than ${MOST_FIELDS} fields.`);
  // Object.fromEntries makes own fields of whatever they are called.
  return Object.fromEntries(
    found.map(([key, each]) => [text(key, where, LONGEST.Id), entry(each, `${where}, ${key}`)]),
  );
}

function unit(value: unknown, place: number): ForceUnit {
  let where = `Unit ${place + 1}`;
  const found = table(value, where);
  const name = text(found.name, `${where}, its name`, LONGEST.Name, 1);
  where = name;
  only(found, ['kind', 'name', 'fields', 'rows'], where);
  const lists = Object.entries(table(found.rows ?? {}, `${where}, rows`));
  if (lists.length > MOST_LISTS) throw new BadFile(`${where} has more than ${MOST_LISTS} lists.`);
  const rows = lists.map(([list, each]): [string, Rows] => [
    text(list, where, LONGEST.Id),
    array(each, `${where}, ${list}`, MOST_ROWS, 'rows').map((row, i) => entries(row, `${where}, ${list} row ${i + 1}`)),
  ]);
  return {
    kind: text(found.kind, `${where}, its kind`, LONGEST.Id, 1),
    name,
    fields: entries(found.fields ?? {}, where),
    rows: Object.fromEntries(rows),
  };
}

/**
 * A force out of data of unknown making.
 *
 * Throws BadFile, with a sentence that says what is wrong and where.
 */
export function readForce(value: unknown): Force {
  const found = table(value, 'A force');
  if (found.format !== FORCE_FORMAT) {
    throw new BadFile(
      typeof found.format === 'string'
        ? `This is “${found.format.slice(0, 60)}”; a force that can be read here is “${FORCE_FORMAT}”.`
        : `This is not a force: a force has the field “format” with “${FORCE_FORMAT}”.`,
    );
  }
  only(found, ['format', 'edition', 'name', 'about', 'units'], 'The force');
  return {
    format: FORCE_FORMAT,
    edition: text(found.edition, 'The edition', LONGEST.Id, 1),
    name: text(found.name, 'The name of the force', LONGEST.Name, 1),
    about: text(found.about ?? '', 'What is said about the force', LONGEST_ABOUT),
    units: array(found.units, 'The units', MOST_UNITS, 'units').map(unit),
  };
}

/**
 * A force out of the text of a file: JSON, or TOML.
 *
 * Throws BadFile, with a sentence.
 */
export async function parseForce(content: string): Promise<Force> {
  return readForce(await readFile(content, LARGEST_FILE, 'a force'));
}

/** A force as it is sent and stored: without empty fields, and with a name for everything. */
export function tidy(force: Force): Force {
  return {
    format: FORCE_FORMAT,
    edition: force.edition,
    name: force.name.trim() || 'Unnamed force',
    ...(force.about?.trim() ? { about: force.about.trim() } : {}),
    units: force.units.map((each, i) => ({
      kind: each.kind,
      name: each.name.trim() || `Unit ${i + 1}`,
      ...(Object.keys(each.fields ?? {}).length > 0 ? { fields: each.fields } : {}),
      ...(Object.keys(each.rows ?? {}).length > 0 ? { rows: each.rows } : {}),
    })),
  };
}

/** The text of a force's file. */
export const writeForce = (force: Force): string => JSON.stringify(tidy(force), null, 2) + '\n';

/** What a force's file is called, after its name. */
export const fileName = (force: Force): string => `${plainName(force.name, 'force')}.force.json`;
