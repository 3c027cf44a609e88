import { describe, expect, it } from 'vitest';
import { distance } from '../lib/geometry';
import { place, spot } from './places';
import { newSetup, type Figure, type Setup, type Unit } from './setup';
import {
  addUnit,
  addUnits,
  attach,
  board,
  changeFigure,
  duplicateUnit,
  face,
  figuresOf,
  guestsOf,
  hostsFor,
  middleOfUnit,
  putFigure,
  putUnit,
  removeUnit,
  setField,
  setFigureField,
  renumber,
  shiftUnit,
  spinUnit,
  takeOff,
  toggled,
  unitOf,
} from './units';

const three: readonly Figure[] = [
  { id: '1', at: [10, 10], role: 'chief', arm: 'rifle' },
  { id: '2', at: [12, 10] },
  { id: '3', at: [11, 12], fallen: true },
];
const squad: Unit = { id: 'squad', side: 'blue', name: 'Squad', figures: three };
const count: Unit = {
  id: 'count',
  side: 'red',
  name: 'Count',
  figures: 2,
  at: [
    [30, 30],
    [32, 30],
  ],
  level: 'good',
};
const truck: Unit = {
  id: 'truck',
  side: 'blue',
  name: 'Truck',
  figures: [{ id: '1', at: [20, 20], hull: [5, 2.5], facing: 350 }],
  seats: 8,
};
const setup: Setup = { ...newSetup('some', 'Test'), unit: [squad, count, truck] };

const spotsIn = (found: Setup, id: string): [number, number][] =>
  figuresOf(unitOf(found, id)!).flatMap((row) => (row.at ? [spot(row.at)] : []));

describe('units', () => {
  it('move as a whole, listed or counted, and figure by figure', () => {
    expect(spotsIn(shiftUnit(setup, 'squad', [500, -250]), 'squad')[2]).toEqual([11_500, 11_750]);
    expect(unitOf(shiftUnit(setup, 'count', [1000, 0]), 'count')!.at).toEqual([
      [31, 30],
      [33, 30],
    ]);
    const one = putFigure(setup, 'count', '2', [33_000, 31_000]);
    expect(unitOf(one, 'count')!.at).toEqual([
      [30, 30],
      [33, 31],
    ]);
    expect(unitOf(putFigure(setup, 'squad', '1', [9000, 9000]), 'squad')!.figures).toEqual([
      { ...three[0], at: [9, 9] },
      three[1],
      three[2],
    ]);
  });

  it('turn round their middle, and vehicles on the spot', () => {
    const turned = spinUnit(setup, 'count', 90);
    expect(unitOf(turned, 'count')!.at).toEqual([
      [31, 29],
      [31, 31],
    ]);
    const round = unitOf(spinUnit(setup, 'truck', 15), 'truck')!.figures as readonly Figure[];
    expect(round[0]).toMatchObject({ at: [20, 20], facing: 5 });
    expect((unitOf(face(setup, 'truck', '1', -90), 'truck')!.figures as readonly Figure[])[0]!.facing).toBe(270);
  });

  it('leave the table with all their places, and get into a vehicle so', () => {
    expect(middleOfUnit(unitOf(takeOff(setup, 'squad'), 'squad')!)).toBeNull();
    expect('at' in unitOf(takeOff(setup, 'count'), 'count')!).toBe(false);
    const riding = board(setup, 'squad', 'truck');
    expect(unitOf(riding, 'squad')!.aboard).toBe('truck');
    expect(spotsIn(riding, 'squad')).toEqual([]);
    // Put on the table they ride no more, and neither when their vehicle is gone.
    expect(unitOf(putUnit(riding, 'squad', [5000, 5000]), 'squad')).not.toHaveProperty('aboard');
    expect(unitOf(removeUnit(riding, 'truck'), 'squad')).not.toHaveProperty('aboard');
  });

  it('keep their formation when they are put somewhere', () => {
    const put = putUnit(setup, 'squad', [40_000, 40_000]);
    const [a, b] = spotsIn(put, 'squad');
    expect([b![0] - a![0], b![1] - a![1]]).toEqual([2000, 0]);
  });

  it('are placed on free ground, wholly on the table', () => {
    let full = setup;
    for (let i = 0; i < 12; i++) {
      [full] = addUnit(full, 'blue', { name: 'Squad', figures: 8, base: 1.2 }, [24_000, 500]);
    }
    [full] = addUnit(full, 'blue', { name: 'Truck', figures: truck.figures }, [20_000, 20_000]);
    const all = full.unit!.filter((unit) => unit.id !== 'truck' && typeof unit.figures === 'number');
    const spots = all.flatMap((unit) => spotsIn(full, unit.id));
    spots.forEach((one, i) => {
      for (const other of spots.slice(i + 1)) expect(distance(one, other)).toBeGreaterThan(1000);
    });
    for (const [x, y] of spots.slice(2)) {
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(600);
      expect(Math.max(x, y)).toBeLessThanOrEqual(47_400);
    }
    const second = full.unit!.at(-1)!;
    expect(second.name).toBe('Truck 2');
    expect(middleOfUnit(second)).not.toEqual([20_000, 20_000]);
  });

  it('are duplicated behind the one that they are like, with an id and a name of their own', () => {
    const [made, copy] = duplicateUnit(setup, 'squad');
    expect(made.unit!.map(({ id }) => id)).toEqual(['squad', copy, 'count', 'truck']);
    expect(unitOf(made, copy)).toMatchObject({ name: 'Squad 2', side: 'blue' });
    expect((unitOf(made, copy)!.figures as readonly Figure[])[0]).toMatchObject({ role: 'chief', arm: 'rifle' });
    expect(setup.unit).toHaveLength(3);
  });

  it('have acted in the turn that is counted anew, and not in one to come', () => {
    const acted: Setup = {
      ...setup,
      turn: { number: 3, phase: 'going' },
      unit: [
        { ...squad, activated: 3 },
        { ...count, activated: 2 },
      ],
    };
    expect(renumber(acted, 5).unit!.map(({ activated }) => activated)).toEqual([5, 2]);
    expect(renumber(acted, 1).unit!.map(({ activated }) => activated)).toEqual([1, 0]);
  });

  it('have figures of which each can fare otherwise', () => {
    const fallen = changeFigure(setup, 'squad', '2', { fallen: true, conditions: toggled([], 'low') });
    expect((unitOf(fallen, 'squad')!.figures as readonly Figure[])[1]).toEqual({
      id: '2',
      at: [12, 10],
      fallen: true,
      conditions: ['low'],
    });
    expect(toggled(['a', 'b'], 'a')).toEqual(['b']);
    const armed = setFigureField(setup, 'squad', '1', 'arm', undefined);
    expect((unitOf(armed, 'squad')!.figures as readonly Figure[])[0]).toEqual({ id: '1', at: [10, 10], role: 'chief' });
    expect(unitOf(setField(setup, 'count', 'level', 'better'), 'count')!.level).toBe('better');
    // Whose figures are only counted has none to tell apart.
    expect(changeFigure(setup, 'count', '1', { fallen: true })).toEqual(setup);
    expect(place([1234.4, 0])).toEqual([1.234, 0]);
  });
});

