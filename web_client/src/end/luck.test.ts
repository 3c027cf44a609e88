import { describe, expect, it } from 'vitest';
import { VIEW } from '../lib/link.fixture';
import type { LuckRow, UnitView } from '../lib/protocol';
import { losses } from './losses';
import { signed } from '../ui/numbers';
import { bySide, byUnit, chance, courses, normal, score, swings, when } from './luck';

function row(frame: number, side: string, fell: number, more: Partial<LuckRow> = {}, wanted = 'hits'): LuckRow {
  return {
    frame,
    turn: 1,
    text: `Roll ${frame}`,
    dice: [],
    rule: '',
    target: '',
    fallen: {},
    luck: {
      side,
      unit: side === 'blue' ? 'u1' : 'u2',
      wanted,
      expected: 20_000,
      fell: fell * 10_000,
      deviation: 10_000,
      better: 1_000,
      as_good: 500,
    },
    ...more,
  };
}

const ROWS = [
  row(1, 'blue', 4),
  row(2, 'red', 1),
  row(3, 'blue', 1, { fallen: { red: 3 }, target: 'u2' }),
  row(4, 'red', 2, {}, 'saves'),
];

describe('luck', () => {
  it('of a roll is how far it fell from what was expected', () => {
    expect(ROWS.map(score)).toEqual([2, -1, -1, 0]);
    const certain = row(1, 'blue', 3);
    certain.luck.deviation = 0;
    expect(score(certain)).toBe(0);
  });

  it('is as likely as what fell or farther out', () => {
    expect(chance(ROWS[0]!)).toBe(1_500);
    expect(chance(ROWS[1]!)).toBe(9_000);
  });

  it('adds up by side, in the order of the sides, and by kind of roll', () => {
    const [blue, red] = bySide(ROWS, VIEW);
    expect(blue).toMatchObject({ key: 'blue', rolls: 2, score: 1 });
    expect(blue!.percentile).toBeCloseTo(76.02, 1);
    expect(blue!.kinds).toEqual([{ wanted: 'hits', rolls: 2, expected: 4, fell: 5 }]);
    expect(red!.kinds.map((kind) => kind.wanted)).toEqual(['hits', 'saves']);
    expect(bySide([], VIEW).map((sum) => [sum.rolls, sum.percentile])).toEqual([
      [0, 50],
      [0, 50],
    ]);
  });

  it('adds up by unit, the luckiest first, without rolls of no unit', () => {
    const unowned = row(9, 'red', 9);
    unowned.luck.unit = '';
    expect(byUnit([...ROWS, unowned]).map((sum) => [sum.key, sum.side, sum.score])).toEqual([
      ['u1', 'blue', 1],
      ['u2', 'red', -1],
    ]);
  });

  it('goes up and down over the rolls of all', () => {
    const [blue, red] = courses(ROWS, VIEW);
    expect(blue!.points.map(({ roll, sum }) => [roll, sum])).toEqual([
      [1, 2],
      [3, 1],
    ]);
    expect(red!.points.map(({ roll, sum }) => [roll, sum])).toEqual([
      [2, -1],
      [4, -1],
    ]);
  });

  it('swings the game by what is lost with it, and not at all when it fell as expected', () => {
    expect(swings(ROWS, 10).map(({ frame }) => frame)).toEqual([3, 1, 2]);
    expect(swings(ROWS, 1)).toHaveLength(1);
    // A roll to begin a turn has felled no figure, whatever else happened in its step.
    const initiative = row(7, 'blue', 4, { fallen: { red: 3 } });
    expect(swings([...ROWS, initiative], 2).map(({ frame }) => frame)).toEqual([3, 1]);
  });

  it('is told with its sign', () => {
    expect([1.26, -0.44, 0.04, -0.04, 12].map(signed)).toEqual(['+1.3', '−0.4', '0', '0', '+12.0']);
  });

  it('fell in a turn, or before the first', () => {
    expect([when(0), when(3), when(0, true), when(3, true)]).toEqual(['Before', 'Turn 3', 'Before', '3']);
  });

  it('follows the standard normal distribution', () => {
    expect([-1.96, 0, 1, 1.96].map((z) => Number(normal(z).toFixed(4)))).toEqual([0.025, 0.5, 0.8413, 0.975]);
  });
});

describe('losses', () => {
  const unit = VIEW.units.u1!;
  const fallen = (which: UnitView, key: string): UnitView => ({
    ...which,
    figures: { ...which.figures, [key]: { ...which.figures[key]!, fallen: true } },
  });

  it('are counted unit by unit and side by side', () => {
    const red: UnitView = { ...unit, side: 'red', name: 'Scouts', number: 2 };
    const first = { ...VIEW, units: { u1: unit, u2: red } };
    const end = { ...VIEW, units: { u1: fallen(unit, 'f1'), u2: { ...red, left: 'routed' } } };
    expect(losses(end, first)).toMatchObject([
      { side: 'blue', began: 2, fallen: 1, left: 1, units: [{ unit: 'u1', began: 2, fallen: 1, gone: '' }] },
      { side: 'red', began: 2, fallen: 0, left: 0, units: [{ name: 'Scouts', began: 2, left: 0, gone: 'routed' }] },
    ]);
  });

  it('know of units that are told of only at the beginning', () => {
    const end = { ...VIEW, units: {} };
    expect(losses(end, VIEW)[0]).toMatchObject({ began: 2, fallen: 2, left: 0 });
    expect(losses(end)[0]).toMatchObject({ began: 0, left: 0, units: [] });
  });
});
