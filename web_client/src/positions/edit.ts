/** Changes to a setup, each of which gives a new one: its table, terrain, sides and objectives. Units: see `units.ts`. */
import { distanceToOutline, between, type Spot } from '../lib/geometry';
import { freeName } from '../library/names';
import { carriedOpenings, carriedPart, isPartOf } from './buildings';
import { backOn, freeId, inch, middleOf, mil, place, shifted, spot, spun } from './places';
import {
  LONGEST_NAME,
  SHAPES,
  type Objective,
  type Piece,
  type Place,
  type Setup,
  type Side,
  type Turn,
} from './setup';
import { dropSide } from './units';

const STANDARD = 48;
const LEAST_CORNERS = { area: 3, line: 2 };

// --- the table --------------------------------------------------------------------------------------------------------

/** The table's size in mil. */
export const sizeOf = (setup: Setup): [number, number] => [
  mil(setup.table?.width ?? STANDARD),
  mil(setup.table?.height ?? STANDARD),
];

/** Another size of the table. Zones that reached to its edge still do, and none reaches beyond it. */
export function resize(setup: Setup, size: Spot): Setup {
  const old = sizeOf(setup);
  const along = (length: number, axis: 0 | 1): number =>
    mil(length) >= Math.min(old[axis], size[axis]) ? inch(size[axis]) : length;
  return {
    ...setup,
    table: { ...setup.table, width: inch(size[0]), height: inch(size[1]) },
    side: setup.side.map((side) =>
      side.zone ? { ...side, zone: side.zone.map(([x, y]): Place => [along(x, 0), along(y, 1)]) } : side,
    ),
  };
}

// --- terrain ----------------------------------------------------------------------------------------------------------

export const pieceOf = (setup: Setup, id: string): Piece | undefined => setup.terrain?.find((piece) => piece.id === id);

/** A new piece; pieces that came about in play stay the last. Says which id it has. */
export function addPiece(setup: Setup, kind: string, name: string, outline: readonly Place[]): [Setup, string] {
  const terrain = setup.terrain ?? [];
  const id = freeId(
    kind.replaceAll('_', '-'),
    terrain.map((piece) => piece.id),
  );
  const taken = terrain.flatMap((piece) => (piece.name ? [piece.name] : []));
  const on = backOn(outline.map(spot), sizeOf(setup));
  const piece: Piece = { id, kind, name: freeName(name, taken, LONGEST_NAME), outline: shifted(outline, on) };
  const at = terrain.length - (setup.table?.added ?? 0);
  return [{ ...setup, terrain: [...terrain.slice(0, at), piece, ...terrain.slice(at)] }, id];
}

export function duplicatePiece(setup: Setup, id: string): [Setup, string] {
  const piece = pieceOf(setup, id);
  if (!piece) return [setup, id];
  const { name: _, outline, kind, id: __, ...rest } = piece;
  const [made, copy] = addPiece(setup, kind, piece.name ?? kind, shifted(outline, [2000, -2000]));
  const there = pieceOf(made, copy)?.outline ?? outline;
  const openings = rest.openings && { openings: carriedOpenings(outline, there, rest.openings) };
  const whole = changePiece(made, copy, { ...rest, ...openings });
  const parts = (setup.terrain ?? []).filter((part) => isPartOf(part, id));
  const copies = parts.map((part) => ({ ...carriedPart(outline, there, part), id: copy + part.id.slice(id.length) }));
  return [
    { ...whole, terrain: whole.terrain?.flatMap((each) => (each.id === copy ? [each, ...copies] : [each])) },
    copy,
  ];
}

export const changePiece = (setup: Setup, id: string, change: Partial<Piece>): Setup => ({
  ...setup,
  terrain: setup.terrain?.map((piece) => (piece.id === id ? { ...piece, ...change } : piece)),
});

/** Another kind: what the piece had for itself was about the old one. */
export const changeKind = (setup: Setup, id: string, kind: string): Setup => ({
  ...setup,
  terrain: setup.terrain?.map((piece) =>
    piece.id === id ? { id, kind, outline: piece.outline, ...(piece.name ? { name: piece.name } : {}) } : piece,
  ),
});

export function removePiece(setup: Setup, id: string): Setup {
  const terrain = setup.terrain ?? [];
  const at = terrain.findIndex((piece) => piece.id === id);
  const added = setup.table?.added ?? 0;
  const late = at >= 0 && at >= terrain.length - added;
  return {
    ...setup,
    terrain: terrain.filter((piece) => piece.id !== id && !isPartOf(piece, id)),
    ...(late ? { table: { ...setup.table, added: added - 1 } } : {}),
  };
}

