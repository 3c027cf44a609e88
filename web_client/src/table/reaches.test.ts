import { describe, expect, it } from 'vitest';
import type { Choice, PathParameter, Prompt } from '../lib/protocol';
import { drive, threeSides, vehicle } from '../lib/vehicles.fixture';
import { path, prompt } from '../lib/views.fixture';
import { reaches } from './reaches';

const SIZE = [48000, 48000] as const;

function choice(label: string, parameter: PathParameter, barred = false): Choice {
  const why = barred ? { sentence: 'It is damaged.', rule: 'vehicle.damaged-limits' } : null;
  return { key: label, label, rule: '', consequence: '', parameters: [parameter], why, preview: false };
}

function asked(...choices: Choice[]): Prompt {
  return { ...prompt(), unit: 'b3', choices };
}

const slow = choice('Drive, then fire', drive({ allowance: 12000 }));
const fast = choice('Move Out', drive({ allowance: 18000 }));

describe('the reaches of a vehicle that is asked for its action', () => {
  it('are a circle for each speed, the slower first, as far as its middle goes', () => {
    const found = reaches(asked(fast, slow), threeSides(), ...SIZE);
    expect(found.map(({ at, radius }) => [at, radius])).toEqual([
      [[20000, 8000], 12000],
      [[20000, 8000], 18000],
    ]);
    expect(found.map(({ choices }) => choices)).toEqual([['Drive, then fire'], ['Move Out']]);
  });

  it('are one for all choices with the same speed', () => {
    const found = reaches(asked(slow, choice('Drive and let off', drive({ allowance: 12000 }))), threeSides(), ...SIZE);
    expect(found.map((reach) => reach.choices)).toEqual([['Drive, then fire', 'Drive and let off']]);
  });

  it('are over open ground, where that costs more than roads, and none where a jump leads anywhere', () => {
    const wheels = choice('Drive, then fire', drive({ allowance: 18000, ground: 200 }));
    const warp = choice('Warp', drive({ allowance: 10000, jump: true }));
    const anywhere = choice('Warp anywhere', drive({ allowance: 68000, jump: true }));
    const found = reaches(asked(wheels, warp, anywhere), threeSides(), ...SIZE);
    expect(found.map(({ radius, choices }) => [radius, choices])).toEqual([
      [9000, ['Drive, then fire']],
      [10000, ['Warp']],
    ]);
  });

  it('leave out what cannot be taken, what moves others, and a gun that does not drive', () => {
    const barred = choice('Move Out', drive({ allowance: 18000 }), true);
    const walk = choice('Get off', path({ unit: 'b4', allowance: 3000 }));
    const emplaced = choice('Turn', drive({ allowance: 0 }));
    expect(reaches(asked(barred, walk, emplaced), threeSides(), ...SIZE)).toEqual([]);
  });

  it('are none for infantry, without a prompt, and for a vehicle off the table', () => {
    const view = threeSides();
    expect(reaches({ ...asked(choice('Move', path())), unit: 'b1' }, view, ...SIZE)).toEqual([]);
    expect(reaches(null, view, ...SIZE)).toEqual([]);
    const away = { ...view, units: { ...view.units, b3: vehicle('blue', 3, 'Carrier', null, 0) } };
    expect(reaches(asked(slow), away, ...SIZE)).toEqual([]);
  });

  it('have their labels on the circle and on the table: above, else where there is space', () => {
    const label = (x: number, y: number, allowance: number) => {
      const view = threeSides();
      const units = { ...view.units, b3: vehicle('blue', 3, 'Carrier', [x, y], 9000) };
      return reaches(asked(choice('Move', drive({ allowance }))), { ...view, units }, ...SIZE)[0]!.label;
    };
    expect(label(20000, 8000, 12000)).toEqual([20000, 20000]);
    const below = label(20000, 44000, 12000)!;
    expect(Math.hypot(below[0] - 20000, below[1] - 44000)).toBeCloseTo(12000, 6);
    expect(below[1]).toBeLessThan(46500);
    expect(label(24000, 24000, 90000)).toBeNull();
  });
});
