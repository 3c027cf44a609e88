import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Parameter, View } from '../lib/protocol';
import { path, prompt, table, view } from '../lib/views.fixture';
import { Camera } from './camera.svelte';
import { Draft } from './draft.svelte';
import { Hand } from './hand';
import { March } from './march.svelte';
import { Ruler } from './ruler.svelte';

beforeAll(() => vi.stubGlobal('Element', class {}));

const mouse = { pointerType: 'mouse', shiftKey: false, target: null } as unknown as PointerEvent;

/** A hand over the fixture's table; places are given in mil. */
function setUp(parameter: Parameter | null, on: View = view()) {
  const camera = new Camera();
  camera.resize(960, 960);
  camera.open(table.width, table.height);
  const draft = new Draft(
    () => on,
    () => table,
  );
  const ruler = new Ruler(() => on);
  const selected: (string | null)[] = [];
  const hand = new Hand({
    camera,
    ruler,
    draft: () => draft,
    view: () => on,
    table: () => table,
    seat: () => 'blue',
    select: (unit) => selected.push(unit),
    over: () => undefined,
    ground: () => undefined,
  });
  if (parameter) draft.open(prompt(parameter));
  const pixels = (x: number, y: number): [number, number] => [
    camera.width / 2 + (x - camera.x) * camera.scale,
    camera.height / 2 - (y - camera.y) * camera.scale,
  ];
  return {
    draft,
    ruler,
    camera,
    selected,
    tap: (x: number, y: number) => hand.tap(...pixels(x, y), mouse),
    drag: (from: [number, number], to: [number, number]) => {
      const hold = hand.hold(...pixels(...from), mouse);
      hold?.move(...pixels(...to));
      hold?.drop();
      return hold !== null;
    },
  };
}

function ends(draft: Draft): Record<string, readonly [number, number]> {
  if (!(draft.part instanceof March)) throw new Error('no path is being drawn');
  return Object.fromEntries(draft.part.tracks.map((track) => [track.figure.id, track.points.at(-1)!]));
}

describe('tapping', () => {
  it('a place sends the formation there', () => {
    const { draft, tap } = setUp(path());
    draft.take('go');
    tap(15500, 10750);
    expect(draft.complete).toBe(true);
    // The formation's middle was at 13500, 8750.
    expect(ends(draft)['f1']![0]).toBeCloseTo(14000, -2);
    expect(ends(draft)['f1']![1]).toBeCloseTo(10000, -2);
  });

  it('a candidate names it, but not one that may not be named', () => {
    const why = { sentence: 'Out of sight.', rule: '' };
    const candidates = ['r1', 'r2', 'b2'].map((unit) => ({ unit, note: '', why: unit === 'r1' ? why : null }));
    const { draft, tap } = setUp({ type: 'unit', label: 'Target', candidates });
    draft.take('go');
    tap(12000, 40000);
    expect(draft.values).toEqual([null]);
    tap(32000, 40000);
    expect(draft.values).toEqual([{ type: 'unit', unit: 'r2' }]);
  });

  it('a unit of one’s own takes the choice that names it', () => {
    const { draft, tap, selected } = setUp({
      type: 'unit',
      label: 'Act',
      candidates: [{ unit: 'b2', note: '', why: null }],
    });
    tap(30000, 8000);
    expect(selected).toEqual(['b2']);
    expect(draft.toAnswer()).toEqual({ choice: 'go', values: [{ type: 'unit', unit: 'b2' }] });
  });

  it('figures picks them, only those that may be', () => {
    const { draft, tap } = setUp({
      type: 'figures',
      label: 'Who falls',
      unit: 'b1',
      figures: ['f1', 'f2'],
      least: 1,
      most: 1,
    });
    draft.take('go');
    tap(13500, 8000);
    expect(draft.complete).toBe(false);
    tap(12000, 9500);
    expect(draft.values).toEqual([{ type: 'figures', figures: ['f2'] }]);
  });

  it('figures that have fallen picks them where they may be', () => {
    const on = view();
    on.units['b1']!.figures['f2'] = { ...on.units['b1']!.figures['f2']!, fallen: true, conditions: ['hurt'] };
    const { draft, tap } = setUp(
      { type: 'figures', label: 'Who is treated', unit: 'b1', figures: ['f2'], least: 0, most: 1 },
      on,
    );
    draft.take('go');
    tap(13500, 8000);
    expect(draft.values).toEqual([{ type: 'figures', figures: [] }]);
    tap(12000, 9500);
    expect(draft.values).toEqual([{ type: 'figures', figures: ['f2'] }]);
  });
});

