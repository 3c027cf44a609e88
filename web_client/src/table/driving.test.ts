import { beforeAll, describe, expect, it, vi } from 'vitest';
import { distance } from '../lib/geometry';
import type { Parameter, PathParameter, PathsDeclared, View } from '../lib/protocol';
import { drive, losses, stop, threeSides, vehicle } from '../lib/vehicles.fixture';
import { path, prompt, table } from '../lib/views.fixture';
import { arcBorder, reachAlong } from './arcs';
import { Assigning } from './assigning.svelte';
import { Camera } from './camera.svelte';
import { Draft } from './draft.svelte';
import { Hand } from './hand';
import { March } from './march.svelte';
import { Ruler } from './ruler.svelte';
import { markers, arcWords, riders } from './units';
import { wholeTable } from './world';

beforeAll(() => vi.stubGlobal('Element', class {}));

const mouse = { pointerType: 'mouse', shiftKey: false, target: null } as unknown as PointerEvent;

/** A draft of the parameter, and a hand that is told places in mil. */
function setUp(parameter: Parameter, on: View = threeSides()) {
  const ground = wholeTable(table, on);
  const camera = new Camera();
  camera.resize(960, 960);
  camera.open(table.width, table.height);
  const draft = new Draft(
    () => on,
    () => ground,
  );
  draft.open(prompt(parameter));
  draft.take('go');
  const hand = new Hand({
    camera,
    ruler: new Ruler(() => on),
    draft: () => draft,
    view: () => on,
    table: () => ground,
    seat: () => 'blue',
    select: () => undefined,
    over: () => undefined,
    ground: () => undefined,
  });
  const pixels = (x: number, y: number): [number, number] => [
    camera.width / 2 + (x - camera.x) * camera.scale,
    camera.height / 2 - (y - camera.y) * camera.scale,
  ];
  return {
    draft,
    tap: (x: number, y: number) => hand.tap(...pixels(x, y), mouse),
    drag: (from: [number, number], to: [number, number]) => {
      const hold = hand.hold(...pixels(...from), mouse);
      hold?.move(...pixels(...to));
      hold?.drop();
      return hold !== null;
    },
  };
}

function driving(parameter: PathParameter = drive(), on?: View) {
  const { draft, ...rest } = setUp(parameter, on);
  if (!(draft.part instanceof March)) throw new Error('nothing is driven');
  return { draft, march: draft.part, ...rest };
}

const declared = (draft: Draft): PathsDeclared => draft.toAnswer().values[0] as PathsDeclared;

describe('a vehicle', () => {
  it('that is dragged faces as it drove, and is taken hold of anywhere on its hull', () => {
    const { draft, march, drag } = driving();
    expect(drag([20900, 9900], [23900, 11900])).toBe(true);
    expect(march.pose.at[0]).toBeCloseTo(23000, -2);
    expect(march.pose.facing).toBeCloseTo(3369, -2);
    expect(draft.complete).toBe(true);
    expect(declared(draft).facing).toBe(null);
  });

  it('that goes straight has one leg, and faces along it', () => {
    const { draft, march } = driving(drive({ straight: true, may_stay: false }));
    march.shift([3000, 0]);
    march.addWayPoint();
    march.turn(1500);
    march.shift([1000, 2000]);
    expect(declared(draft)).toEqual({ type: 'path', paths: { hull: [[24000, 10000]] }, facing: null });
    expect(draft.faults).toEqual([]);
    expect(march.turns).toBe(false);
  });

  it('that jumps may face anywhere, and nothing on its way is in its way', () => {
    const { draft, march } = driving(drive({ jump: true, limits: [], clear: 0, barred: [], allowance: 100000 }));
    march.go([30000, 40000]);
    march.addWayPoint();
    march.turn(1500);
    expect(march.wayPoints).toBe(0);
    expect(march.anywhere).toBe(true);
    expect(draft.faults).toEqual([]);
    expect(declared(draft).paths).toEqual({ hull: [[30000, 40000]] });
  });

  it('is turned by steps where it ends, and faces ahead again', () => {
    const { draft, march } = driving();
    march.shift([3000, 0]);
    march.turn(1500);
    expect(declared(draft)).toEqual({ type: 'path', paths: { hull: [[23000, 8000]] }, facing: 1500 });
    march.turn(-3000);
    expect(march.pose.facing).toBe(34500);
    march.faceAhead();
    expect(declared(draft).facing).toBe(null);
  });

  it('that only turns on the spot has given an answer', () => {
    const { draft, march } = driving(drive({ may_stay: false }));
    expect(draft.complete).toBe(false);
    march.face([30000, 8000]);
    expect(march.moved).toBe(true);
    expect(declared(draft)).toEqual({ type: 'path', paths: {}, facing: 0 });
    march.reset();
    expect(draft.complete).toBe(false);
  });

  it('goes no farther than its allowance, whatever is tapped', () => {
    const { march, tap } = driving(drive({ limits: [], clear: 0 }));
    tap(20000, 47000);
    expect(march.clipped).toBe(true);
    expect(march.worst!.cost).toBeLessThanOrEqual(12000);
    expect(march.pose.at[1]).toBeCloseTo(20000, -2);
  });

  it('reports what it runs into: limited ground, a wreck, others too near', () => {
    const far = driving();
    far.march.shift([0, 11000]);
    expect(far.draft.faults.map((fault) => fault.rule)).toEqual(['limits']);
    const wreck = driving(drive({ allowance: 40000, limits: [], clear: 0 }));
    wreck.march.shift([8000, 28000]);
    expect(wreck.draft.faults[0]?.sentence).toContain('Wreck of Armoured Car');
    const on = threeSides();
    on.units['r1'] = { ...on.units['r1']!, figures: { f1: { ...on.units['r1']!.figures['f1']!, at: [23000, 13000] } } };
    const near = driving(drive({ limits: [], clear: 2000 }), on);
    near.march.shift([0, 6000]);
    expect(near.draft.faults.map((fault) => fault.rule)).toEqual(['clear']);
  });
});

