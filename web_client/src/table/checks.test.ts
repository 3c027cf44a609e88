/** Vehicles among squads: how they may drive and be put down, and how others keep off them. */
import { describe, expect, it } from 'vitest';
import refusals from '../../../tests/vectors/refusals.json';
import type { PlacementParameter, Point, UnitView, View } from '../lib/protocol';
import type { PathParameter, TableView } from '../lib/protocol';
import { path, table as plain, unit, view as battle } from '../lib/views.fixture';
import { pathFaultsOf, placementFaults, surcharges } from './checks';

/** A vehicle, 5" by 2.5". */
function carrier(side: string, number: number, at: Point | null, facing = 0): UnitView {
  const figures = {
    '1': {
      at,
      radius: 1250,
      role: '',
      sign: '',
      fallen: false,
      conditions: [],
      hull: [5000, 2500] as [number, number],
      facing,
    },
  };
  return { ...unit(side, number, `Carrier ${number}`, 0, 0, 0), figures };
}

const house = { ...plain.terrain[0]!, id: 'house', name: 'The house', linear: false };
const table: TableView = {
  ...plain,
  terrain: [
    { ...house, outline: [[20000, 12000], [24000, 12000], [24000, 18000], [20000, 18000]] }, // prettier-ignore
    { ...house, id: 'hedge', name: 'The hedge', linear: true, outline: [[16000, 0], [16000, 8000]] }, // prettier-ignore
  ],
};
const view: View = battle({
  units: {
    b1: carrier('blue', 1, [10000, 10000]),
    b2: unit('blue', 2, 'Mates', 10000, 13000, 2),
    b3: carrier('blue', 3, [10000, 20000]),
    r1: unit('red', 1, 'Guards', 10000, 5000, 1),
    r2: carrier('red', 2, [30000, 10000], 9000),
  },
});
const driving = path({
  allowance: 12000,
  costly: [],
  barred: ['house'],
  clear: 1000,
  limits: [['hedge', 6000]],
});
const walking = { ...driving, unit: 'b2', limits: [], gap: 3000 };

function drive(points: Point[], facing: number | null = null, parameter = driving) {
  return pathFaultsOf(view, table, parameter, points.length > 0 ? { '1': points } : {}, facing);
}

function walk(by: Point, parameter = walking) {
  const ways = Object.entries(view.units['b2']!.figures).map(
    ([id, { at }]) => [id, [[at![0] + by[0], at![1] + by[1]] as Point]] as const,
  );
  return pathFaultsOf(view, table, parameter, Object.fromEntries(ways));
}

describe('a vehicle', () => {
  it.each<[string, Point[], number | null]>([
    ['up to the hedge', [[13400, 10000]], null],
    ['through the hedge, not far', [[16000, 10000]], null],
    ['an inch clear of the enemy, then turned', [[10000, 9000]], 0],
    ['through its mates, up to a friend', [[10000, 13000], [10000, 16250]], 0], // prettier-ignore
    ['turning on the spot', [], 4500],
    ['staying', [], null],
  ])('may drive: %s', (_, points, facing) => expect(drive(points, facing)).toEqual([]));

  it.each<[Point[], number | null, string, string, Point]>([
    [[[10000, 9700], [22001, 9700]], null, 'The path uses 12.4" of movement; there are 12".', 'allowance', [22001, 9700]], // prettier-ignore
    [
      [[10000, 8000]],
      0,
      'The path comes nearer than 1" to an enemy; keep at least so far away.',
      'clear',
      [10000, 8990],
    ],
    [[[10000, 12500]], null, 'The vehicle would end on a figure; end next to it.', 'allowance', [10000, 12500]],
    [[[10000, 18000]], null, 'The path runs into a vehicle; go around it.', 'allowance', [10000, 16259]],
    [
      [[16500, 7200]],
      null,
      'The path is 7.1" long; one that enters The hedge is at most 6" long.',
      'limits',
      [16500, 7200],
    ],
    [[[10000, 14000], [18000, 14000]], null, 'The path runs into The house, which cannot be crossed by this vehicle.', 'allowance', [17509, 14000]], // prettier-ignore
  ])('may not drive %j', (points, facing, sentence, rule, where) =>
    expect(drive(points, facing)).toEqual([{ sentence, rule, where, figure: '1' }]),
  );

  it('keeps clear of the enemy’s vehicles', () => {
    const far = { ...driving, allowance: 40000, barred: [], limits: [] };
    expect(drive([[10000, 9500], [25240, 9500]], null, far)).toEqual([]); // prettier-ignore
    expect(drive([[10000, 9500], [26000, 9500]], null, far)).toMatchObject([{ rule: 'clear', where: [25260, 9500] }]); // prettier-ignore
  });
});

