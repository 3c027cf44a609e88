import { expect, it } from 'vitest';
import type { EditionInfo, ScenarioInfo } from '../lib/protocol';
import { guidedBattles, quickest } from './quick';

const scenario = (id: string, minutes: number, ...seats: string[]): ScenarioInfo =>
  ({ id, name: id.toUpperCase(), minutes, seats: seats.map((seat) => [seat, seat]) }) as unknown as ScenarioInfo;
const edition = (id: string, ...scenarios: ScenarioInfo[]): EditionInfo =>
  ({ id, name: id, scenarios }) as unknown as EditionInfo;
const PROGRAMS = [
  { id: 'weak', name: 'Weak', summary: '' },
  { id: 'strong', name: 'Strong', summary: '' },
];

it('takes the shortest battle of two sides, unlisted, against the weakest program', () => {
  const editions = [
    edition('first', scenario('long', 60, 'a', 'b'), scenario('crowd', 5, 'a', 'b', 'c')),
    edition('second', scenario('short', 15, 'x', 'y')),
  ];
  const quick = quickest({ editions, programs: PROGRAMS });
  expect(quick?.wish).toEqual({
    edition: 'second',
    scenario: 'short',
    name: 'Player',
    mine: ['x'],
    listed: false,
    programs: { y: 'weak' },
  });
  expect(quick?.sentence).toBe('SHORT, about 15 minutes, against the computer (Weak).');
});

it('is not there without a program, or without a battle of two sides', () => {
  const two = [edition('first', scenario('short', 15, 'x', 'y'))];
  expect(quickest({ editions: two, programs: [] })).toBeNull();
  expect(
    quickest({ editions: [edition('first', scenario('crowd', 5, 'a', 'b', 'c'))], programs: PROGRAMS }),
  ).toBeNull();
});

it('has a guided battle for each edition with lessons', () => {
  const lessons = [{ choices: ['go'], title: 'Go', text: 'Press {go}.' }];
  const guided = {
    ...edition('first', scenario('short', 15, 'x', 'y')),
    guide: { scenario: scenario('small', 8, 'x', 'y'), lessons },
  };
  const found = guidedBattles({
    editions: [guided, edition('second', scenario('other', 5, 'x', 'y'))],
    programs: PROGRAMS,
  });
  expect(found.map(({ name, wish }) => [name, wish.scenario, wish.programs])).toEqual([
    ['first', 'small', { y: 'weak' }],
  ]);
  expect(found[0]?.lessons).toEqual(lessons);
});
