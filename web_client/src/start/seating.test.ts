import { expect, it } from 'vitest';
import { ALL, SEVERAL, Seating, type Seat } from './seating.svelte';

const TWO: Seat[] = [
  ['blue', 'Blue'],
  ['red', 'Red'],
];
const THREE: Seat[] = [...TWO, ['green', 'Green']];

it('takes the seats that were wished for, as far as the scenario has them', () => {
  let seats = THREE;
  const seating = new Seating(() => seats);
  const mine = (): string[] => seating.mine.map(([seat]) => seat);
  expect(mine()).toEqual(['blue']);
  seating.wish = 'green';
  expect(mine()).toEqual(['green']);
  seats = TWO;
  expect(mine()).toEqual(['blue']);
  seats = THREE;
  seating.wish = SEVERAL;
  expect(mine()).toEqual([]);
  seating.ticked = ['green', 'blue'];
  expect(mine()).toEqual(['blue', 'green']);
  seats = TWO;
  expect([seating.taking, mine()]).toEqual(['blue', ['blue']]);
  seating.wish = ALL;
  expect(mine()).toEqual(['blue', 'red']);
  seats = [];
  expect(mine()).toEqual([]);
});

it('gives a program the seats that are not mine, or none', () => {
  let seats = THREE;
  const seating = new Seating(() => seats);
  expect(seating.programs).toEqual({});
  seating.against = 'veteran';
  expect(seating.programs).toEqual({ red: 'veteran', green: 'veteran' });
  seating.wish = ALL;
  expect(seating.programs).toEqual({});
  seats = [];
  expect(seating.programs).toEqual({});
});
