import { describe, expect, it } from 'vitest';
import type { Choice, Parameter, PlacementParameter, Prompt, View } from '../lib/protocol';
import { vehicle } from '../lib/vehicles.fixture';
import { path, prompt, table, view } from '../lib/views.fixture';
import { Draft } from '../table/draft.svelte';
import { ghostOf, put, shifted, spun, type Ghost } from './ghosts';
import { draw, takers } from './order';

const squad = view().units['b1']!;
const squadGhost = ghostOf(squad)!;

function drawn(parameter: Parameter, unit: string, ghost: Ghost, on: View = view()): Draft {
  const draft = new Draft(
    () => on,
    () => table,
  );
  draft.open(prompt(parameter));
  draw(draft, takers(draft.prompt, unit)[0]!, unit, ghost);
  return draft;
}

describe('a plan as an answer', () => {
  it('is offered for choices that take nothing but where the unit goes or stands', () => {
    const choice = (key: string, more: Partial<Choice>): Choice => ({ ...prompt(path()).choices[0]!, key, ...more });
    const direction: Parameter = {
      type: 'direction',
      label: 'Where',
      unit: 'b1',
      middle: 0,
      spread: 9000,
      length: 6000,
    };
    const asked: Prompt = {
      ...prompt(),
      choices: [
        choice('walk', {}),
        choice('closed', { why: { sentence: 'No.', rule: '' } }),
        choice('both', { parameters: [path(), direction] }),
        choice('other', { parameters: [path({ unit: 'b2' })] }),
        choice('hold', { parameters: [] }),
        choice('place', { parameters: [placement(['b2', 'b1'])] }),
      ],
    };
    expect(takers(asked, 'b1').map((one) => one.key)).toEqual(['walk', 'place']);
    expect(takers(null, 'b1')).toEqual([]);
  });

  it('goes where the ghost is', () => {
    const ghost = put(squad, shifted(squad, squadGhost, [1500, 2000], table), 'f6', [17000, 12000], table);
    const draft = drawn(path(), 'b1', ghost);
    expect(draft.complete).toBe(true);
    const value = draft.values[0];
    const ends = value?.type === 'path' ? Object.entries(value.paths).map(([id, way]) => [id, way.at(-1)]) : [];
    expect(Object.fromEntries(ends)).toEqual(ghost.places);
  });

  it('goes as far as it may', () => {
    const draft = drawn(path({ gap: 0 }), 'b1', shifted(squad, squadGhost, [0, 20000], table));
    expect(draft.part?.kind === 'path' && draft.part.worst?.cost).toBeLessThanOrEqual(6000);
    expect(draft.part?.kind === 'path' && draft.part.worst?.cost).toBeGreaterThan(5000);
  });

  it('drives a vehicle there, and turns it as it is imagined', () => {
    const tank = vehicle('blue', 3, 'Tank', [26000, 8000], 9000);
    const on = view({ units: { ...view().units, b3: tank } });
    const ghost = spun(tank, shifted(tank, ghostOf(tank)!, [0, 4000], table), -3000, table);
    const parameter = path({ unit: 'b3', gap: 0, avoid: [] });
    const draft = drawn(parameter, 'b3', ghost, on);
    expect(draft.values[0]).toEqual({ type: 'path', paths: { hull: [[26000, 12000]] }, facing: 6000 });
  });

  it('stands where the ghost is', () => {
    const ghost = shifted(squad, squadGhost, [4000, -2500], table);
    const draft = drawn(placement(['b1']), 'b1', ghost);
    expect(draft.values[0]).toEqual({ type: 'placement', places: [ghost.places] });
  });
});

function placement(units: string[]): PlacementParameter {
  const suggested = units.map((id) => ({ ...ghostOf(view().units[id]!)!.places }));
  return {
    type: 'placement',
    zone: view().sides['blue']!.zone,
    units,
    suggested,
    gaps: units.map(() => 2000),
    gap_rule: '',
    barred: units.map(() => []),
    facings: units.map(() => ({})),
    landing: null,
    avoid: [],
    clear: 0,
    clear_rule: '',
    bonds: [],
  };
}
