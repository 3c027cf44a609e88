import { expect, it } from 'vitest';
import type { TableView, TerrainView } from '../lib/protocol';
import { exposure, sheltered } from './shelter';

const box = (id: string, [left, bottom, right, top]: number[], rest: Partial<TerrainView>): TerrainView =>
  ({
    id,
    name: id,
    kind: id,
    outline: [[left, bottom], [right, bottom], [right, top], [left, top]], // prettier-ignore
    linear: false,
    cover: 'none',
    sight: 'clear',
    sight_depth: 0,
    notes: ['does something'],
    ...rest,
  }) as TerrainView;
const rock = box('rock', [8000, 9000, 14_000, 11_000], { sight: 'solid' });
const wood = box('wood', [20_000, 2000, 28_000, 8000], { sight: 'depth', sight_depth: 4000, cover: 'light' });
const table = { width: 40_000, height: 40_000, terrain: [rock, wood] } as unknown as TableView;
const eye = [[11_000, 38_000]] as const;

it('is nothing behind what blocks sight, less in cover, and one in the open', () => {
  expect(exposure([[11_000, 4000]], eye, table)).toBe(0);
  expect(exposure([[24_000, 7000]], eye, table)).toBeCloseTo(0.4);
  expect(exposure([[36_000, 4000]], eye, table)).toBe(1);
});

it('is nothing deep inside a wood', () => {
  expect(exposure([[25_000, 2500]], eye, table)).toBe(0);
});

it('finds the place out of sight within the zone', () => {
  const zone = [[0, 0], [40_000, 0], [40_000, 8500], [0, 8500]] as const; // prettier-ignore
  const squad = [[34_000, 4000], [35_500, 4000], [34_000, 5500], [35_500, 5500]] as const; // prettier-ignore
  const [best] = sheltered(squad, zone, eye, [], table);
  const moved = squad.map(([x, y]) => [x - 34_750 + best![0], y - 4750 + best![1]] as const);
  expect(exposure(moved, eye, table)).toBe(0);
  // Where friends stand already is another place.
  const [next] = sheltered(squad, zone, eye, moved, table);
  expect(Math.hypot(next![0] - best![0], next![1] - best![1])).toBeGreaterThan(3000);
});
