import { describe, expect, it } from 'vitest';
import type { UnitView, View } from '../lib/protocol';
import { vehicle } from '../lib/vehicles.fixture';
import { table, unit, view } from '../lib/views.fixture';
import { Ruler } from '../table/ruler.svelte';
import {
  blockAt,
  displacement,
  facing,
  ghostKey,
  ghostOf,
  ghostsUnit,
  haunted,
  kept,
  put,
  shifted,
  spun,
} from './ghosts';
import { wayWords } from './words';

const squad = view().units['b1']!;
const squadGhost = ghostOf(squad)!;
const tank = vehicle('blue', 3, 'Tank', [10000, 10000], 0);
const tankGhost = ghostOf(tank)!;

const ahead = (mil: number) => shifted(squad, squadGhost, [0, mil], table);
const fallen = (one: UnitView, id: string): UnitView => ({
  ...one,
  figures: { ...one.figures, [id]: { ...one.figures[id]!, fallen: true } },
});
const having = (units: View['units']): View => view({ units });

describe('a ghost', () => {
  it('begins where its unit stands, and tells how far it is from there', () => {
    expect(displacement(squad, squadGhost)).toEqual({ far: 0, alike: true, turn: 0 });
    expect(displacement(squad, ahead(5250))).toEqual({ far: 5250, alike: true, turn: 0 });
    // As a cost is told: no shorter than it is.
    expect(wayWords(displacement(squad, ahead(5210))!)).toBe('5.3″');
    const alone = put(squad, ahead(1000), 'f1', [12000, 12000], table);
    expect(displacement(squad, alone)).toMatchObject({ far: 4000, alike: false });
  });

  it('stays on the table, with all of it, in each direction by itself', () => {
    const far = shifted(squad, squadGhost, [-50000, 3000], table);
    expect(far.places['f1']).toEqual([500, 11000]);
    expect(far.places['f5']).toEqual([3500, 11000]);
    expect(put(squad, squadGhost, 'f1', [60000, -10], table).places['f1']).toEqual([47500, 500]);
    expect(shifted(tank, tankGhost, [-50000, -50000], table).places['hull']).toEqual([2250, 1250]);
  });

  it('of a vehicle turns where it stands, and that of a squad round its middle', () => {
    const turned = spun(tank, tankGhost, -4500, table);
    expect([turned.places['hull'], turned.facings['hull']]).toEqual([[10000, 10000], 31500]);
    expect(wayWords(displacement(tank, turned)!)).toBe('turned by 45°');
    expect(facing(tank, tankGhost, [10000, 20000], table).facings).toEqual({ hull: 9000 });
    const round = spun(squad, squadGhost, 18000, table);
    expect(round.places['f1']).toEqual(squadGhost.places['f6']);
  });

  it('of a vehicle at the edge that is turned keeps its ends on the table', () => {
    const low = shifted(tank, tankGhost, [0, -50000], table);
    expect(spun(tank, low, 9000, table).places['hull']).toEqual([10000, 2250]);
  });

  it('of a unit that is not on the table is a block with space for every figure', () => {
    const off = unit('blue', 4, 'Riders', 0, 0, 5);
    for (const figure of Object.values(off.figures)) figure.at = null;
    expect(ghostOf(off)).toBeNull();
    const block = blockAt(off, [1000, 47900], table);
    const places = Object.values(block.places);
    expect(places).toHaveLength(5);
    for (const [i, a] of places.entries()) {
      expect(Math.min(a[0], a[1], 48000 - a[0], 48000 - a[1])).toBeGreaterThanOrEqual(500);
      for (const b of places.slice(i + 1)) expect(Math.hypot(a[0] - b[0], a[1] - b[1])).toBeGreaterThan(1000);
    }
    expect(displacement(off, block)).toBeNull();
  });
});

describe('ghosts over frames', () => {
  it('stay while no figure falls, even if their unit moves', () => {
    const ghosts = { b1: ahead(5000) };
    expect(kept(ghosts, view())).toBe(ghosts);
    expect(kept(ghosts, having({ b1: unit('blue', 1, 'Squad', 13000, 8000, 6) }))).toBe(ghosts);
  });

  it('lose the figures that fall', () => {
    const left = kept({ b1: ahead(5000) }, having({ b1: fallen(squad, 'f2') }));
    expect(Object.keys(left['b1']!.places)).toEqual(['f1', 'f3', 'f4', 'f5', 'f6']);
  });

  it('vanish with their unit, and where it has come to be where it was planned', () => {
    const ghosts = { b1: ahead(5000), b2: ghostOf(view().units['b2']!)!, t: spun(tank, tankGhost, 9000, table) };
    const units = { b1: { ...squad, left: 'gone' }, t: { ...tank } };
    expect(Object.keys(kept(ghosts, having(units)))).toEqual(['t']);
    expect(kept({ b1: ahead(5000) }, having({ b1: unit('blue', 1, 'Squad', 12000, 13000, 6) }))).toEqual({});
    const gone = Object.keys(squad.figures).reduce(fallen, squad);
    expect(kept({ b1: ahead(5000) }, having({ b1: gone }))).toEqual({});
  });
});

describe('the ruler', () => {
  it('measures between a ghost and its unit, and between a ghost and anything else', () => {
    const seen = haunted(view(), { b1: ahead(10000) });
    const ruler = new Ruler(() => seen);
    ruler.toggle();
    ruler.lay([12000, 8000], 0);
    ruler.lay([12000, 18000], 0);
    expect(ruler.marks.map((mark) => mark.unit)).toEqual(['b1', ghostKey('b1')]);
    expect(ruler.text).toBe('9″ from edge to edge (10″ between middles)');
    ruler.clear();
    ruler.layUnit(ghostKey('b1'));
    ruler.layUnit('r1');
    // f2 of the ghost at 12", 19.5"; f1 of the guards at 12", 40".
    expect(ruler.text).toContain('19.5″ from edge to edge');
    expect(ghostsUnit(ghostKey('b1'))).toBe('b1');
    expect(ghostsUnit('b1')).toBeNull();
  });
});
