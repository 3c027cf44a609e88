import { expect, it } from 'vitest';
import { nearTheTop, nextToFigures } from './world';

const squad = [
  { at: [10_000, 30_000] as const, radius: 500 },
  { at: [14_000, 28_000] as const, radius: 500 },
];

it('stands above a formation, or below one that is so near to the upper edge that it would stand over it', () => {
  expect(nextToFigures(squad, false, 50, 1)).toEqual([12_000, 30_750]);
  expect(nextToFigures(squad, true, 50, 1)).toEqual([12_000, 25_050]);
  expect(nearTheTop(squad, 32_950, 50, 1)).toBe(false);
  expect(nearTheTop(squad, 32_949, 50, 1)).toBe(true);
});

it('stands on the other side of it on a table that is turned round', () => {
  const turned = squad.map(({ at: [x, y], ...base }) => ({ ...base, at: [-x, -y] as const }));
  expect(nextToFigures(turned, false, 50, -1)).toEqual([-12_000, -30_750]);
  expect(nextToFigures(turned, true, 50, -1)).toEqual([-12_000, -25_050]);
  const low = squad.map(({ at: [x, y], ...base }) => ({ ...base, at: [x, 32_950 - y] as const }));
  expect(nearTheTop(low, 99_000, 50, -1)).toBe(false);
  expect(
    nearTheTop(
      low.map(({ at: [x, y], ...base }) => ({ ...base, at: [x, y - 1] as const })),
      99_000,
      50,
      -1,
    ),
  ).toBe(true);
});
