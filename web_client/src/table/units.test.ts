/** What is said of units. */
import { describe, expect, it } from 'vitest';
import type { UnitView, View } from '../lib/protocol';
import { unit, view } from '../lib/views.fixture';
import { stillPlacing, tethers } from './units';

/** The small battle, with one unit in the place of blue's first. */
const having = (b1: UnitView): View => view({ units: { ...view().units, b1 } });

const away = (figures: number): UnitView => {
  const b1 = unit('blue', 1, '1st', 0, 0, figures);
  for (const figure of Object.values(b1.figures)) figure.at = null;
  return b1;
};

describe('units that are still to be placed', () => {
  it('are looked for among those in the game', () => {
    expect(stillPlacing(view())).toBe(false);
    expect(stillPlacing(having(away(3)))).toBe(true);
    expect(stillPlacing(having({ ...away(3), left: 'gone' }))).toBe(false);
    expect(stillPlacing(having({ ...away(3), aboard: 'b2' }))).toBe(false);
    expect(stillPlacing({ ...having(away(3)), result: { winner: '', reason: '', rule: '', how: 'rules' } })).toBe(
      false,
    );
  });

  it('are none whose last figure on the table has fallen', () => {
    const b1 = unit('blue', 1, '1st', 0, 0, 2);
    for (const figure of Object.values(b1.figures)) figure.fallen = true;
    expect(stillPlacing(having(b1))).toBe(false);
  });
});

describe('figures away from their unit', () => {
  const words = {
    scouting: { label: 'Out scouting', text: '', rule: '', apart: true },
    down: { label: 'Down', text: '', rule: '', apart: false },
  };
  const squad = (third: string): UnitView => {
    const b1 = unit('blue', 1, '1st', 0, 0, 3);
    Object.values(b1.figures).forEach((figure, i) => {
      figure.at = [
        [1000, 1000],
        [3000, 1000],
        [9000, 1000],
      ][i] as [number, number];
      figure.conditions = i === 2 ? [third] : [];
    });
    return b1;
  };

  it('have a line to the nearest that is not', () => {
    expect(tethers(squad('scouting'), words)).toEqual([[[9000, 1000], [3000, 1000]]]); // prettier-ignore
    expect(tethers(squad('down'), words)).toEqual([]);
  });
});