// --- outlines: of terrain, and of the zones in which sides deploy --------------------------------------------------------

/** Whose corners are meant. */
export interface Bounded {
  kind: 'terrain' | 'side';
  id: string;
}

export function outlineOf(setup: Setup, { kind, id }: Bounded): readonly Place[] {
  if (kind === 'terrain') return pieceOf(setup, id)?.outline ?? [];
  return sideOf(setup, id)?.zone ?? [];
}

/** Another outline; what stands in the walls of a building goes with them. */
export function setOutline(setup: Setup, { kind, id }: Bounded, outline: readonly Place[]): Setup {
  if (kind === 'side') return changeSide(setup, id, { zone: outline });
  const { outline: before = [], openings } = pieceOf(setup, id) ?? {};
  const carried = openings && { openings: carriedOpenings(before, outline, openings) };
  const moved = changePiece(setup, id, { outline, ...carried });
  return {
    ...moved,
    terrain: moved.terrain?.map((piece) => (isPartOf(piece, id) ? carriedPart(before, outline, piece) : piece)),
  };
}

/** Moves the whole by `by` (mil); as much of it as there was stays on the table. */
export const shiftOutline = (setup: Setup, thing: Bounded, by: Spot): Setup =>
  setOutline(setup, thing, shifted(outlineOf(setup, thing), by));

/** Turns the whole by hundredths of a degree. */
export const spinOutline = (setup: Setup, thing: Bounded, angle: number): Setup =>
  setOutline(setup, thing, spun(outlineOf(setup, thing), angle));

/** Puts the middle of the whole to a place (mil). */
export function putOutline(setup: Setup, thing: Bounded, to: Spot): Setup {
  const [x, y] = middleOf(outlineOf(setup, thing));
  return shiftOutline(setup, thing, [to[0] - x, to[1] - y]);
}

/** Puts a corner to a place (mil). */
export const putCorner = (setup: Setup, thing: Bounded, corner: number, to: Spot): Setup =>
  setOutline(
    setup,
    thing,
    outlineOf(setup, thing).map((at, i) => (i === corner ? place(to) : at)),
  );

/** A new corner behind one, half way to the next (of a line's last: as far beyond it), or at a place (mil). */
export function addCorner(setup: Setup, thing: Bounded, behind: number, at?: Spot): Setup {
  const outline = outlineOf(setup, thing);
  const here = outline[behind];
  if (!here) return setup;
  const open = thing.kind === 'terrain' && pieceOf(setup, thing.id)?.linear === true;
  const next = outline[behind + 1] ?? (open ? undefined : outline[0]);
  const before = outline[behind - 1] ?? here;
  const wish: Spot = next
    ? between(spot(here), spot(next), 0.5)
    : [2 * mil(here[0]) - mil(before[0]), 2 * mil(here[1]) - mil(before[1])];
  const corner = place(at ?? wish);
  return setOutline(setup, thing, [...outline.slice(0, behind + 1), corner, ...outline.slice(behind + 1)]);
}

/** Takes a corner out, as long as enough of them are left for an area or a line. */
export function removeCorner(setup: Setup, thing: Bounded, corner: number, linear: boolean): Setup {
  const outline = outlineOf(setup, thing);
  if (outline.length <= LEAST_CORNERS[linear ? 'line' : 'area']) return setup;
  return setOutline(
    setup,
    thing,
    outline.filter((_, i) => i !== corner),
  );
}

/** Whether a corner can be taken out. */
export const spareCorner = (outline: readonly Place[], linear: boolean): boolean =>
  outline.length > LEAST_CORNERS[linear ? 'line' : 'area'];

/** The piece under a place (mil): lines before areas, what was put on top before what lies beneath. */
export function pieceAt(setup: Setup, at: Spot, reach: number, linear: (piece: Piece) => boolean): Piece | undefined {
  const near = (piece: Piece): number => distanceToOutline(at, piece.outline.map(spot), linear(piece));
  const terrain = setup.terrain ?? [];
  return (
    terrain.findLast((piece) => linear(piece) && near(piece) <= reach) ??
    terrain.findLast((piece) => !linear(piece) && piece.outline.length > 2 && near(piece) <= 0)
  );
}