describe('a path of some figures', () => {
  it('moves those alone, and is judged with those that stay', () => {
    const { draft, march } = driving(path({ figures: ['f5', 'f6'], costly: [] }));
    expect(march.tracks.map((track) => track.figure.id)).toEqual(['f5', 'f6']);
    march.shift([0, 1000]);
    expect(Object.keys(declared(draft).paths)).toEqual(['f5', 'f6']);
    expect(march.ends).toHaveLength(6);
    march.shift([0, 4500]);
    expect(draft.faults.map((fault) => fault.rule)).toEqual(['coherency']);
  });
});

describe('on the table', () => {
  it('a tap on a figure changes what it is given', () => {
    const { draft, tap } = setUp(losses({ least: 0, suggested: {} }));
    const part = draft.part as Assigning;
    tap(12000, 8000);
    expect(part.given).toEqual({ f1: 'falls' });
    tap(12000, 8000);
    expect(part.given).toEqual({ f1: 'suppressed' });
    tap(12000, 8000);
    expect(part.given).toEqual({});
  });

  it('a unit on its way is dragged along it', () => {
    const { draft, drag } = setUp(stop());
    expect(draft.values[0]).toEqual({ type: 'stop', at: 300 });
    const part = draft.part!;
    if (part.kind !== 'stop') throw new Error('nothing is stopped');
    const [figure] = part.figures;
    expect(drag([...figure!.at], [21000, 36000])).toBe(true);
    expect(part.at).toBe(1000);
  });

  it('a vehicle is placed, and turned where it is placed', () => {
    const zone = threeSides().sides['blue']!.zone;
    const one = {
      units: ['b3'],
      zone,
      gaps: [0],
      barred: [[]],
      gap_rule: '',
      landing: null,
      avoid: [],
      clear: 0,
      clear_rule: '',
      bonds: [],
    };
    const { draft } = setUp({
      type: 'placement',
      ...one,
      suggested: [{ hull: [8000, 4000] }],
      facings: [{ hull: 9000 }],
    });
    const part = draft.part!;
    if (part.kind !== 'placement') throw new Error('nothing is placed');
    expect(draft.complete).toBe(true);
    part.turn(1500);
    part.go([40000, 30000]);
    const [value] = draft.toAnswer().values;
    if (value?.type !== 'placement') throw new Error('nothing was placed');
    expect(value.facings).toEqual([{ hull: 10500 }]);
    expect(value.places[0]!['hull']![1]).toBeLessThan(10000);
    expect(draft.faults).toEqual([]);
  });
});

describe('the ruler', () => {
  it('measures from a hull’s edge, not from its middle', () => {
    const on = threeSides();
    const ruler = new Ruler(() => on);
    ruler.toggle();
    ruler.layUnit('b3');
    ruler.layUnit('b2');
    // The carrier faces up the table: it is 2.5 inches wide, and 10 inches from middle to middle.
    expect(ruler.text).toContain('8.3″ from edge to edge');
  });
});

describe('what is told of units', () => {
  it('counts markers on figures, and who is aboard', () => {
    const on = threeSides();
    const words = { suppressed: { label: 'Suppressed', text: '', rule: '', apart: false } };
    expect(markers(on.units['g1']!, words).map((marker) => marker.text)).toEqual(['2 suppressed']);
    expect(riders(on, 'b3')).toBe(3);
  });

  it('says where weapons bear', () => {
    const mounts = Object.values(vehicle('blue', 1, 'Tank', [0, 0], 0).mounts);
    expect(mounts.map(arcWords)).toEqual(['all round', 'front, 90° wide', 'left, 90° wide']);
    expect(arcWords({ ...mounts[0]!, middle: 33000, spread: 3000 })).toBe('30° right of the front, 60° wide');
  });

  it('draws an arc as far from the hull as the weapon reaches', () => {
    const hull = { length: 4000, width: 2000 };
    expect(reachAlong(hull, 0, 6000)).toBeCloseTo(8000, 0);
    expect(reachAlong(hull, 9000, 6000)).toBeCloseTo(7000, 0);
    const border = arcBorder([1000, 1000], 9000, hull, 0, 4500, 6000);
    expect(border[0]).toEqual([1000, 1000]);
    const ahead = border[Math.floor(border.length / 2)]!;
    expect(distance(ahead, [1000, 9000])).toBeLessThan(200);
  });
});
