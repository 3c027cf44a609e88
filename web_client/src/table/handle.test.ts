import { expect, it } from 'vitest';
import { nearTheTop, nextToFigures } from './world';

const squad = [
  { at: [10_000, 30_000] as const, radius: 500 },
  { at: [14_000, 28_000] as const, radius: 500 },
];

it('stands above a formation, or below one that is so near to the upper edge that it would stand over it', () => {
  expect(nextToFigures(squad, false, 50)).toEqual([12_000, 30_750]);
  expect(nextToFigures(squad, true, 50)).toEqual([12_000, 25_050]);
  expect(nearTheTop(squad, 32_950, 50)).toBe(false);
  expect(nearTheTop(squad, 32_949, 50)).toBe(true);
});
