import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WhatIf, View } from '../lib/protocol';
import { Unanswered } from '../lib/requests';
import { vehicle } from '../lib/vehicles.fixture';
import { table, unit, view } from '../lib/views.fixture';
import { Camera } from '../table/camera.svelte';
import { Ruler } from '../table/ruler.svelte';
import { FIRST_RETRY, SETTLED } from './asking.svelte';
import { ghostOf, type Ghosts } from './ghosts';
import { PlanHand } from './hand';
import { planKey } from './keys';
import { Planning } from './planning.svelte';

beforeAll(() => {
  vi.stubGlobal('Element', class {});
  vi.stubGlobal('HTMLElement', class {});
});
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const answer = (about: string): WhatIf => ({ type: 'what_if', id: 'i', unit: about, targets: [], problems: [] });
const refused = (code: string): Unanswered =>
  new Unanswered('No.', {
    type: 'refused',
    id: 'i',
    code,
    sentence: 'No.',
    rule: '',
    where: null,
    figure: '',
    match: '',
  });

interface Asked {
  unit: string;
  ghosts: Ghosts;
  settle: (result: WhatIf | Unanswered) => Promise<void>;
}

/** A seat that plans over the fixture's table, and the questions that it asks. */
function setUp(seat = 'blue', on: View = view()) {
  const asked: Asked[] = [];
  const planner = {
    seat,
    view: on,
    ground: table,
    link: { state: 'live' },
    whatIf: (unit: string, ghosts: Ghosts) =>
      new Promise<WhatIf>((resolve, reject) =>
        asked.push({
          unit,
          ghosts,
          settle: async (result) => {
            if (result instanceof Error) reject(result);
            else resolve(result);
            await vi.advanceTimersByTimeAsync(0);
          },
        }),
      ),
  };
  const planning = new Planning(planner);
  planning.toggle();
  const wait = async (ms: number): Promise<void> => {
    planning.follow();
    await vi.advanceTimersByTimeAsync(ms);
  };
  return { planning, planner, asked, wait };
}

describe('what is asked', () => {
  it('is asked once the ghost has settled, and once only', async () => {
    const { planning, asked, wait } = setUp();
    planning.choose('b1');
    planning.nudge([500, 0]);
    await wait(SETTLED - 1);
    planning.nudge([500, 0]);
    await wait(SETTLED - 1);
    expect(asked).toHaveLength(0);
    await wait(1);
    expect(asked.map((one) => one.unit)).toEqual(['b1']);
    expect(asked[0]!.ghosts['b1']!.places['f1']).toEqual([13000, 8000]);
    await asked[0]!.settle(answer('b1'));
    await wait(10 * SETTLED);
    expect(planning.answer?.unit).toBe('b1');
    expect(asked).toHaveLength(1);
  });

  it('is not asked while a drag goes on, and what was known then is not told of the new place', async () => {
    const { planning, asked, wait } = setUp();
    planning.choose('b1');
    await wait(SETTLED);
    await asked[0]!.settle(answer('b1'));
    planning.grab();
    planning.shift([0, 4000]);
    await wait(10 * SETTLED);
    expect(asked).toHaveLength(1);
    expect(planning.answer).toBeNull();
    planning.drop();
    await wait(SETTLED);
    expect(asked).toHaveLength(2);
    expect(planning.answer).toBeNull();
  });

  it('is asked one at a time, the last of what was wanted meanwhile next', async () => {
    const { planning, asked, wait } = setUp();
    planning.choose('b1');
    await wait(SETTLED);
    for (const unit of ['b2', 'b1', 'b2']) {
      planning.choose(unit);
      await wait(2 * SETTLED);
    }
    expect(asked).toHaveLength(1);
    await asked[0]!.settle(answer('b1'));
    expect(planning.answer).toBeNull();
    await wait(SETTLED);
    expect(asked.map((one) => one.unit)).toEqual(['b1', 'b2']);
  });

  it('is asked again later, without a word, where it was too much for now', async () => {
    const { planning, asked, wait } = setUp();
    planning.choose('b1');
    await wait(SETTLED);
    await asked[0]!.settle(refused('rate'));
    await wait(FIRST_RETRY - 1);
    expect([asked.length, planning.asking.fault]).toEqual([1, '']);
    await wait(1);
    await asked[1]!.settle(refused('busy'));
    await wait(2 * FIRST_RETRY - 1);
    expect(asked).toHaveLength(2);
    await wait(1);
    await asked[2]!.settle(answer('b1'));
    expect(planning.answer).not.toBeNull();
  });

  it('is not asked again where it was refused, until something else is planned', async () => {
    const { planning, asked, wait } = setUp();
    planning.choose('b1');
    await wait(SETTLED);
    await asked[0]!.settle(refused('places'));
    expect(planning.asking.fault).toBe('No.');
    await wait(20 * FIRST_RETRY);
    expect(asked).toHaveLength(1);
    planning.nudge([0, 500]);
    await wait(SETTLED);
    expect([asked.length, planning.asking.fault]).toEqual([2, '']);
  });

  it('is asked again when a unit moves, but not for a line of chat or a running clock', async () => {
    const { planning, planner, asked, wait } = setUp();
    planning.choose('b1');
    await wait(SETTLED);
    await asked[0]!.settle(answer('b1'));
    planner.view = { ...planner.view, phase: 'elsewhere' };
    await wait(SETTLED);
    expect(asked).toHaveLength(1);
    planner.view = { ...planner.view, units: { ...planner.view.units, r1: unit('red', 1, 'Guards', 0, 0, 5) } };
    await wait(SETTLED);
    expect(asked).toHaveLength(2);
  });

  it('is not asked without a link, nor after one has left the plan, nor by who watches', async () => {
    const { planning, planner, asked, wait } = setUp();
    planning.choose('b1');
    planner.link = { state: 'lost' };
    await wait(SETTLED);
    planner.link = { state: 'live' };
    planning.toggle();
    await wait(SETTLED);
    expect(asked).toHaveLength(0);
    const spectator = setUp('');
    spectator.planning.choose('b1');
    await spectator.wait(SETTLED);
    expect([spectator.planning.possible, spectator.planning.unit, spectator.asked]).toEqual([false, null, []]);
  });
});

