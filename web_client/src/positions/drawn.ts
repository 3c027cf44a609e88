/**
 * The picture of a setup in hand: what stands where is the setup's own, at once; what only the rules know (signs, cards,
 * what ground does) is the server's, of the last setup that it could read.
 */
import type {
  FigureView,
  MountView,
  SetupChecked,
  TableView,
  TerrainView,
  UnitView,
  View,
  Word,
} from '../lib/protocol';
import { carried } from './buildings';
import { sizeOf } from './edit';
import { kindOf, type Parts } from './parts';
import { mil, spot } from './places';
import type { MountRow, Piece, Setup, Unit } from './setup';
import { figuresOf, type Row } from './units';

export interface Picture {
  view: View;
  table: TableView;
  words: Record<string, Word>;
}

const hundredths = (degrees: number): number => Math.round(degrees * 100);

export function terrainView(piece: Piece, parts: Parts | null, known?: TerrainView): TerrainView {
  const kind = parts ? kindOf(parts, piece.kind) : undefined;
  const same = known?.kind === piece.kind ? known : undefined;
  return {
    id: piece.id,
    kind: piece.kind,
    name: piece.name || kind?.name || same?.name || piece.kind,
    outline: piece.outline.map(spot),
    linear: piece.linear ?? kind?.linear ?? same?.linear ?? false,
    cover: piece.cover ?? kind?.cover ?? '',
    flags: [...(piece.flags ?? kind?.flags ?? [])],
    sight: piece.sight ?? kind?.sight ?? 'clear',
    sight_depth: mil(piece.sight_depth ?? kind?.sight_depth ?? 0),
    notes: [...(same?.notes ?? kind?.notes ?? [])],
  };
}

function figureView(unit: Unit, row: Row, known: FigureView | undefined): FigureView {
  const listed = typeof unit.figures === 'number' ? undefined : unit.figures.find((each) => each.id === row.id);
  return {
    at: row.at && !unit.aboard ? spot(row.at) : null,
    radius: row.hull ? mil(row.hull[1]) / 2 : mil(unit.base ?? 1) / 2,
    role: known?.role ?? listed?.role ?? '',
    sign: known?.sign ?? '',
    fallen: row.fallen,
    conditions: [...(listed?.conditions ?? [])],
    hull: row.hull ? spot(row.hull) : null,
    facing: hundredths(row.facing),
  };
}

const mountView = (row: MountRow, known: MountView | undefined): MountView => ({
  name: known?.name ?? row.weapon,
  middle: hundredths(row.middle ?? 0),
  spread: hundredths(row.spread ?? 180),
  reach: known?.reach ?? 0,
  lost: row.lost ?? false,
});

function unitView(unit: Unit, number: number, turn: number, known: UnitView | undefined): UnitView {
  return {
    side: unit.side,
    name: unit.name,
    number,
    figures: Object.fromEntries(
      figuresOf(unit).map((row) => [row.id, figureView(unit, row, known?.figures[row.id])] as const),
    ),
    card: known?.card ?? {},
    conditions: [...(unit.conditions ?? [])],
    activated: turn > 0 && unit.activated === turn,
    left: unit.left ?? '',
    mounts: Object.fromEntries(
      Object.entries(unit.mounts ?? {}).map(([key, row]) => [key, mountView(row, known?.mounts[key])]),
    ),
    aboard: unit.aboard ?? '',
    order: '',
    // Its row has its own figures, and so they are drawn.
    attached: '',
  };
}

/** The units that the server put in for sides that play a ready force: they are no rows of the setup. */
export function mustered(setup: Setup, checked: SetupChecked | null): [string, UnitView][] {
  const own = new Set(setup.unit?.map((unit) => unit.id));
  const forced = new Set(setup.side.filter((side) => side.force).map((side) => side.id));
  return Object.entries(checked?.view?.units ?? {}).filter(([id, unit]) => !own.has(id) && forced.has(unit.side));
}

/**
 * The walls and openings that the server put in for a building: they are no rows of the setup. Until it has answered they go
 * with the building.
 */
function builtOn({ id, outline }: Piece, setup: Setup, checked: SetupChecked | null): TerrainView[] {
  const own = new Set(setup.terrain?.map((piece) => piece.id));
  const pieces = checked?.table?.terrain ?? [];
  const before = pieces.find((piece) => piece.id === id)?.outline ?? [];
  const after = outline.map(spot);
  return pieces
    .filter((piece) => piece.id.startsWith(`${id}.`) && !own.has(piece.id))
    .map((piece) =>
      before.length === after.length
        ? { ...piece, outline: piece.outline.map((at) => carried(before, after, at)) }
        : piece,
    );
}

/** The picture of `setup`. `checked` is the last answer that had one. */
export function drawn(setup: Setup, checked: SetupChecked | null, parts: Parts | null): Picture {
  const [width, height] = sizeOf(setup);
  const known = checked?.view;
  const pieces = new Map(checked?.table?.terrain.map((piece) => [piece.id, piece]));
  const turn = setup.turn?.number ?? 0;
  const forced = mustered(setup, checked);
  const words: Record<string, Word> = { ...checked?.words };
  for (const { key, label, text } of parts?.conditions ?? []) words[key] ??= { label, text, rule: '', apart: false };
  return {
    table: {
      width,
      height,
      terrain: (setup.terrain ?? []).flatMap((piece) => [
        terrainView(piece, parts, pieces.get(piece.id)),
        ...builtOn(piece, setup, checked),
      ]),
    },
    words,
    view: {
      title: setup.name,
      turn,
      turn_limit: known?.turn_limit ?? 0,
      phase: setup.turn?.phase ?? '',
      active_side: setup.turn?.active ?? '',
      active_unit: '',
      sides: Object.fromEntries(
        setup.side.map(({ id, name, letter, shape, zone }) => [
          id,
          { name, letter, shape, seat: id, zone: (zone ?? []).map(spot), assets: known?.sides[id]?.assets ?? {} },
        ]),
      ),
      seats: {},
      units: Object.fromEntries([
        ...forced,
        ...(setup.unit ?? []).map(
          (unit, i) => [unit.id, unitView(unit, forced.length + i + 1, turn, known?.units[unit.id])] as const,
        ),
      ]),
      objectives: Object.fromEntries(
        (setup.objective ?? []).map(({ id, name, at, radius, held_by }) => [
          id,
          { name, at: spot(at), radius: mil(radius), held_by: held_by ?? '' },
        ]),
      ),
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
    },
  };
}
