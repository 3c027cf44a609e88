import { describe, expect, it } from 'vitest';
import { traitsOf, withTrait, type Trait } from './traits';

const trait = (key: string, value: Trait['value']): Trait => ({ key, label: key, text: '', on: 'unit', value });
const known = [trait('brave', 'flag'), trait('quick', 'number'), trait('wings', 'pair')];

describe('traits of a row', () => {
  it('stand in its table or in fields of their names', () => {
    const row = { name: 'A', traits: { quick: 2 }, brave: 'yes', wings: [1, 2] };
    expect(traitsOf(row, known)).toEqual({ quick: 2, brave: true, wings: [1, 2] });
    expect(traitsOf({ name: 'A', brave: false }, known)).toEqual({});
  });

  it('stand in the table once one is set', () => {
    const row = { name: 'A', brave: 'yes' };
    expect(withTrait(row, known, 'quick', 3)).toEqual({ name: 'A', traits: { brave: true, quick: 3 } });
    expect(withTrait(row, known, 'brave')).toEqual({ name: 'A' });
    expect(withTrait({ name: 'A', traits: { wings: [1, 2] } }, known, 'wings')).toEqual({ name: 'A' });
  });
});
