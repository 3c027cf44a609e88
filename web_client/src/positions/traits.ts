/** Traits in a setup: what a unit or a figure has that others have not, each with a value of its type. */
import type { Label } from './parts';

export type TraitValue = boolean | number | readonly [number, number];

/** A trait of the edition's, whether units have it or single figures, and the type of its value. */
export interface Trait extends Label {
  on: 'unit' | 'figure';
  value: 'flag' | 'number' | 'pair';
}

type Row = Readonly<Record<string, unknown>>;

/** The traits that a row gives, in its table or by a field of a trait's name. */
export function traitsOf(row: Row, known: readonly Trait[]): Record<string, TraitValue> {
  const table = (row.traits ?? {}) as Record<string, TraitValue>;
  const fields = known.flatMap(({ key }) =>
    row[key] === undefined ? [] : [[key, row[key] === 'yes' ? true : (row[key] as TraitValue)] as const],
  );
  const given = [...Object.entries(table), ...fields].filter(([, value]) => value !== false);
  return Object.fromEntries(given);
}

/** The row with a trait set, or without it; all of its traits then stand in its table. */
export function withTrait<R extends Row>(row: R, known: readonly Trait[], key: string, value?: TraitValue): R {
  const names = new Set(known.map((trait) => trait.key));
  const { [key]: _, ...others } = traitsOf(row, known);
  const traits = value === undefined ? others : { ...others, [key]: value };
  const rest = Object.fromEntries(Object.entries(row).filter(([field]) => field !== 'traits' && !names.has(field)));
  return (Object.keys(traits).length > 0 ? { ...rest, traits } : rest) as R;
}
