/** A small battle of three sides with vehicles, for tests. Only tests import this. */
import type {
  AssignmentParameter,
  PathParameter,
  Point,
  RowOption,
  StopParameter,
  TerrainView,
  UnitView,
  View,
} from './protocol';
import { path, unit, view } from './views.fixture';

/** A vehicle, its middle at `at`: a gun all round, a machine gun to the front, one to the left that is lost. */
export function vehicle(side: string, number: number, name: string, at: Point | null, facing: number): UnitView {
  return {
    ...unit(side, number, name, 0, 0, 0),
    figures: {
      hull: { at, radius: 1250, role: '', sign: '', fallen: false, conditions: [], hull: [4500, 2500], facing },
    },
    mounts: {
      gun: { name: 'Heavy gun', middle: 0, spread: 18000, reach: 36000, lost: false },
      bow: { name: 'Bow machine gun', middle: 0, spread: 4500, reach: 24000, lost: false },
      left: { name: 'Sponson', middle: 9000, spread: 4500, reach: 18000, lost: true },
    },
  };
}

/** What is left of the red armoured car. */
export const WRECK: TerrainView = {
  id: 'wreck',
  name: 'Wreck of Armoured Car',
  kind: 'wreck',
  outline: [
    [26750, 38250],
    [26750, 33750],
    [29250, 33750],
    [29250, 38250],
  ],
  linear: false,
  cover: 'soft',
  flags: [],
  sight: 'clear',
  sight_depth: 0,
  notes: ['soft cover'],
};

/** b3 carries b4, two of the green squad are suppressed, r4 is a wreck. */
export function threeSides(overrides: Partial<View> = {}): View {
  const two = view();
  const green = unit('green', 1, 'Partisans', 40000, 24000, 5);
  for (const id of ['f2', 'f4']) green.figures[id] = { ...green.figures[id]!, conditions: ['suppressed'] };
  const riders = unit('blue', 4, 'Mounted Squad', 0, 0, 3);
  for (const id of Object.keys(riders.figures)) riders.figures[id] = { ...riders.figures[id]!, at: null };
  const burnt = vehicle('red', 4, 'Armoured Car', [28000, 36000], 27000);
  burnt.figures['hull'] = { ...burnt.figures['hull']!, fallen: true };
  return {
    ...two,
    sides: {
      ...two.sides,
      green: { name: 'Green', letter: 'G', shape: 'diamond', seat: 'green', zone: [], assets: {} },
    },
    seats: {
      ...two.seats,
      green: {
        side: 'green',
        name: 'Cy',
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
      ...two.units,
      b3: vehicle('blue', 3, 'Carrier', [20000, 8000], 9000),
      b4: { ...riders, aboard: 'b3' },
      r3: vehicle('red', 3, 'Battle Tank', [24000, 40000], 24000),
      r4: { ...burnt, left: 'destroyed' },
      g1: green,
    },
    terrain: { wreck: WRECK },
    ...overrides,
  };
}

/** Where the carrier b3 may drive. */
export function drive(overrides: Partial<PathParameter> = {}): PathParameter {
  return path({
    unit: 'b3',
    allowance: 12000,
    costly: [],
    gap: 0,
    avoid: ['r1', 'r2', 'g1'],
    clear: 1000,
    limits: [
      ['stream', 6000],
      ['rocks', 6000],
    ],
    barred: ['house', 'wall', 'cliff', 'wreck'],
    ...overrides,
  });
}

/** Whom the figures of b1 shoot at. */
export function shots(overrides: Partial<AssignmentParameter> = {}): AssignmentParameter {
  const targets: RowOption[] = [
    { key: 'r1', label: 'Guards', unit: 'r1', note: '24"' },
    { key: 'g1', label: 'Partisans', unit: 'g1', note: '28"' },
    { key: 'r3', label: 'Battle Tank', unit: 'r3', note: '30", no effect' },
  ];
  const rows = ['f1', 'f2', 'f3', 'f4', 'f5', 'f6'].map((figure, i) => ({
    key: figure,
    label: i === 1 ? 'Machine gun' : `Rifle ${i + 1}`,
    figure,
    options: i === 5 ? targets.slice(0, 1) : targets,
  }));
  return {
    type: 'assignment',
    label: 'Who shoots at whom',
    unit: 'b1',
    rows,
    least: 0,
    most: 6,
    suggested: { f1: 'r1', f2: 'r1', f3: 'r1', f4: 'r1', f5: 'r1', f6: 'r1' },
    limits: [],
    none: 'does not shoot',
    ...overrides,
  };
}

/** Three hits on b1: who falls, and who is suppressed, two at most. */
export function losses(overrides: Partial<AssignmentParameter> = {}): AssignmentParameter {
  const rows = ['f1', 'f2', 'f3', 'f4', 'f5', 'f6'].map((figure, i) => ({
    key: figure,
    label: `Rifleman ${i + 1}`,
    figure,
    options: [
      { key: 'falls', label: 'Casualty', unit: '', note: '' },
      { key: 'suppressed', label: 'Suppressed', unit: '', note: '' },
    ],
  }));
  return {
    type: 'assignment',
    label: 'Who takes the hits',
    unit: 'b1',
    rows,
    least: 3,
    most: 3,
    suggested: { f1: 'suppressed', f2: 'suppressed', f3: 'falls' },
    limits: [['suppressed', 2]],
    none: 'unhurt',
    ...overrides,
  };
}

/** Where on the way of r1 the seat that is asked opens fire. */
export function stop(overrides: Partial<StopParameter> = {}): StopParameter {
  const paths = Object.fromEntries(
    Object.entries(view().units['r1']!.figures).map(([id, { at }]) => {
      const [x, y] = at!;
      const corner: Point = [x + 6000, y - 4000];
      return [id, [[x, y], corner, [x + 9000, y - 4000]] as Point[]];
    }),
  );
  return {
    type: 'stop',
    label: 'Where to open fire',
    unit: 'r1',
    paths,
    spans: [
      [200, 400],
      [600, 1000],
    ],
    suggested: 300,
    ...overrides,
  };
}
