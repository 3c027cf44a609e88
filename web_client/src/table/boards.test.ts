import { expect, it } from 'vitest';
import { vehicle } from '../lib/vehicles.fixture';
import { path, view } from '../lib/views.fixture';
import { boardings } from './boards';
import type { March } from './march.svelte';

const carrier = vehicle('blue', 3, 'Carrier', [20_000, 20_000], 0);
const there = view({ units: { carrier } });
const walking = (...ends: (readonly [number, number])[]) =>
  ends.map((at, i) => ({ figure: { id: `f${i}`, radius: 500 }, points: [[0, 0], at] })) as unknown as March['tracks'];

it('counts the figures that would end near enough to a vehicle', () => {
  const parameter = path({ boards: [['carrier', 1000]] });
  // A base's edge is 0.9", 1" and 1.1" off the hull's long side.
  const tracks = walking([20_000, 22_650], [20_000, 22_750], [20_000, 22_850]);
  expect(boardings({ parameter, tracks }, there)).toEqual([{ vehicle: 'carrier', near: 2, all: 3, reach: 1000 }]);
});

it('says nothing of a vehicle that is far away, or that is not there', () => {
  const tracks = walking([20_000, 30_000]);
  expect(boardings({ parameter: path({ boards: [['carrier', 1000]] }), tracks }, there)).toEqual([]);
  expect(boardings({ parameter: path({ boards: [['other', 1000]] }), tracks }, there)).toEqual([]);
});
