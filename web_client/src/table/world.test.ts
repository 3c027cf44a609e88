import { expect, test } from 'vitest';

import { table as bare, view } from '../lib/views.fixture';
import { wholeTable } from './world';

const wall = { id: 'wall', name: 'Wall', kind: 'wall', outline: [], linear: true } as never;
const house = { id: 'house', name: 'House', kind: 'house', outline: [], linear: false } as never;
const table = { ...bare, terrain: [wall, house] };

test('the table is drawn without what is gone, and with what came about in play', () => {
  expect(wholeTable(table, view())).toBe(table);
  const without = view({ gone: ['wall'] });
  expect(wholeTable(table, without).terrain).toEqual([house]);
  expect(wholeTable(table, without)).toBe(wholeTable(table, without));
  const rubble = { id: 'house', name: 'Rubble', kind: 'rubble', outline: [], linear: false } as never;
  expect(wholeTable(table, view({ gone: ['wall'], terrain: { house: rubble } })).terrain).toEqual([rubble]);
});