describe('dragging', () => {
  it('a figure of one’s own moves its whole unit, and takes the choice for it', () => {
    const { draft, drag } = setUp(path());
    expect(drag([12000, 8000], [12000, 11000])).toBe(true);
    expect(draft.choice?.key).toBe('go');
    expect(ends(draft)['f6']![1]).toBeCloseTo(12500, -2);
  });

  it('a figure where it ends moves that one alone in figure mode', () => {
    const { draft, drag } = setUp(path());
    drag([12000, 8000], [12000, 11000]);
    const before = ends(draft);
    (draft.part as March).mode = 'figure';
    drag([...before['f1']!], [12000, 9700]);
    expect(ends(draft)['f1']![1]).toBeLessThan(before['f1']![1]);
    expect(ends(draft)['f2']).toEqual(before['f2']);
  });

  it('the ground holds nothing', () => {
    const { draft, drag } = setUp(path());
    expect(drag([24000, 44000], [24000, 40000])).toBe(false);
    expect(draft.choice).toBe(null);
  });
});

describe('the ruler', () => {
  it('measures where it is dragged', () => {
    const { ruler, drag, camera } = setUp(null);
    ruler.toggle();
    const before = camera.look();
    expect(drag([24000, 40000], [27000, 44000])).toBe(true);
    expect(ruler.text).toBe('5″');
    expect(camera.look()).toEqual(before);
  });

  it('measures from edge to edge between figures, and from point to point elsewhere', () => {
    const { ruler, tap } = setUp(null);
    ruler.toggle();
    tap(12000, 8000);
    tap(30000, 8000);
    expect(ruler.text).toContain('17″ from edge to edge');
    ruler.clear();
    tap(20000, 5000);
    tap(23000, 9000);
    expect(ruler.text).toBe('5″');
  });

  it('finds the nearest figures of two units', () => {
    const { ruler } = setUp(null);
    ruler.toggle();
    ruler.layUnit('b1');
    ruler.layUnit('b2');
    expect(ruler.text).toContain('14″ from edge to edge');
  });
});

describe('the camera', () => {
  it('keeps the place under the pointer while it zooms, and comes back', () => {
    const { camera } = setUp(null);
    const before = camera.look();
    const place = camera.toTable(200, 300);
    camera.zoom(2.5, 200, 300);
    expect(camera.toTable(200, 300)[0]).toBeCloseTo(place[0], 5);
    expect(camera.toTable(200, 300)[1]).toBeCloseTo(place[1], 5);
    camera.be(before);
    expect(camera.is(before)).toBe(true);
  });
});

describe('a point', () => {
  const point: Parameter = {
    type: 'point',
    label: 'Mortar',
    unit: 'b1',
    figure: 'f1',
    reach: 48000,
    radius: 2000,
    near: ['r1'],
    near_why: { sentence: 'No figure there.', rule: '' },
    suggested: [12000, 40000],
    reach_rule: '',
    sight_rule: '',
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

  it('is where the table is tapped, on a figure too', () => {
    const { draft, tap, selected } = setUp(point);
    draft.take('go');
    tap(13500, 41500);
    expect(draft.values).toEqual([{ type: 'point', at: [13500, 41500] }]);
    expect(selected).toEqual([]);
  });

  it('follows a drag of its circle, and a drag elsewhere moves the view', () => {
    const { draft, drag } = setUp(point);
    draft.take('go');
    expect(drag([13000, 40000], [15000, 39000])).toBe(true);
    expect(draft.values).toEqual([{ type: 'point', at: [14000, 39000] }]);
    expect(drag([30000, 20000], [31000, 20000])).toBe(false);
  });
});
