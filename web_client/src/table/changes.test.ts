import { describe, expect, it } from 'vitest';
import type { FigureView, Point, UnitView, View } from '../lib/protocol';
import { changes } from './changes';

const figure = (at: Point | null, fallen = false): FigureView =>
  ({ at, fallen, radius: 500, role: '', sign: '', conditions: [], hull: null, facing: 0 }) as FigureView;
const view = (figures: Record<string, FigureView>): View =>
  ({ units: { a: { side: 'blue', figures } as unknown as UnitView } }) as unknown as View;

describe('what a frame changed', () => {
  it('says where figures fell, and which way others went', () => {
    const before = view({ 1: figure([0, 0]), 2: figure([1000, 0]), 3: figure([2000, 0]) });
    const after = view({ 1: figure([0, 0], true), 2: figure([1000, 500]), 3: figure([2000, 0]) });
    const found = changes(before, after, 7)!;
    expect(found.seq).toBe(7);
    expect([...found.fallen]).toEqual([['a', [[0, 0]]]]);
    expect(found.steps).toEqual([{ unit: 'a', from: [1000, 0], to: [1000, 500] }]);
  });

  it('says nothing of what comes onto the table, leaves it, or fell before', () => {
    const before = view({ 1: figure(null), 2: figure([1, 1]), 3: figure([2, 2], true) });
    const after = view({ 1: figure([5, 5]), 2: figure(null), 3: figure([2, 2], true) });
    expect(changes(before, after, 1)).toBeNull();
    expect(changes(before, before, 1)).toBeNull();
  });
});