describe('a flight', () => {
  const flying = { ...driving, limits: [], allowance: 40000, over: true };
  const sentences = (points: Point[], parameter: PathParameter = flying): string[] =>
    drive(points, null, parameter).map((fault) => fault.sentence);

  it.each<[string, Point[]]>([
    ['a barred piece', [[10000, 15000], [28000, 15000]]], // prettier-ignore
    ['a hull', [[10000, 26000]]],
    ['an enemy’s base', [[10000, 2600], [20000, 2600]]], // prettier-ignore
  ])('leads over %s, which a drive does not', (_, points) => {
    expect(drive(points, null, flying)).toEqual([]);
    expect(sentences(points, { ...flying, over: false })).toHaveLength(1);
  });

  it('may end neither on a base, in a hull, on barred ground nor off the table', () => {
    expect(sentences([[10000, 13000]])).toEqual(['The vehicle would end on a figure; end next to it.']);
    expect(sentences([[10000, 20000]])).toEqual(['The path runs into a vehicle; go around it.']);
    expect(sentences([[22000, 15000]])).toEqual([
      'The path runs into The house, which cannot be crossed by this vehicle.',
    ]);
    expect(sentences([[1000, 10000]])).toEqual(['The path leaves the table.']);
  });
});

describe('a squad among vehicles', () => {
  it('does not walk through one', () => {
    expect(walk([-4000, 3000])).toEqual([]);
    expect(walk([0, 9000])).toMatchObject([
      { sentence: 'The path runs into a vehicle; go around it.', where: [10000, 18250] },
      { sentence: 'The path runs into a vehicle; go around it.' },
    ]);
  });

  it('cannot end in one', () => {
    expect(walk([0, 6000]).map((fault) => fault.sentence)).toContain(
      'A figure would end in a vehicle; end next to it.',
    );
  });

  it('moves only those who may', () => {
    const held = { ...walking, figures: ['f2'] };
    expect(pathFaultsOf(view, table, held, { f2: [[10500, 15000]] })).toEqual([]);
    expect(pathFaultsOf(view, table, held, { f1: [[9000, 13000]] })).toMatchObject([
      { sentence: 'This figure cannot move now.', figure: 'f1' },
    ]);
  });

  it('ends near one, measured from its side', () => {
    const why = { sentence: 'Get there first.', rule: 'board' };
    const near = (figures: number) => ({
      ...walking,
      ends: [{ any_of: [{ type: 'near' as const, units: ['b3'], reach: 1000, figures, among: [] }], why }],
    });
    // The second figure stands 1.5" behind the first, which is 5.25" from the vehicle's side.
    expect(walk([0, 2750], near(1))).toEqual([]);
    expect(walk([0, 2749], near(1))).toEqual([why]);
    expect(walk([0, 2750], near(0))).toEqual([why]);
  });

  it('ends near those figures of a unit that count, whatever lies between', () => {
    const why = { sentence: 'Keep near the others.', rule: 'scout' };
    const [first, second] = Object.keys(view.units['b2']!.figures) as [string, string];
    const scout = {
      ...walking,
      gap: 0,
      over: true,
      allowance: 96000,
      figures: [second],
      ends: [{ any_of: [{ type: 'near' as const, units: ['b2'], reach: 17000, figures: 0, among: [first] }], why }],
    };
    const at = view.units['b2']!.figures[first]!.at!;
    const put = (x: number, y: number) => pathFaultsOf(view, table, scout, { [second]: [[x, y]] });
    expect(put(at[0], at[1] + 18000)).toEqual([]);
    expect(put(at[0], at[1] + 18001)).toEqual([why]);
    expect(put(22000, 15000)).toMatchObject([{ sentence: expect.stringContaining('cross') as string }]);
  });

  it('ends far enough off, each figure that is named', () => {
    const why = { sentence: 'Get clear.', rule: 'clear' };
    // The first figure stands 5.25" below the vehicle's side with its edge, the second 1.5" nearer.
    const clear = (least: [string, number][]) => ({
      ...walking,
      ends: [{ any_of: [{ type: 'beyond' as const, units: ['b3'], least }], why }],
    });
    expect(walk([0, 1000], clear([['f1', 4250]]))).toEqual([]);
    expect(walk([0, 1001], clear([['f1', 4250]]))).toEqual([why]);
    expect(walk([0, 1000], clear([['f2', 4250]]))).toEqual([why]);
  });

  it('uses up so much of its movement, as many figures of it as must', () => {
    const why = { sentence: 'Go on.', rule: 'whole' };
    const whole = (figures: number) => ({
      ...walking,
      ends: [
        {
          any_of: [
            { type: 'spent' as const, figures, least: 2000, pieces: [], reach: 1000, watchers: [], hides: false },
          ],
          why,
        },
      ],
    });
    expect(walk([0, 2000], whole(2))).toEqual([]);
    expect(walk([0, 1999], whole(2))).toEqual([why]);
    const one = { f1: [[12000, 13000]] as Point[] };
    expect(pathFaultsOf(view, table, { ...whole(1), gap: 0 }, one)).toEqual([]);
    expect(pathFaultsOf(view, table, { ...whole(2), gap: 0 }, one)).toEqual([why]);
  });

  it('ends closer than it began, or farther, each figure of it', () => {
    const why = { sentence: 'Mind them.', rule: 'mind' };
    const ending = (type: 'closer' | 'farther', units: string[]) => ({
      ...walking,
      ends: [{ any_of: [{ type, units }], why }],
    });
    const [closer, farther] = [ending('closer', ['b3']), ending('farther', ['b3'])];
    expect(walk([0, 1], closer)).toEqual([]);
    expect(walk([0, 1], farther)).toEqual([why]);
    expect(walk([0, -1], closer)).toEqual([why]);
    expect(walk([0, -1], farther)).toEqual([]);
    // Along the vehicle's side neither changes.
    expect(walk([500, 0], closer)).toEqual([why]);
    expect(walk([500, 0], farther)).toEqual([why]);
    // One figure alone is not enough.
    const one = { f1: [[10000, 13500]] as Point[] };
    expect(pathFaultsOf(view, table, closer, one)).toEqual([why]);
    // Of units that are gone one is as far as can be, and comes no closer.
    expect(walk([0, 1], ending('closer', ['gone']))).toEqual([why]);
    expect(walk([0, 1], ending('farther', ['gone']))).toEqual([]);
  });

  it('goes away on all of its way, each figure', () => {
    const why = { sentence: 'Go away.', rule: 'away' };
    const away = { ...walking, ends: [{ any_of: [{ type: 'away' as const, units: ['b3'] }], why }] };
    expect(walk([0, -1], away)).toEqual([]);
    expect(walk([0, 1], away)).toEqual([why]);
    const bent = (by: number) => {
      const { figures } = view.units['b2']!;
      const ways = Object.entries(figures).map(([id, { at }]) => {
        const [x, y] = at!;
        return [id, [[x, y + by], [x, y - 500]] as Point[]] as const; // prettier-ignore
      });
      return pathFaultsOf(view, table, { ...away, allowance: 9000 }, Object.fromEntries(ways));
    };
    expect(bent(-100)).toEqual([]);
    expect(bent(100)).toEqual([why]);
  });

  it('ends in a direction from where it began, each figure that moves', () => {
    const why = { sentence: 'Straight on.', rule: 'react' };
    const north = { ...walking, ends: [{ any_of: [{ type: 'along' as const, angle: 9000, spread: 1500 }], why }] };
    expect(walk([0, 2000], north)).toEqual([]);
    expect(walk([500, 1950], north)).toEqual([]);
    expect(walk([550, 1950], north)).toEqual([why]);
    expect(walk([0, -200], north)).toEqual([why]);
    expect(walk([0, 0], north)).toEqual([]);
  });

  it('ends in a piece or closer to it, each figure', () => {
    const why = { sentence: 'To the hedge.', rule: 'react' };
    const towards = (piece: string) => ({
      ...walking,
      ends: [{ any_of: [{ type: 'at_piece' as const, piece, reach: 1000 }], why }],
    });
    expect(walk([500, -500], towards('hedge'))).toEqual([]);
    expect(walk([-500, 500], towards('hedge'))).toEqual([why]);
    expect(walk([500, 0], towards('house'))).toEqual([]);
    const one = { f1: [[10500, 13000]] as Point[] };
    expect(pathFaultsOf(view, table, towards('house'), one)).toEqual([why]);
    expect(walk([500, 0], towards('gone'))).toEqual([why]);
  });

  it('ends in cover against the nearest enemy, and not before it', () => {
    const why = { sentence: 'Into cover.', rule: 'rush' };
    const far = { ...walking, allowance: 40_000, barred: [], over: true, gap: 0 };
    const covered = (units: string[], pieces: string[]) => ({
      ...far,
      ends: [{ any_of: [{ type: 'covered' as const, units, pieces, figures: 1, reach: 1000 }], why }],
    });
    const at = (x: number, y: number) => ({ f1: [[x, y]] as Point[] });
    const hedge = covered(['r2'], ['hedge']);
    expect(pathFaultsOf(view, table, hedge, at(15_000, 4_000))).toEqual([]);
    expect(pathFaultsOf(view, table, hedge, at(17_000, 4_000))).toEqual([why]);
    expect(pathFaultsOf(view, table, hedge, at(13_000, 4_000))).toEqual([why]);
    expect(pathFaultsOf(view, table, covered(['r2'], ['house']), at(22_000, 15_000))).toEqual([]);
    expect(pathFaultsOf(view, table, covered([], ['house']), at(22_000, 15_000))).toEqual([why]);
  });

  it('ends at the edge of the table, each figure', () => {
    const why = { sentence: 'To the edge.', rule: 'flee' };
    const far = { ...walking, allowance: 40_000, gap: 0 };
    const edge = { ...far, ends: [{ any_of: [{ type: 'edge' as const, reach: 20 }], why }] };
    const radius = view.units['b2']!.figures['f1']!.radius;
    const ways = (x: number) => ({ f1: [[radius, 13_000]] as Point[], f2: [[x, 16_000]] as Point[] });
    expect(pathFaultsOf(view, table, edge, ways(radius + 20))).toEqual([]);
    expect(pathFaultsOf(view, table, edge, ways(radius + 21))).toEqual([why]);
    const parked = { ...driving, allowance: 40_000, limits: [], ends: edge.ends };
    expect(drive([[2_500, 10_000]], null, parked)).toEqual([]);
    expect(drive([[2_530, 10_000]], null, parked)).toEqual([why]);
  });

  it('keeps some of its figures nearer together', () => {
    const why = { sentence: 'The crew keeps together.', rule: 'crew' };
    const among = (figures: string[], gap: number) => ({
      ...walking,
      ends: [{ any_of: [{ type: 'together' as const, figures, gap }], why }],
    });
    const one = { f1: [[9500, 13000]] as Point[] };
    expect(pathFaultsOf(view, table, among(['f1', 'f2'], 100_000), one)).toEqual([]);
    expect(pathFaultsOf(view, table, among(['f1', 'f2'], 0), one)).toEqual([why]);
    expect(pathFaultsOf(view, table, among(['f1'], 0), one)).toEqual([]);
  });
});