describe('units that are attached to others', () => {
  const gun: Unit = { id: 'gun', side: 'blue', name: 'Gun', figures: [{ id: '1', at: [40, 40] }] };
  const whole: Setup = { ...setup, unit: [squad, count, truck, gun] };
  const joined = attach(whole, 'gun', 'squad');

  it('join one on foot of their side, next to which they stand', () => {
    expect(hostsFor(whole, gun).map((unit) => unit.id)).toEqual(['squad']);
    expect(unitOf(joined, 'gun')!.attached).toBe('squad');
    expect(guestsOf(joined, 'squad').map((unit) => unit.id)).toEqual(['gun']);
    const [one, other] = [middleOfUnit(unitOf(joined, 'gun')!)!, middleOfUnit(squad)!];
    expect(distance(one, other)).toBeLessThan(4000);
    // One that has others with it joins none.
    expect(hostsFor(joined, unitOf(joined, 'squad')!)).toEqual([]);
    expect(unitOf(attach(joined, 'gun', ''), 'gun')).not.toHaveProperty('attached');
  });

  it('move along with it, are taken off the table and get in with it', () => {
    const before = middleOfUnit(unitOf(joined, 'gun')!)!;
    const after = middleOfUnit(unitOf(shiftUnit(joined, 'squad', [1000, 500]), 'gun')!)!;
    expect(after).toEqual([before[0] + 1000, before[1] + 500]);
    const there = putUnit(joined, 'squad', [30000, 20000]);
    expect(distance(middleOfUnit(unitOf(there, 'gun')!)!, [30000, 20000])).toBeLessThan(4500);
    expect(middleOfUnit(unitOf(takeOff(joined, 'squad'), 'gun')!)).toBeNull();
    const inside = board(joined, 'squad', 'truck');
    expect(middleOfUnit(unitOf(inside, 'gun')!)).toBeNull();
    expect(unitOf(inside, 'gun')).not.toHaveProperty('aboard');
    expect(middleOfUnit(unitOf(attach(board(whole, 'squad', 'truck'), 'gun', 'squad'), 'gun')!)).toBeNull();
  });

  it('stand by themselves once it is gone, and are copied with it or alone', () => {
    expect(unitOf(removeUnit(joined, 'squad'), 'gun')).not.toHaveProperty('attached');
    const [made, copy] = duplicateUnit(joined, 'gun');
    expect(unitOf(made, copy)).not.toHaveProperty('attached');
    const both = addUnits(setup, 'red', [unitOf(joined, 'squad')!, unitOf(joined, 'gun')!]);
    expect(both.unit!.slice(3).map((unit) => unit.attached)).toEqual([undefined, 'red-1']);
  });
});