describe('a plan', () => {
  it('is of one’s own units alone, several at once, and each can be taken back', () => {
    const { planning } = setUp();
    planning.choose('r1');
    expect(planning.unit).toBeNull();
    planning.nudge([500, 0]);
    expect(planning.count).toBe(0);
    for (const id of ['b1', 'b2']) {
      planning.choose(id);
      planning.nudge([500, 0]);
    }
    expect(Object.keys(planning.ghosts)).toEqual(['b1', 'b2']);
    planning.reset('b1');
    expect(Object.keys(planning.ghosts)).toEqual(['b2']);
    planning.toggle();
    expect(Object.keys(planning.ghosts)).toEqual(['b2']);
    planning.clear();
    expect(planning.count).toBe(0);
  });

  it('forgets the unit that has left the game', () => {
    const { planning, planner } = setUp();
    planning.choose('b1');
    planning.nudge([500, 0]);
    const left = { ...planner.view.units['b1']!, left: 'routed' };
    planner.view = { ...planner.view, units: { ...planner.view.units, b1: left } };
    planning.follow();
    expect([planning.unit, planning.count]).toEqual([null, 0]);
  });

  it('puts passengers next to the planned place of their vehicle', () => {
    const riders = { ...unit('blue', 4, 'Riders', 0, 0, 3), aboard: 'b3' };
    for (const figure of Object.values(riders.figures)) figure.at = null;
    const carrier = vehicle('blue', 3, 'Carrier', [10000, 10000], 0);
    const { planning } = setUp('blue', view({ units: { ...view().units, b3: carrier, b4: riders } }));
    planning.choose('b3');
    planning.go([30000, 20000]);
    planning.choose('b4');
    expect(planning.ghost('b4')).toBeNull();
    planning.summon();
    expect(planning.ghost('b4')!.places['f1']).toEqual([29250, 24750]);
    expect(planning.imagined).toMatchObject({ aboard: '' });
  });

  it('answers to its keys, and Escape leaves step by step', () => {
    const { planning } = setUp();
    const press = (key: string, measuring = false): boolean =>
      planKey({ key, target: null } as unknown as KeyboardEvent, planning, measuring);
    planning.choose('b1');
    press('f');
    expect([planning.mode, planning.figure]).toEqual(['figure', 'f1']);
    planning.aim('r1');
    expect(press('Escape', true)).toBe(false);
    press('Escape');
    expect([planning.mode, planning.target]).toEqual(['formation', 'r1']);
    press('Escape');
    expect([planning.on, planning.target]).toEqual([true, null]);
    press('Escape');
    expect(planning.on).toBe(false);
    expect(press('r')).toBe(false);
    press('p');
    expect(planning.on).toBe(true);
  });
});

