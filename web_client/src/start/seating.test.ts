import { expect, it } from 'vitest';
import { ALL, NONE, SEVERAL, UNCONTROLLED, Seating, type Seat } from './seating.svelte';

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

it('leaves seats to a program that are not taken, where the rules have one', () => {
  let offered = [UNCONTROLLED];
  const seating = new Seating(
    () => TWO,
    () => offered,
  );
  expect(seating.others).toEqual([['red', 'Red']]);
  expect(seating.programs).toEqual({});
  seating.left.red = UNCONTROLLED;
  expect(seating.programs).toEqual({ red: UNCONTROLLED });
  seating.wish = 'red';
  expect(seating.programs).toEqual({});
  seating.wish = 'blue';
  offered = [];
  expect(seating.programs).toEqual({});
});

it('leaves every seat to the computer, if one wants to watch', () => {
  let offered = ['recruit', 'commander', UNCONTROLLED];
  const seating = new Seating(
    () => TWO,
    () => offered,
  );
  seating.wish = NONE;
  expect([seating.mine, seating.good]).toEqual([[], true]);
  expect(seating.programs).toEqual({ blue: 'commander', red: 'commander' });
  seating.left.red = 'recruit';
  expect(seating.programs).toEqual({ blue: 'commander', red: 'recruit' });
  // Without a computer one plays oneself.
  offered = [UNCONTROLLED];
  expect([seating.taking, seating.good]).toEqual(['blue', true]);
});