describe('putting down', () => {
  const parameter: PlacementParameter = {
    type: 'placement',
    units: ['b9'],
    zone: [[0, 0], [20000, 0], [20000, 10000], [0, 10000]], // prettier-ignore
    gaps: [0],
    barred: [['hedge']],
    suggested: [{ '1': [8000, 5000] }],
    gap_rule: '',
    facings: [{ '1': 9000 }],
    landing: null,
    avoid: [],
    clear: 0,
    clear_rule: '',
    bonds: [],
  };
  const fresh = battle({
    units: {
      b9: carrier('blue', 9, null),
      b3: carrier('blue', 3, [15000, 5000]),
      b2: unit('blue', 2, 'Man', 3000, 3000, 1),
    },
  });
  const put = (at: Point, facing?: number) =>
    placementFaults(fresh, table, parameter, [{ '1': at }], facing === undefined ? [] : [{ '1': facing }]).length;

  it.each<[Point, number | undefined, number]>([
    [[8000, 2500], undefined, 0],
    [[8000, 2400], undefined, 1],
    [[8000, 1250], 0, 0],
    [[10000, 5000], 0, 0],
    [[10100, 5000], 0, 1],
    [[6000, 3000], 0, 0],
    [[5900, 3000], 0, 1],
    [[14500, 1300], 0, 1],
  ])('a vehicle at %j facing %s', (at, facing, faults) => expect(put(at, facing)).toBe(faults));

  it('each unit off what bars it, and not what bars another', () => {
    const both = battle({ units: { b9: carrier('blue', 9, null), b4: unit('blue', 4, 'Man', 0, 0, 1) } });
    const two = {
      ...parameter,
      units: ['b9', 'b4'],
      gaps: [0, 0],
      barred: [['hedge'], []],
      facings: [{ '1': 9000 }, {}] as Record<string, number>[],
    };
    const faults = (vehicle: Point, man: Point) => placementFaults(both, table, two, [{ '1': vehicle }, { f1: man }]);
    expect(faults([8000, 5000], [16000, 4000])).toEqual([]);
    expect(faults([16000, 4000], [8000, 5000])).toMatchObject([{ sentence: 'The vehicle cannot stand in The hedge.' }]);
  });

  it('a crew nearer together than its squad', () => {
    const men = battle({ units: { b9: unit('blue', 9, 'Man', 0, 0, 3) } });
    const bond = { unit: 'b9', figures: ['f2', 'f3'], gap: 2000, rule: 'crew', name: 'The crew of its weapon' };
    const loose = { ...parameter, gaps: [4000], facings: [], barred: [[]], bonds: [bond] };
    const places = (x: number) =>
      placementFaults(men, table, loose, [{ f1: [6000, 5000], f2: [10000, 5000], f3: [x, 5000] }]);
    expect(places(13000)).toEqual([]);
    expect(places(13001)).toMatchObject([
      { rule: 'crew', sentence: expect.stringContaining('The crew of its weapon') },
    ]);
  });

  it('a marker clear of the middles of objectives', () => {
    const bridge = { name: 'Bridge', at: [6000, 5000] as Point, radius: 3000, held_by: '' };
    const marker = { ...battle({ units: { b9: unit('blue', 9, 'Man', 0, 0, 1) } }), objectives: { bridge } };
    const clear = { ...parameter, facings: [], barred: [[]], avoid: ['bridge'], clear: 6000, clear_rule: 'gap' };
    const places = (x: number) => placementFaults(marker, table, clear, [{ f1: [x, 5000] }]);
    expect(places(12500)).toEqual([]);
    expect(places(12499)).toMatchObject([{ rule: 'gap', sentence: 'It would lie within 6" of Bridge.' }]);
  });

  it('no figure inside a vehicle', () => {
    const man = battle({ units: { b9: unit('blue', 9, 'Man', 0, 0, 1), b3: carrier('blue', 3, [15000, 5000]) } });
    const places = (x: number) => placementFaults(man, table, { ...parameter, facings: [] }, [{ f1: [x, 5000] }]);
    expect(places(12000)).toEqual([]);
    expect(places(12500)).toMatchObject([{ sentence: 'A figure would stand in a vehicle.' }]);
  });
});

