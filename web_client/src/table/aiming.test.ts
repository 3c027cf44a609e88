import { describe, expect, it, vi } from 'vitest';
import type { PointParameter, View } from '../lib/protocol';
import { table, unit, view } from '../lib/views.fixture';
import { threeSides } from '../lib/vehicles.fixture';
import { Aiming, caughtAt, nearestAt } from './aiming.svelte';

const MORTAR: PointParameter = {
  type: 'point',
  label: 'Mortar',
  unit: 'b1',
  figure: 'f1',
  reach: 33000,
  radius: 2000,
  near: ['r1'],
  near_why: { sentence: 'No figure there.', rule: 'fad4/blast.impact-area' },
  suggested: null,
  reach_rule: 'fad4/shoot.range-bands',
  sight_rule: 'fad4/shoot.line-of-sight',
  mount: '',
  over: false,
  spotters: [],
  nearest: false,
  shelters: [],
  through: [],
  gap: 0,
  through_rule: '',
  around: null,
};

function aiming(on: View = view(), more: Partial<PointParameter> = {}, changed = (): void => undefined): Aiming {
  const parameter = { ...MORTAR, ...more };
  return new Aiming(
    parameter,
    () => on,
    () => table,
    changed,
    parameter.suggested,
  );
}

describe('a point', () => {
  it('is missing until one is picked, and begins at the suggested one', () => {
    expect(aiming().value).toBe(null);
    expect(aiming(view(), { suggested: [12000, 40000] }).value).toEqual({ type: 'point', at: [12000, 40000] });
  });

  it('catches every base that touches the circle, friends too, the nearest first', () => {
    const near = { ...view().units, b3: unit('blue', 3, 'Runners', 12000, 37000, 1) };
    const on = view({ units: near });
    expect(caughtAt(on, [12000, 40000], 2000)).toEqual([{ unit: 'r1', figures: ['f1', 'f2', 'f3', 'f4'] }]);
    expect(caughtAt(on, [12000, 39500], 2000)).toEqual([
      { unit: 'r1', figures: ['f1', 'f3', 'f2', 'f4'] },
      { unit: 'b3', figures: ['f1'] },
    ]);
    expect(caughtAt(on, [12000, 42500 + 1501], 2000)).toEqual([]);
  });

  it('does not strike those who are sheltered from what bursts outside', () => {
    // The Mill House stands between (28, 26) and (32, 30).
    const inside = unit('red', 4, 'Millers', 29000, 28000, 1);
    const on = view({ units: { ...view().units, r4: inside } });
    const sheltered = { near: ['r4'], shelters: ['house'], reach: 90000 };
    const part = aiming(on, sheltered);
    part.aim([27900, 28000]);
    expect(part.caught).toEqual([]);
    expect(part.faults[0]?.sentence).toBe('No figure there.');
    part.aim([28500, 28000]);
    expect(part.caught).toEqual([{ unit: 'r4', figures: ['f1'] }]);
    expect(part.faults).toEqual([]);
    const open = aiming(on, { near: ['r4'], reach: 90000 });
    open.aim([27900, 28000]);
    expect(open.caught).toHaveLength(1);
  });

  it('tells which of those in the circle are of its own side', () => {
    const near = { ...view().units, b3: unit('blue', 3, 'Runners', 12000, 37000, 1) };
    const part = aiming(view({ units: near }));
    part.aim([12000, 39500]);
    expect(part.friends).toEqual([{ unit: 'b3', figures: ['f1'] }]);
    part.aim([12000, 40000]);
    expect(part.friends).toEqual([]);
  });

  it('may lie anywhere if it is meant for no unit', () => {
    const part = aiming(view(), { near: [], reach: 80000 });
    part.aim([24000, 24000]);
    expect(part.faults).toEqual([]);
  });

  it('strikes the one unit nearest to it where the weapon strikes only one, vehicles too', () => {
    const on = view({ units: { ...view().units, ...threeSides().units } });
    const [vehicle] = Object.entries(on.units).find(([, one]) => Object.values(one.figures).some(({ hull }) => hull))!;
    const at = Object.values(on.units[vehicle]!.figures)[0]!.at!;
    expect(nearestAt(on, at, 1000)).toEqual([{ unit: vehicle, figures: Object.keys(on.units[vehicle]!.figures) }]);
    expect(nearestAt(on, [12000, 42500 + 9000], 1000)).toEqual([]);
  });

  it('catches no vehicle', () => {
    const on = threeSides();
    const hull = Object.entries(on.units).find(([, one]) => Object.values(one.figures).some((figure) => figure.hull));
    const figure = Object.values(hull![1].figures)[0]!;
    expect(caughtAt(on, figure.at!, 1).map(({ unit: id }) => id)).not.toContain(hull![0]);
  });

  it('is refused beyond its reach, off its targets, and nowhere else', () => {
    const part = aiming();
    part.aim([12000, 41500]);
    expect(part.away).toBe(33000);
    expect(part.faults).toEqual([]);
    part.aim([12000, 41501]);
    expect(part.faults.map(({ rule }) => rule)).toEqual(['fad4/shoot.range-bands']);
    part.aim([12000, 37500]);
    expect(part.faults).toEqual([]);
    part.aim([12000, 37499]);
    expect(part.faults.map(({ rule }) => rule)).toEqual(['fad4/blast.impact-area']);
  });

  it('of a vehicle is measured from its hull', () => {
    // The carrier stands at 20, 8 and faces up the table: its front is 2.25 inches ahead of its middle.
    const part = aiming(threeSides(), { unit: 'b3', figure: 'hull', mount: 'gun', reach: 30000 });
    part.aim([20000, 40250]);
    expect(part.away).toBe(30000);
    expect(part.faults.map(({ rule }) => rule)).not.toContain('fad4/shoot.range-bands');
    part.aim([20000, 40251]);
    expect(part.faults.map(({ rule }) => rule)).toEqual(['fad4/shoot.range-bands']);
    part.aim([20000, 9000]);
    expect(part.away).toBe(0);
  });

  it('of a vehicle lies where the weapon bears', () => {
    const on = threeSides();
    const squad = on.units['r1']!;
    const gather = (at: [number, number]): View => {
      const figures = Object.fromEntries(Object.entries(squad.figures).map(([id, one]) => [id, { ...one, at }]));
      return { ...on, units: { ...on.units, r1: { ...squad, figures } } };
    };
    const rules = (at: [number, number], mount: string): string[] => {
      const part = aiming(gather(at), { unit: 'b3', figure: 'hull', mount });
      part.aim(at);
      return part.faults.map(({ rule }) => rule);
    };
    // Its bow machine gun bears 45 degrees to either side of the front.
    expect(rules([30000, 18000], 'bow')).toEqual([]);
    expect(rules([30010, 18000], 'bow')).toEqual(['fad4/shoot.line-of-sight']);
    expect(rules([30010, 18000], 'gun')).toEqual([]);
    expect(rules([20000, 1000], 'gun')).toEqual([]);
    expect(rules([20000, 1000], 'bow')).toEqual(['fad4/shoot.line-of-sight']);
  });

  it('lies near a point, whatever is in sight, and strikes no unit', () => {
    const part = aiming(view(), { around: [10000, 10000], reach: 3000 });
    part.aim([10000, 13000]);
    expect([part.faults, part.caught, part.away, part.from]).toEqual([[], [], 3000, null]);
    part.aim([10000, 13200]);
    expect(part.faults.map(({ sentence }) => sentence)).toEqual(['Mortar: that is 3.2" away, and 3" is the limit.']);
  });

  it('stays on the table, is moved by steps, and tells of each change', () => {
    const changed = vi.fn();
    const part = aiming(view(), {}, changed);
    part.shift([0, 500]);
    expect(part.at).toEqual([12000, 8500]);
    part.aim([-900, 99000]);
    expect(part.at).toEqual([0, 48000]);
    part.reset();
    expect(part.at).toBe(null);
    expect(changed).toHaveBeenCalledTimes(3);
  });
});
