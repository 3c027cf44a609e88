import { describe, expect, it } from 'vitest';
import type { Parameter, PathsDeclared, View } from '../lib/protocol';
import { path, prompt, table, unit, view } from '../lib/views.fixture';
import { Draft, Naming, Picking, Pointing } from './draft.svelte';
import { March } from './march.svelte';
import { Placing } from './placing.svelte';

function draftOf(parameter: Parameter, on: View = view()): Draft {
  const draft = new Draft(
    () => on,
    () => table,
  );
  draft.open(prompt(parameter));
  expect(draft.take('go')).toBe(true);
  return draft;
}

function marching(draft: Draft): March {
  if (!(draft.part instanceof March)) throw new Error('no path is being drawn');
  return draft.part;
}

function paths(draft: Draft): PathsDeclared['paths'] {
  const value = draft.values[0];
  if (value?.type !== 'path') throw new Error('no path was given');
  return value.paths;
}

describe('a path', () => {
  it('is not given until something moves, and staying is a choice of its own', () => {
    const draft = draftOf(path());
    expect(draft.complete).toBe(false);
    marching(draft).stay();
    expect(draft.complete).toBe(true);
    expect(draft.toAnswer()).toEqual({ choice: 'go', values: [{ type: 'path', paths: {} }] });
  });

  it('that must move is not complete without', () => {
    const draft = draftOf(
      path({
        may_stay: false,
        ends: [{ any_of: [{ type: 'farther', units: ['r1'] }], why: { sentence: 'Away!', rule: 'x' } }],
      }),
    );
    marching(draft).stay();
    expect(draft.faults.map((fault) => fault.sentence)).toEqual(['Away!']);
  });

  it('keeps the formation', () => {
    const draft = draftOf(path());
    marching(draft).shift([0, 3000]);
    expect(draft.complete).toBe(true);
    expect(paths(draft)).toEqual(
      Object.fromEntries(
        Object.entries(view().units['b1']!.figures).map(([id, { at }]) => [id, [[at![0], at![1] + 3000]]]),
      ),
    );
  });

  it('towards a far place ends where the allowance does', () => {
    const draft = draftOf(path());
    const march = marching(draft);
    march.go([13500, 30000]);
    expect(march.clipped).toBe(true);
    expect(march.worst!.cost).toBeLessThanOrEqual(6000);
    expect(march.worst!.cost).toBeGreaterThan(5900);
    expect(draft.complete).toBe(true);
  });

  it('at the end of its allowance still swings round', () => {
    const march = marching(draftOf(path({ costly: [] })));
    march.go([13500, 30000]);
    march.shift([4000, 0]);
    const [x, y] = march.middle;
    expect(x).toBeGreaterThan(15000);
    expect(Math.hypot(x - 13500, y - 8750)).toBeCloseTo(6000, -2);
  });

  it('costs more where the ground does, for the figure that crosses it', () => {
    const draft = draftOf(path({ allowance: 12000 }));
    const march = marching(draft);
    march.shift([3000, 5000]);
    const costs = march.tracks.map((track) => track.cost);
    expect(Math.max(...costs)).toBeGreaterThan(Math.min(...costs) + 500);
  });

  it('over a way-point costs both legs, and loses the last one again', () => {
    const march = marching(draftOf(path({ allowance: 8000 })));
    march.shift([3000, 0]);
    march.addWayPoint();
    march.shift([0, 2000]);
    expect(march.worst!.cost).toBe(5000);
    march.removeWayPoint();
    expect(march.worst!.cost).toBe(3000);
    march.removeWayPoint();
    expect(march.moved).toBe(false);
  });

  it('is drawn out of the way of bases and barred ground', () => {
    const on = view({
      units: { b1: unit('blue', 1, 'Squad', 26000, 22000, 6), b2: unit('blue', 2, 'Others', 24500, 27000, 2) },
    });
    const draft = draftOf(path({ allowance: 12000, costly: [] }), on);
    marching(draft).shift([0, 5000]);
    expect(draft.faults).toEqual([]);
    expect(draft.complete).toBe(true);
  });

  it('ends in contact where contact is asked for', () => {
    const on = view({
      units: { b1: unit('blue', 1, 'Squad', 12000, 34000, 2), r1: unit('red', 1, 'Foe', 12000, 38000, 2) },
    });
    const ends = [{ any_of: [{ type: 'touching' as const, units: ['r1'] }], why: { sentence: 'Touch!', rule: '' } }];
    const draft = draftOf(path({ avoid: ['r1'], ends }), on);
    marching(draft).shift([0, 300]);
    expect(draft.faults.map((fault) => fault.sentence)).toEqual(['Touch!']);
    marching(draft).go([12100, 37400]);
    expect(draft.faults).toEqual([]);
  });

  it('that must be moved begins with what the prompt offers', () => {
    const offered = { type: 'path' as const, paths: { f1: [[11000, 7000] as [number, number]] } };
    const asked = prompt(path({ may_stay: false, gap: 0 }));
    const draft = new Draft(
      () => view(),
      () => table,
    );
    draft.open({ ...asked, default: { choice: 'go', values: [offered] } });
    draft.take('go');
    expect(draft.toAnswer().values).toEqual([offered]);
  });

  it('brings a scattered unit together when told to close up', () => {
    const squad = unit('blue', 1, 'Squad', 12000, 8000, 6);
    squad.figures['f6'] = { ...squad.figures['f6']!, at: [19500, 9500] };
    const draft = draftOf(path({ costly: [] }), view({ units: { b1: squad } }));
    const march = marching(draft);
    march.shift([0, 1000]);
    expect(draft.faults).toMatchObject([{ rule: 'coherency' }]);
    march.closeUp();
    expect(draft.faults).toEqual([]);
    expect(paths(draft)['f1']).toEqual([[12000, 9000]]);
  });

  it('of one figure that strays is told', () => {
    const draft = draftOf(path());
    const march = marching(draft);
    march.place('f6', [20000, 9500]);
    expect(draft.complete).toBe(false);
    expect(draft.faults[0]).toMatchObject({ rule: 'coherency' });
  });
});