describe('a hand that plans', () => {
  const mouse = { pointerType: 'mouse', shiftKey: false, target: null } as unknown as PointerEvent;

  function atTable(on: View = view()) {
    const made = setUp('blue', on);
    const camera = new Camera();
    camera.resize(960, 960);
    camera.open(table.width, table.height);
    const ruler = new Ruler(() => on);
    const drafted: string[] = [];
    const own = {
      pan: () => undefined,
      zoom: () => undefined,
      hover: () => undefined,
      hold: () => null,
      tap: () => void drafted.push('tap'),
      unit: (id: string) => void drafted.push(id),
    };
    const { planning } = made;
    const select = (): void => undefined;
    const hand = new PlanHand({ camera, ruler, table: own, view: () => on, select }, planning);
    const pixels = (x: number, y: number): [number, number] => [
      camera.width / 2 + (x - camera.x) * camera.scale,
      camera.height / 2 - (y - camera.y) * camera.scale,
    ];
    return {
      ...made,
      ruler,
      drafted,
      hand,
      tap: (x: number, y: number) => hand.tap(...pixels(x, y), mouse),
      drag: (from: [number, number], to: [number, number], shiftKey = false) => {
        const hold = hand.hold(...pixels(...from), { ...mouse, shiftKey });
        hold?.move(...pixels(...to));
        return hold;
      },
    };
  }

  const places = (planning: Planning, id = 'b1') => planning.ghosts[id]?.places;

  it('drags the whole unit, its ghost again, and with Shift one figure', () => {
    const { planning, drag } = atTable();
    drag([12000, 8000], [12000, 13000])?.drop();
    expect(places(planning)!['f6']).toEqual([15000, 14500]);
    drag([15000, 14500], [15000, 16500])?.drop();
    expect(places(planning)!['f1']).toEqual([12000, 15000]);
    drag([12000, 15000], [9000, 15000], true)?.drop();
    expect([places(planning)!['f1'], places(planning)!['f3']]).toEqual([
      [9000, 15000],
      [13500, 15000],
    ]);
  });

  it('takes hold of nothing of the others’, nor of a unit that has its ghost elsewhere', () => {
    const { planning, drag } = atTable();
    expect(drag([12000, 40000], [12000, 30000])).toBeNull();
    drag([12000, 8000], [12000, 18000])?.drop();
    expect(drag([12000, 8000], [14000, 8000])).toBeNull();
    expect(places(planning)!['f1']).toEqual([12000, 18000]);
  });

  it('forgets a drag that was none', () => {
    const { planning, drag } = atTable();
    drag([12000, 8000], [12000, 13000])?.cancel();
    expect(planning.count).toBe(0);
  });

  it('taps a unit, then the place where its middle should be', () => {
    const { planning, tap } = atTable();
    tap(12000, 8000);
    tap(20000, 15000);
    expect(places(planning)!['f1']).toEqual([18500, 14250]);
    tap(32000, 40000);
    expect(planning.target).toBe('r2');
    expect(places(planning)!['f1']).toEqual([18500, 14250]);
    tap(30000, 8000);
    expect(planning.unit).toBe('b2');
  });

  it('leaves the table to itself while one measures, and when one has left the plan', () => {
    const { planning, ruler, drafted, tap, hand } = atTable();
    ruler.toggle();
    tap(12000, 8000);
    ruler.toggle();
    planning.toggle();
    tap(12000, 8000);
    hand.unit('b1');
    expect(drafted).toEqual(['tap', 'tap', 'b1']);
    expect(planning.unit).toBeNull();
  });

  it('of a vehicle drags the hull', () => {
    const tank = vehicle('blue', 3, 'Tank', [20000, 10000], 9000);
    const { planning, drag } = atTable(view({ units: { ...view().units, b3: tank } }));
    drag([20500, 11000], [24500, 16000])?.drop();
    expect(planning.ghosts['b3']).toEqual({ ...ghostOf(tank)!, places: { hull: [24000, 15000] } });
  });
});