interface Refused {
  case: {
    name: string;
    path: Point[];
    parameter: PathParameter;
    start: Point;
    radius: number;
    table: Point;
    ground: { id: string; outline: Point[]; linear: boolean }[];
    enemies: Point[];
    friends: Point[];
  };
  rule: string | null;
}

/** A unit with a figure at each of these places. */
function standing(side: string, number: number, radius: number, places: readonly Point[]): UnitView {
  const figures = Object.fromEntries(
    places.map((at, index) => [
      `${index + 1}`,
      { at, radius, role: '', sign: '', fallen: false, conditions: [], hull: null, facing: 0 },
    ]),
  );
  return { ...unit(side, number, `${side} ${number}`, 0, 0, 0), figures };
}

describe('what ground adds', () => {
  it('is told piece by piece, of overlapping ones the dearest alone, with its rule', () => {
    const mire = { ...house, id: 'mire', name: 'The mire', outline: [[0, 2000], [9000, 2000], [9000, 3000], [0, 3000]] }; // prettier-ignore
    const rocks = { ...mire, id: 'rocks', name: 'The rocks', outline: [[0, 2000], [9000, 2000], [9000, 4000], [0, 4000]] }; // prettier-ignore
    const hedge = {
      ...house,
      id: 'hedge',
      name: 'The hedge',
      linear: true,
      outline: [
        [0, 5000],
        [9000, 5000],
      ],
    };
    const far = {
      ...hedge,
      id: 'far',
      name: 'Far off',
      outline: [
        [0, 20000],
        [9000, 20000],
      ],
    };
    const on = { ...table, terrain: [rocks, mire, hedge, far] as TableView['terrain'] };
    const parameter = {
      ...walking,
      costly: [['rocks', 200], ['mire', 300], ['hedge', 1000], ['far', 1000]] as [string, number][], // prettier-ignore
      grounds: [{ piece: 'mire', rule: 'deep' }, { piece: 'hedge', rule: 'over' }], // prettier-ignore
    };
    // An inch of mire for 3", one of rocks for 2", and a hedge for 1".
    expect(surcharges(on, parameter, [[1000, 1000], [1000, 6000]])).toEqual([
      { name: 'The hedge', more: 1000, rule: 'over' },
      { name: 'The mire', more: 2000, rule: 'deep' },
      { name: 'The rocks', more: 1000, rule: walking.allowance_rule },
    ]); // prettier-ignore
    expect(surcharges(on, parameter, [[1000, 7000], [1000, 8000]])).toEqual([]); // prettier-ignore
  });
});

describe('the rule by which a way is refused', () => {
  for (const { case: one, rule } of refusals as unknown as Refused[]) {
    it(`is the server's: ${one.name}`, () => {
      const [width, height] = one.table;
      const ground = one.ground.map((piece) => ({ ...house, ...piece, name: piece.id }));
      const on = { ...plain, width, height, terrain: ground };
      const units = {
        'blue-1': standing('blue', 1, one.radius, [one.start]),
        'blue-2': standing('blue', 2, 500, one.friends),
        'red-1': standing('red', 1, 500, one.enemies),
      };
      const faults = pathFaultsOf(battle({ units }), on, one.parameter, { '1': one.path });
      expect(faults[0]?.rule ?? null).toBe(rule);
    });
  }
});
