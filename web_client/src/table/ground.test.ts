import { expect, it } from 'vitest';
import type { TableView, TerrainView } from '../lib/protocol';
import { groundAt } from './ground';

const piece = (id: string, outline: TerrainView['outline'], rest: Partial<TerrainView> = {}): TerrainView =>
  ({ id, name: id, kind: id, outline, linear: false, notes: ['heavy cover'], ...rest }) as TerrainView;
const wood = piece('wood', [[0, 0], [10_000, 0], [10_000, 10_000], [0, 10_000]]); // prettier-ignore
const hedge = piece(
  'hedge',
  [
    [0, 20_000],
    [10_000, 20_000],
  ],
  { linear: true },
);
const road = piece(
  'road',
  [
    [0, 0],
    [20_000, 0],
    [20_000, 30_000],
    [0, 30_000],
  ],
  { notes: [] },
);
const table = { width: 40_000, height: 40_000, terrain: [wood, hedge, road] } as unknown as TableView;

it('tells in what and at what figures would stand', () => {
  const ends = [[5000, 5000], [5000, 19_100], [6000, 20_900], [5000, 22_000]] as const; // prettier-ignore
  expect(groundAt(ends, table).map((one) => [one.piece.id, one.figures])).toEqual([['hedge', 2], ['wood', 1]]); // prettier-ignore
});

it('says nothing of ground that does nothing', () => {
  expect(groundAt([[15_000, 15_000]], table)).toEqual([]);
});
