/** What a form says of units: what new ones look like, what a value is called, what a unit holds in a few words. */
import type { Entries, Entry, Force, ForceForm, ForceUnit, FormField, FormKind, FormList } from '../lib/protocol';
import { FORCE_FORMAT, LONGEST } from '../lib/protocol';
import { freeName } from '../library/names';

/** How a field is filled in. */
export type Way = 'choice' | 'number' | 'flag' | 'text';

export function wayOf(field: FormField): Way {
  if (field.choices.length > 0) return 'choice';
  if (typeof field.default === 'boolean') return 'flag';
  return typeof field.default === 'number' ? 'number' : 'text';
}

export const kindOf = (form: ForceForm, unit: ForceUnit): FormKind | undefined =>
  form.kinds.find((kind) => kind.key === unit.kind);

/** What a field holds: its default where nothing is said. */
export const valueOf = (entries: Entries | undefined, field: FormField): Entry => entries?.[field.key] ?? field.default;

/** The fields that a form does not know, as they may come from a file. */
export const strangers = (entries: Entries | undefined, fields: readonly FormField[]): string[] =>
  Object.keys(entries ?? {}).filter((key) => !fields.some((field) => field.key === key));

/** Fields under one heading. */
export interface Group {
  name: string;
  fields: FormField[];
}

/** The fields of a unit or row: those that all have, and the groups of the others, in the form's order. */
export function grouped(fields: readonly FormField[]): { plain: FormField[]; groups: Group[] } {
  const groups: Group[] = [];
  for (const field of fields) {
    if (field.group === '') continue;
    const group = groups.find((each) => each.name === field.group);
    if (group) group.fields.push(field);
    else groups.push({ name: field.group, fields: [field] });
  }
  return { plain: fields.filter((field) => field.group === ''), groups };
}

/** What a unit or row has of a group, in a few words; "" if every field is at its default. */
export function held(group: Group, entries: Entries | undefined): string {
  const set = group.fields.filter((field) => valueOf(entries, field) !== field.default);
  return set
    .map((field) => said(field, valueOf(entries, field)))
    .filter((words) => words !== '')
    .join(' · ');
}

const defaults = (fields: readonly FormField[]): Entries =>
  Object.fromEntries(fields.map((field) => [field.key, field.default]));

/** A row as it comes, every field at its default. */
export const newRow = (list: FormList): Entries => defaults(list.fields);

/** A unit as it comes: every field at its default, each list with as many rows as it must have. */
export function newUnit(kind: FormKind, taken: readonly string[]): ForceUnit {
  return {
    kind: kind.key,
    name: freeName(kind.label.slice(0, LONGEST.Name), taken),
    fields: defaults(kind.fields),
    rows: Object.fromEntries(
      kind.lists.map((list) => [list.key, Array.from({ length: list.least }, () => newRow(list))]),
    ),
  };
}

/** A force without units. */
export const newForce = (edition: string, name: string): Force => ({
  format: FORCE_FORMAT,
  edition,
  name,
  about: '',
  units: [],
});

/** What a value of a field is called; null when the field does not know it. */
export function wordFor(field: FormField, value: Entry): string | null {
  switch (wayOf(field)) {
    case 'choice':
      return field.choices.find((choice) => choice.value === value)?.label ?? null;
    case 'flag':
      return typeof value === 'boolean' ? (value ? 'yes' : 'no') : null;
    case 'number':
      return typeof value === 'number' ? String(value) : null;
    case 'text':
      return typeof value === 'string' ? value : null;
  }
}

/** A field with its value, in a few words; "" where the value is that nothing is there. */
export function said(field: FormField, value: Entry): string {
  const word = wordFor(field, value) ?? String(value);
  if (wayOf(field) === 'choice') return word;
  if (wayOf(field) === 'flag') return value ? field.label : '';
  return `${field.label} ${word}`;
}

/** How many things a list holds: a list whose rows begin with a number has so many of each. */
export function countOf(list: FormList, rows: readonly Entries[]): number {
  const [first] = list.fields;
  if (!first || wayOf(first) !== 'number') return rows.length;
  return rows.reduce((sum, row) => sum + Math.max(0, Number(valueOf(row, first)) || 0), 0);
}

/** A number of things with a label of several: `6 figures`, `1 figure`. */
function numbered(count: number, label: string): string {
  const many = label.toLowerCase();
  return `${count} ${count === 1 ? many.replace(/s$/, '') : many}`;
}

/** A unit in a few words: `Foot · Trained · 6 figures`. A number that comes first in its kind counts what it is made of. */
export function gist(form: ForceForm, unit: ForceUnit): string {
  const kind = kindOf(form, unit);
  if (!kind) return unit.kind;
  const [first] = kind.fields.filter((field) => wayOf(field) === 'choice');
  const parts = [kind.label, ...(first ? [said(first, valueOf(unit.fields, first))] : [])];
  const [head] = kind.fields;
  if (head && wayOf(head) === 'number') parts.push(numbered(Number(valueOf(unit.fields, head)), head.label));
  for (const list of kind.lists) {
    const count = countOf(list, unit.rows?.[list.key] ?? []);
    if (count > 0) parts.push(numbered(count, list.label));
  }
  return parts.join(' · ');
}

/** A row in a few words: `3 × Rifle · Helmet`. Defaults are left out, apart from the first value. */
export function rowGist(list: FormList, row: Entries): string {
  const [first] = list.fields;
  const main = list.fields.find((field) => wayOf(field) === 'choice');
  const count = first && wayOf(first) === 'number' ? `${String(valueOf(row, first))} × ` : '';
  const parts = list.fields
    .filter((field) => field === main || valueOf(row, field) !== field.default)
    .filter((field) => field !== first || count === '')
    .map((field) => said(field, valueOf(row, field)));
  return count + parts.filter((part) => part !== '').join(' · ');
}

/** A word with a capital, to begin a sentence. */
export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** A word with its article: `a weapon`, `an engine`. */
export const withArticle = (word: string): string => `${/^[aeiou]/i.test(word) ? 'an' : 'a'} ${word.toLowerCase()}`;
