/** A small battle for tests: two squads a side, with ground between them. Only tests import this. */
import type {
  Choice,
  FigureView,
  PathParameter,
  Point,
  Prompt,
  TableView,
  TerrainView,
  UnitView,
  View,
} from './protocol';

/** A view of a fixture battle; `overrides` replace whole fields. */
export function view(overrides: Partial<View> = {}): View {
  return {
    title: 'Crossroads',
    turn: 1,
    turn_limit: 6,
    phase: 'orders',
    active_side: 'blue',
    active_unit: '',
    sides: {
      blue: { name: 'Blue', letter: 'B', shape: 'circle', seat: 'blue', zone: zone(0), assets: {} },
      red: { name: 'Red', letter: 'R', shape: 'square', seat: 'red', zone: zone(38000), assets: {} },
    },
    seats: {
      blue: {
        side: 'blue',
        name: 'Ada',
        ready: true,
        asked: true,
        sealed: false,
        force: '',
        brings: [],
        take_back: '',
        conceded: false,
        program: '',
        lent: '',
        key: '',
      },
      red: {
        side: 'red',
        name: 'Bo',
        ready: true,
        asked: false,
        sealed: false,
        force: '',
        brings: [],
        take_back: '',
        conceded: false,
        program: '',
        lent: '',
        key: '',
      },
    },
    units: {
      b1: unit('blue', 1, '1st Rifle Squad', 12000, 8000, 6),
      b2: unit('blue', 2, '2nd Rifle Squad', 30000, 8000, 6, ['under_fire']),
      r1: unit('red', 1, 'Guards', 12000, 40000, 5, ['pinned', 'under_fire']),
      r2: { ...unit('red', 2, 'Militia', 32000, 40000, 8), activated: true },
    },
    objectives: { bridge: { name: 'Bridge', at: [24000, 24000], radius: 3000, held_by: '' } },
    result: null,
    terrain: {},
    gone: [],
    clock: null,
    offers: {},
    deck: null,
    impact: null,
    special_cards: null,
    advice: false,
    aim: null,
    next: null,
    concludes: 0,
    league: '',
    ...overrides,
  };
}

/** The same battle with a third side between them, and a fourth one if `fourth` is set. */
export function manySides(overrides: Partial<View> = {}, fourth = false): View {
  const two = view();
  const seat = {
    ready: true,
    asked: false,
    sealed: false,
    force: '',
    brings: [],
    take_back: '' as const,
    conceded: false,
    program: '',
    lent: '',
    key: '',
  };
  const more: Partial<View> = {
    sides: {
      ...two.sides,
      green: { name: 'Green', letter: 'G', shape: 'diamond', seat: 'green', zone: [], assets: {} },
      ...(fourth
        ? { violet: { name: 'Violet', letter: 'V', shape: 'hexagon', seat: 'violet', zone: [], assets: {} } }
        : {}),
    },
    seats: {
      ...two.seats,
      green: { side: 'green', name: 'Cy', ...seat },
      ...(fourth ? { violet: { side: 'violet', name: 'Di', ...seat } } : {}),
    },
    units: {
      ...two.units,
      g1: unit('green', 1, 'Partisans', 20000, 22000, 7),
      ...(fourth ? { v1: unit('violet', 1, 'Marines', 40000, 18000, 6) } : {}),
    },
    objectives: { bridge: { ...two.objectives['bridge']!, held_by: 'green' } },
  };
  return { ...two, ...more, ...overrides };
}

function zone(bottom: number): Point[] {
  return [
    [0, bottom],
    [48000, bottom],
    [48000, bottom + 10000],
    [0, bottom + 10000],
  ];
}

/** A unit in two ranks, its left rear figure at (x, y). */
export function unit(
  side: string,
  number: number,
  name: string,
  x: number,
  y: number,
  size: number,
  conditions: string[] = [],
): UnitView {
  const figures: Record<string, FigureView> = {};
  for (let i = 0; i < size; i++) {
    const at: Point = [x + Math.floor(i / 2) * 1500, y + (i % 2) * 1500];
    const [role, sign] = i === 0 ? ['chief', 'star'] : i === 1 ? ['machine gun', 'gun'] : ['', ''];
    figures[`f${i + 1}`] = { at, radius: 500, role, sign, fallen: false, conditions: [], hull: null, facing: 0 };
  }
  return {
    side,
    number,
    name,
    figures,
    card: {},
    conditions,
    activated: false,
    left: '',
    mounts: {},
    aboard: '',
    order: '',
    attached: '',
  };
}

