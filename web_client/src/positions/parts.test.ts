import { describe, expect, it } from 'vitest';
import { inWords, ownFields, seenValues, withKey, type Parts } from './parts';

const parts = {
  traits: [{ key: 'brave', label: 'Brave', text: '', on: 'unit', value: 'flag' }],
  units: [
    {
      name: 'A',
      from: 'X',
      row: {
        name: 'A',
        level: 'good',
        seats: 3,
        brave: 'yes',
        crew: 2,
        figures: [{ id: '1', arm: 'bow', role: 'chief' }],
      },
    },
    { name: 'B', from: 'X', row: { name: 'B', level: 'bad', figures: [{ id: '1', arm: 'axe' }] } },
    { name: 'C', from: 'Y', row: { name: 'C', level: 'good', figures: 3 } },
  ],
} as unknown as Parts;

describe("the edition's own fields", () => {
  it('can have what ready units have there', () => {
    expect([...seenValues(parts, 'unit')]).toEqual([
      ['level', ['bad', 'good']],
      ['crew', [2]],
    ]);
    expect([...seenValues(parts, 'figure')]).toEqual([['arm', ['axe', 'bow']]]);
  });

  it('are those that are no part of every setup', () => {
    expect(ownFields({ id: 'x', name: 'N', level: 'good', base: 1, left: 'gone', traits: {} }, 'unit')).toEqual([
      ['level', 'good'],
    ]);
  });

  it('are told in words where nothing else is known', () => {
    expect(inWords('light-something_else')).toBe('Light something else');
    expect(withKey([], 'odd')).toEqual([{ key: 'odd', label: 'odd', text: '' }]);
    expect(withKey([], undefined)).toEqual([]);
  });
});
