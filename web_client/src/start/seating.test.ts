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