function terrain(
  id: string,
  name: string,
  kind: string,
  outline: Point[],
  more: Partial<TerrainView> = {},
): TerrainView {
  return {
    id,
    name,
    kind,
    outline,
    linear: false,
    cover: 'none',
    flags: [],
    sight: 'clear',
    sight_depth: 0,
    notes: [],
    ...more,
  };
}

function box(left: number, bottom: number, right: number, top: number): Point[] {
  return [
    [left, bottom],
    [right, bottom],
    [right, top],
    [left, top],
  ];
}

/** The table of the fixture battle, one piece of every kind that is drawn. */
export const table: TableView = {
  width: 48000,
  height: 48000,
  terrain: [
    terrain('hill', 'Long Hill', 'hill', [
      [2000, 26000],
      [9000, 24000],
      [11000, 29000],
      [6000, 33000],
      [2500, 31000],
    ]),
    terrain('road', 'Mill Road', 'road', box(23000, 0, 25500, 48000)),
    terrain('stream', 'Mill Stream', 'stream', [
      [0, 18000],
      [20000, 19000],
      [48000, 17000],
      [48000, 19500],
      [20000, 21500],
      [0, 20500],
    ]),
    terrain('woods', 'North Wood', 'woods', [
      [13000, 26000],
      [20000, 25000],
      [21000, 31000],
      [16000, 34000],
      [12500, 31000],
    ]),
    terrain('dense', 'Black Wood', 'dense_woods', [
      [36000, 23000],
      [44000, 22000],
      [46000, 29000],
      [39000, 31000],
    ]),
    terrain('house', 'Mill House', 'building', box(28000, 26000, 32000, 30000), { sight: 'occupied' }),
    terrain('ruin', 'Chapel', 'ruin', box(4000, 36000, 9000, 40000)),
    terrain('swamp', 'Marsh', 'swamp', [
      [30000, 11000],
      [36000, 12000],
      [37000, 16000],
      [31000, 16000],
    ]),
    terrain('rocks', 'Boulders', 'rocks', [
      [14000, 13000],
      [18000, 12500],
      [18500, 15500],
      [14500, 16000],
    ]),
    terrain(
      'wall',
      'Churchyard Wall',
      'wall',
      [
        [4000, 34500],
        [10500, 34500],
        [10500, 41000],
      ],
      { linear: true },
    ),
    terrain(
      'hedge',
      'Low Hedge',
      'hedge',
      [
        [27000, 33000],
        [36000, 34000],
        [44000, 33000],
      ],
      { linear: true },
    ),
    terrain(
      'cliff',
      'Quarry',
      'cliff',
      [
        [41000, 6000],
        [43000, 10000],
        [42000, 14000],
      ],
      { linear: true },
    ),
  ],
};

/** Where b1 may move. */
export function path(overrides: Partial<PathParameter> = {}): PathParameter {
  return {
    type: 'path',
    unit: 'b1',
    allowance: 6000,
    costly: [
      ['stream', 200],
      ['rocks', 200],
    ],
    barred: ['house'],
    avoid: ['r1', 'r2'],
    gap: 2000,
    gap_rule: 'coherency',
    allowance_rule: 'allowance',
    ends: [],
    may_stay: true,
    clear: 0,
    clear_rule: 'clear',
    limits: [],
    limits_rule: 'limits',
    figures: [],
    grounds: [],
    base_rule: '',
    table_rule: '',
    full: 0,
    less: null,
    over: false,
    receding: [],
    receding_rule: '',
    straight: false,
    jump: false,
    ground: 100,
    dear: null,
    boards: [],
    ...overrides,
  };
}

/** A prompt to seat blue with one choice that takes the parameters. */
export function prompt(...parameters: Choice['parameters']): Prompt {
  return {
    id: 'p1',
    seat: 'blue',
    title: 'Act with 1st Rifle Squad',
    choices: [{ key: 'go', label: 'Go', rule: '', consequence: '', parameters, why: null, preview: false }],
    default: { choice: 'go', values: [] },
    rule: '',
    unit: 'b1',
    sealed: false,
    answered: false,
  };
}