// --- sides ------------------------------------------------------------------------------------------------------------

export const sideOf = (setup: Setup, id: string): Side | undefined => setup.side.find((side) => side.id === id);

export const changeSide = (setup: Setup, id: string, change: Partial<Side>): Setup => ({
  ...setup,
  side: setup.side.map((side) => (side.id === id ? { ...side, ...change } : side)),
});

const COLOURS = ['Blue', 'Red', 'Green', 'Purple'];

/** One more side, with a name, a letter and a shape that no other has. */
export function addSide(setup: Setup): [Setup, string] {
  const free = (things: readonly string[], taken: readonly string[]): string =>
    things.find((thing) => !taken.includes(thing)) ?? things[0]!;
  const name = free(
    COLOURS,
    setup.side.map((side) => side.name),
  );
  const id = freeId(
    name.toLowerCase(),
    setup.side.map((side) => side.id),
  );
  const letter = free(
    [name[0]!, ...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
    setup.side.map((side) => side.letter),
  );
  const shape = free(
    SHAPES,
    setup.side.map((side) => side.shape),
  );
  return [{ ...setup, side: [...setup.side, { id, name, letter, shape }] }, id];
}

/** Takes a side out, with its units and whatever else is said of it. */
export function removeSide(setup: Setup, id: string): Setup {
  const without = dropSide(setup, id);
  const left = without.side.filter((side) => side.id !== id);
  const { active, first, ...turn } = without.turn ?? {};
  return {
    ...without,
    side: left,
    objective: without.objective?.map((each) => (each.held_by === id ? { ...each, held_by: '' } : each)),
    ...(without.turn
      ? {
          turn: {
            ...turn,
            ...(active && active !== id ? { active } : {}),
            ...(first && first !== id ? { first } : {}),
          },
        }
      : {}),
  };
}

/** The strip along an edge of the table, so deep (mil): the usual zone. */
export function stripAlong(setup: Setup, edge: string, depth = 8000): Place[] {
  const [width, height] = sizeOf(setup);
  const box = (left: number, low: number, right: number, high: number): Place[] =>
    (
      [
        [left, low],
        [right, low],
        [right, high],
        [left, high],
      ] as Spot[]
    ).map(place);
  if (edge === 'north') return box(0, height - depth, width, height);
  if (edge === 'west') return box(0, 0, depth, height);
  if (edge === 'east') return box(width - depth, 0, width, height);
  return box(0, 0, width, depth);
}

// --- objectives -------------------------------------------------------------------------------------------------------

export const objectiveOf = (setup: Setup, id: string): Objective | undefined =>
  setup.objective?.find((each) => each.id === id);

export function addObjective(setup: Setup, at: Spot): [Setup, string] {
  const all = setup.objective ?? [];
  const id = freeId(
    'objective',
    all.map((each) => each.id),
  );
  const name = freeName(
    'Objective',
    all.map((each) => each.name),
  );
  return [{ ...setup, objective: [...all, { id, name, at: place(at), radius: 3, held_by: '' }] }, id];
}

export const changeObjective = (setup: Setup, id: string, change: Partial<Objective>): Setup => ({
  ...setup,
  objective: setup.objective?.map((each) => (each.id === id ? { ...each, ...change } : each)),
});

export const removeObjective = (setup: Setup, id: string): Setup => ({
  ...setup,
  objective: setup.objective?.filter((each) => each.id !== id),
});

// --- whose turn it is ---------------------------------------------------------------------------------------------------

/** Sets where in the game it is; without a phase the rules say where a match begins. */
export function changeTurn(setup: Setup, change: Partial<Turn>): Setup {
  const turn = { ...setup.turn, ...change };
  const { turn: _, ...rest } = setup;
  return turn.phase ? { ...rest, turn } : rest;
}

/** A position that is not over: no result, and if nothing else comes next, it begins as the rules have it. */
export function reopen(setup: Setup, phases: readonly string[]): Setup {
  const { result: _, ...open } = setup;
  return phases.includes(open.turn?.phase ?? '') ? open : changeTurn(open, { phase: '' });
}

/** Sets an option, `undefined`: as it is when nothing is said. */
export function setOption(setup: Setup, id: string, value: string | number | boolean | undefined): Setup {
  const options = Object.fromEntries(Object.entries(setup.options ?? {}).filter(([key]) => key !== id));
  return { ...setup, options: value === undefined ? options : { ...options, [id]: value } };
}
