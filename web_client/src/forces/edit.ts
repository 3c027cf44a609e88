/**
 * Changes to a force, each of which gives a new one. Units and rows keep a key of their own through all changes, so that
 * what is said of them (by the page or by the server) finds them again where they have gone.
 */
import type { Entries, Entry, Force, ForceForm, ForceProblem, ForceUnit } from '../lib/protocol';
import { freeName } from '../library/names';
import { kindOf } from './form';

const keys = new WeakMap<object, string>();
let counted = 0;

/** The key of a unit or a row. */
export function keyOf(thing: object): string {
  let key = keys.get(thing);
  if (key === undefined) keys.set(thing, (key = `k${++counted}`));
  return key;
}

/** What has replaced a unit or a row. */
function heir<Thing extends object>(old: Thing, now: Thing): Thing {
  keys.set(now, keyOf(old));
  return now;
}

/** A list with one of its things at another place; as it is where there is no such place. */
export function moved<Thing>(things: readonly Thing[], from: number, to: number): Thing[] {
  const list = [...things];
  if (from < 0 || from >= list.length || to < 0 || to >= list.length) return list;
  const [thing] = list.splice(from, 1);
  list.splice(to, 0, thing as Thing);
  return list;
}

const inserted = <Thing>(things: readonly Thing[], at: number, thing: Thing): Thing[] => [
  ...things.slice(0, at),
  thing,
  ...things.slice(at),
];
const without = <Thing>(things: readonly Thing[], at: number): Thing[] => things.filter((_, i) => i !== at);
const replaced = <Thing>(things: readonly Thing[], at: number, thing: Thing): Thing[] =>
  things.map((each, i) => (i === at ? thing : each));

// --- units ------------------------------------------------------------------------------------------------------------

export const addUnit = (force: Force, unit: ForceUnit): Force => ({ ...force, units: [...force.units, unit] });
export const removeUnit = (force: Force, at: number): Force => ({ ...force, units: without(force.units, at) });
export const moveUnit = (force: Force, from: number, to: number): Force => ({
  ...force,
  units: moved(force.units, from, to),
});
export const changeUnit = (force: Force, at: number, unit: ForceUnit): Force => ({
  ...force,
  units: replaced(force.units, at, unit),
});

/** A copy of the unit, after it in the list and with a name of its own. */
export function duplicateUnit(force: Force, at: number): Force {
  const unit = force.units[at];
  if (!unit) return force;
  const taken = force.units.map((each) => each.name);
  const copy = { ...structuredClone(unit), name: freeName(unit.name, taken) };
  return { ...force, units: inserted(force.units, at + 1, copy) };
}

// --- within a unit ----------------------------------------------------------------------------------------------------

export const rename = (unit: ForceUnit, name: string): ForceUnit => heir(unit, { ...unit, name });

/** Sets a field; `undefined` takes it out. */
export function setField(unit: ForceUnit, key: string, value: Entry | undefined): ForceUnit {
  return heir(unit, { ...unit, fields: setEntry(unit.fields ?? {}, key, value) });
}

function setEntry(entries: Entries, key: string, value: Entry | undefined): Entries {
  if (value !== undefined) return { ...entries, [key]: value };
  return Object.fromEntries(Object.entries(entries).filter(([each]) => each !== key));
}

export const rowsOf = (unit: ForceUnit, list: string): readonly Entries[] => unit.rows?.[list] ?? [];

const withRows = (unit: ForceUnit, list: string, rows: Entries[]): ForceUnit =>
  heir(unit, { ...unit, rows: { ...unit.rows, [list]: rows } });

export const addRow = (unit: ForceUnit, list: string, row: Entries): ForceUnit =>
  withRows(unit, list, [...rowsOf(unit, list), row]);
export const removeRow = (unit: ForceUnit, list: string, at: number): ForceUnit =>
  withRows(unit, list, without(rowsOf(unit, list), at));
export const moveRow = (unit: ForceUnit, list: string, from: number, to: number): ForceUnit =>
  withRows(unit, list, moved(rowsOf(unit, list), from, to));

export function duplicateRow(unit: ForceUnit, list: string, at: number): ForceUnit {
  const rows = rowsOf(unit, list);
  const row = rows[at];
  return row ? withRows(unit, list, inserted(rows, at + 1, { ...row })) : unit;
}

/** Sets a field of a row; `undefined` takes it out. */
export function setCell(unit: ForceUnit, list: string, at: number, key: string, value: Entry | undefined): ForceUnit {
  const rows = rowsOf(unit, list);
  const row = rows[at];
  return row ? withRows(unit, list, replaced(rows, at, heir(row, setEntry(row, key, value)))) : unit;
}

/** Takes out a list that the unit's kind does not have. */
export function dropList(unit: ForceUnit, list: string): ForceUnit {
  return heir(unit, { ...unit, rows: Object.fromEntries(Object.entries(unit.rows ?? {}).filter(([k]) => k !== list)) });
}

// --- what is said of them -------------------------------------------------------------------------------------------

/** A problem, and the keys of the unit and the row it is about ("" for none). */
export interface Fault {
  sentence: string;
  rule: string;
  unit: string;
  list: string;
  row: string;
  field: string;
}

/** The server's problems with `force`, by keys instead of places: the places may be others by now. */
export function faultsOf(force: Force, problems: readonly ForceProblem[]): Fault[] {
  return problems.map(({ sentence, rule, unit, list, row, field }) => {
    const meant = force.units[unit];
    const line = meant && list !== '' ? rowsOf(meant, list)[row] : undefined;
    return { sentence, rule, unit: meant ? keyOf(meant) : '', list, row: line ? keyOf(line) : '', field };
  });
}

/** A fault's sentence with the place it is about, unless it names its unit itself: `2nd Section, Figures row 3: ...`. */
export function placed(form: ForceForm, force: Force, fault: Fault): string {
  const place = force.units.findIndex((unit) => keyOf(unit) === fault.unit);
  const unit = force.units[place];
  if (!unit || fault.sentence.startsWith(unit.name)) return fault.sentence;
  const alone = force.units.filter((each) => each.name === unit.name).length === 1;
  const where = [alone ? unit.name : `${unit.name} (unit ${place + 1})`];
  if (fault.list !== '') {
    const list = kindOf(form, unit)?.lists.find((each) => each.key === fault.list)?.label ?? fault.list;
    const row = rowsOf(unit, fault.list).findIndex((each) => keyOf(each) === fault.row);
    where.push(row < 0 ? list : `${list} row ${row + 1}`);
  }
  return `${where.join(', ')}: ${fault.sentence}`;
}

/** The id of the element for a place in a force: the unit's, a list's, a row's or a field's. */
export const spot = (unit: string, list = '', row = '', field = ''): string =>
  ['spot', unit, list, row, field].join('-').replace(/[^\w-]/g, '_');