describe('a placement', () => {
  const units = ['b1', 'b2'];
  const off = view({
    units: Object.fromEntries(
      Object.entries(view().units).map(([id, one]) => [
        id,
        units.includes(id)
          ? {
              ...one,
              figures: Object.fromEntries(Object.entries(one.figures).map(([f, it]) => [f, { ...it, at: null }])),
            }
          : one,
      ]),
    ),
  });
  const suggested = units.map((id) =>
    Object.fromEntries(Object.entries(view().units[id]!.figures).map(([f, it]) => [f, it.at!])),
  );
  const parameter = {
    type: 'placement' as const,
    units,
    zone: view().sides['blue']!.zone,
    gaps: [2000, 2000],
    barred: [['house'], ['house']],
    suggested: suggested.map((one) =>
      Object.fromEntries(Object.entries(one).map(([f, [x, y]]) => [f, [x, y - 1000] as [number, number]])),
    ),
    gap_rule: 'coherency',
    facings: [],
    landing: null,
    avoid: [],
    clear: 0,
    clear_rule: '',
    bonds: [],
  };
  function placing(draft: Draft): Placing {
    if (!(draft.part instanceof Placing)) throw new Error('nothing is being placed');
    return draft.part;
  }

  it('of one unit begins with what was suggested', () => {
    const one = { ...parameter, units: ['b1'], gaps: [2000], suggested: parameter.suggested.slice(0, 1) };
    const draft = draftOf(one, off);
    expect(draft.complete).toBe(true);
    expect(draft.values[0]).toEqual({ type: 'placement', places: one.suggested });
  });

  it('of several units begins with them side by side, and can go back to what was suggested', () => {
    const heap = parameter.suggested.map((places, i) =>
      Object.fromEntries(
        Object.entries(places).map(([f, [x, y]]) => [f, [x - 18000 * i, y + 3000 * i] as [number, number]]),
      ),
    );
    const draft = draftOf({ ...parameter, suggested: heap }, off);
    const part = placing(draft);
    expect(draft.complete).toBe(true);
    expect(part.middle(1)[0] - part.middle(0)[0]).toBeGreaterThan(20000);
    part.reset();
    expect(draft.values[0]).toEqual({ type: 'placement', places: heap });
  });

  it('keeps a unit in its zone and off the others', () => {
    const draft = draftOf(parameter, off);
    const part = placing(draft);
    part.go([60000, 30000]);
    expect(draft.faults).toEqual([]);
    part.go(part.middle(1));
    expect(draft.faults).toEqual([]);
    part.turn(4500);
    expect(draft.faults).toEqual([]);
  });
});

describe('the other values', () => {
  it('names a unit that may be named, and is complete with the only one', () => {
    const why = { sentence: 'Out of sight.', rule: 'sight' };
    const candidates = [
      { unit: 'r1', note: '', why },
      { unit: 'r2', note: '', why: null },
    ];
    const draft = draftOf({ type: 'unit', label: 'Target', candidates });
    expect(draft.complete).toBe(true);
    draft.setUnit(0, 'r1');
    expect(draft.faults).toEqual([why]);
    expect(draft.part).toBeInstanceOf(Naming);
  });

  it('picks figures up to the most there may be', () => {
    const draft = draftOf({
      type: 'figures',
      label: 'Who falls',
      unit: 'b1',
      figures: ['f1', 'f2', 'f3'],
      least: 2,
      most: 2,
    });
    const part = draft.part as Picking;
    expect(draft.complete).toBe(false);
    part.toggle('f1');
    part.toggle('f2');
    expect(draft.complete).toBe(true);
    part.toggle('f3');
    expect(part.picked).toEqual(['f2', 'f3']);
  });

  it('points within the cone, also across the x axis', () => {
    const draft = draftOf({ type: 'direction', label: 'Back', unit: 'b1', middle: 500, spread: 1500, length: 4000 });
    const part = draft.part as Pointing;
    part.towards(30000);
    expect(part.angle).toBe(35000);
    expect(draft.complete).toBe(true);
  });

  it('forgets a refusal as soon as something changes', () => {
    const draft = draftOf(path());
    draft.refused = { sentence: 'No.', rule: '' };
    marching(draft).shift([0, 1000]);
    expect(draft.refused).toBe(null);
  });
});

describe('values that are given', () => {
  it('fill in a path, and where one stays', () => {
    const draft = draftOf(path());
    const [id, figure] = Object.entries(view().units['b1']!.figures)[0]!;
    const way: PathsDeclared = { type: 'path', paths: { [id]: [[figure.at![0], figure.at![1] + 1000]] } };
    expect(draft.take('go', [way])).toBe(true);
    expect(draft.toAnswer().values).toEqual([way]);
    draft.take('go', [{ type: 'path', paths: {} }]);
    expect(draft.toAnswer().values).toEqual([{ type: 'path', paths: {} }]);
  });

  it('name a unit', () => {
    const parameter: Parameter = {
      type: 'unit',
      label: 'Whom',
      candidates: ['r1', 'r2'].map((unit) => ({ unit, why: null, note: '' })),
    };
    const draft = draftOf(parameter);
    expect(draft.complete).toBe(false);
    draft.take('go', [{ type: 'unit', unit: 'r2' }]);
    expect(draft.toAnswer().values).toEqual([{ type: 'unit', unit: 'r2' }]);
  });
});
