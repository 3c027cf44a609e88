import { describe, expect, it } from 'vitest';
import type { SetupChecked } from '../lib/protocol';
import { drawn, mustered } from './drawn';
import type { Parts } from './parts';
import { newSetup, type Setup } from './setup';

const parts: Parts = {
  scenarios: [],
  terrain: [
    {
      kind: 'copse',
      name: 'Copse',
      linear: false,
      cover: 'some',
      sight: 'depth',
      sight_depth: 4,
      flags: ['slow'],
      notes: [],
    },
  ],
  covers: [],
  units: [],
  conditions: [{ key: 'tired', label: 'Tired', text: '', on: 'figure' }],
  left: [],
  phases: [],
  roles: [],
  traits: [],
  attaching: [],
  forces: [],
  sides: { letters: [], shapes: [], least: 2, most: 2 },
  victory: [],
  options: [],
};
const setup: Setup = {
  ...newSetup('some', 'Test'),
  terrain: [
    {
      id: 'c',
      kind: 'copse',
      outline: [
        [1, 1],
        [3, 1],
        [3, 3],
      ],
    },
  ],
  turn: { number: 2, phase: 'going' },
  unit: [
    {
      id: 'u',
      side: 'blue',
      name: 'U',
      figures: [
        { id: '1', at: [5, 5.5], conditions: ['tired'] },
        { id: '2', hull: [4, 2], facing: 90 },
      ],
      activated: 2,
      base: 1.5,
    },
  ],
};
const known = drawn(setup, null, parts);
const unit = known.view.units.u!;
const checked: SetupChecked = {
  type: 'setup_checked',
  id: 'x',
  problem: '',
  edition: 'some',
  words: { tired: { label: 'Worn', text: '', rule: 'r', apart: false } },
  table: { ...known.table, terrain: [{ ...known.table.terrain[0]!, notes: ['slow going'] }] },
  view: {
    ...known.view,
    turn_limit: 6,
    units: {
      u: { ...unit, figures: { ...unit.figures, '1': { ...unit.figures['1']!, sign: 'star', at: [0, 0] } } },
      extra: { ...unit, side: 'red', number: 1 },
    },
  },
};

describe('the picture', () => {
  it('is drawn before the server has said anything', () => {
    expect(known.table.terrain[0]).toMatchObject({ name: 'Copse', sight_depth: 4000, flags: ['slow'] });
    expect(unit.figures['1']).toMatchObject({ at: [5000, 5500], radius: 750, conditions: ['tired'] });
    expect(unit.figures['2']).toMatchObject({ at: null, hull: [4000, 2000], facing: 9000 });
    expect(unit.activated).toBe(true);
    expect(known.words.tired!.label).toBe('Tired');
  });

  it('has what only the rules know from the last answer, and places from the setup', () => {
    const picture = drawn(setup, checked, parts);
    expect(picture.view.units.u!.figures['1']).toMatchObject({ sign: 'star', at: [5000, 5500] });
    expect(picture.table.terrain[0]!.notes).toEqual(['slow going']);
    expect(picture.words.tired!.label).toBe('Worn');
    expect(picture.view.turn_limit).toBe(6);
  });

  it('shows units of a ready force, for a side that plays one', () => {
    expect(mustered(setup, checked)).toEqual([]);
    const forced = { ...setup, side: setup.side.map((side) => ({ ...side, force: 'column' })) };
    const picture = drawn(forced, checked, parts);
    expect(Object.keys(picture.view.units)).toEqual(['extra', 'u']);
    expect(picture.view.units.u!.number).toBe(2);
  });
});
