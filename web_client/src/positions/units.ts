/** Changes to the units of a setup and to their figures, each of which gives a new setup. */
import { centroid, turned, type Spot } from '../lib/geometry';
import { freeName } from '../library/names';
import { distanceBetween, extent, type Body } from '../table/world';
import { freeId, mil, place, spot } from './places';
import { LONGEST_NAME, type Figure, type Place, type Setup, type Unit } from './setup';

/** A gap that is left between bases that are placed by themselves (mil). */
const APART = 400;
const FULL = 360;
/** Where things are put by themselves they stand at a whole tenth of an inch. */
const GRAIN = 100;
const grained = (length: number): number => Math.round(length / GRAIN) * GRAIN;

export const unitOf = (setup: Setup, id: string): Unit | undefined => setup.unit?.find((unit) => unit.id === id);

/** A figure of a unit, listed or only counted. */
export interface Row {
  id: string;
  at: Place | undefined;
  fallen: boolean;
  hull: Place | undefined;
  /** Degrees. */
  facing: number;
}

/** A unit's figures, one by one. */
export function figuresOf(unit: Unit): Row[] {
  if (typeof unit.figures === 'number') {
    return Array.from({ length: Math.min(unit.figures, 60) }, (_, i) => {
      return { id: String(i + 1), at: unit.at?.[i], fallen: false, hull: undefined, facing: 0 };
    });
  }
  return unit.figures.map(({ id, at, fallen, hull, facing }) => {
    return { id, at, fallen: fallen ?? false, hull, facing: facing ?? 0 };
  });
}

/** What a figure takes up where it stands. */
function bodyOf(unit: Unit, row: Row, at: Spot): Body {
  const hull = row.hull ? { length: mil(row.hull[0]), width: mil(row.hull[1]) } : null;
  return { at, radius: mil(unit.base ?? 1) / 2, hull, facing: mil(row.facing) / 10 };
}

/** The places of a unit's figures that stand on the table (mil), fallen ones too. */
export const spotsOf = (unit: Unit): [number, number][] =>
  figuresOf(unit).flatMap((row) => (row.at ? [spot(row.at)] : []));

/** Where a unit is said to be: the middle of its figures (mil); null when it is not on the table. */
export function middleOfUnit(unit: Unit): [number, number] | null {
  const spots = spotsOf(unit);
  return spots.length > 0 ? centroid(spots) : null;
}

export const isVehicle = (unit: Unit): boolean => figuresOf(unit).some((row) => row.hull !== undefined);

// --- one unit ---------------------------------------------------------------------------------------------------------

const changed = (setup: Setup, id: string, change: (unit: Unit) => Unit): Setup => ({
  ...setup,
  unit: setup.unit?.map((unit) => (unit.id === id ? change(unit) : unit)),
});

export const changeUnit = (setup: Setup, id: string, change: Partial<Unit>): Setup =>
  changed(setup, id, (unit) => ({ ...unit, ...change }));

export const replaceUnit = (setup: Setup, id: string, change: (unit: Unit) => Unit): Setup =>
  changed(setup, id, change);

/** Sets a field of a unit, `undefined` takes it out. */
export const setField = (setup: Setup, id: string, key: string, value: unknown): Setup =>
  changed(setup, id, (unit) => {
    const { [key]: _, ...rest } = unit;
    return (value === undefined ? rest : { ...rest, [key]: value }) as Unit;
  });

/** Puts figures to other places, by their ids (mil); figures that are not named stay. */
function put(unit: Unit, places: ReadonlyMap<string, Spot>): Unit {
  const to = (id: string, at: Place | undefined): Place | undefined => {
    const wish = places.get(id);
    return wish ? place(wish) : at;
  };
  if (typeof unit.figures === 'number') {
    const at = figuresOf(unit).map((row) => to(row.id, row.at) ?? ([0, 0] as const));
    return { ...unit, at };
  }
  const figures = unit.figures.map((figure) => {
    const at = to(figure.id, figure.at);
    return at ? { ...figure, at } : figure;
  });
  return { ...unit, figures };
}

/** A unit on no place. */
function lifted(unit: Unit): Unit {
  const { at: _, ...rest } = unit;
  if (typeof rest.figures === 'number') return rest as Unit;
  return {
    ...rest,
    figures: rest.figures.map(({ at: __, ...figure }) => figure as Figure),
  } as Unit;
}

/** The units that are attached to this one: they are where it is. */
export const guestsOf = (setup: Setup, id: string): readonly Unit[] =>
  (setup.unit ?? []).filter((unit) => unit.attached === id);

/** Takes a unit off the table, and those that are attached to it: it is still to be placed. */
export const takeOff = (setup: Setup, id: string): Setup =>
  [id, ...guestsOf(setup, id).map((guest) => guest.id)].reduce((now, each) => changed(now, each, lifted), setup);

/** Puts a unit into a vehicle with those that are attached to it, or ("") out of it, where it is on no place yet. */
export const board = (setup: Setup, id: string, vehicle: string): Setup =>
  changed(vehicle ? takeOff(setup, id) : setup, id, (unit) => {
    const { aboard: _, ...rest } = unit;
    return (vehicle ? { ...rest, aboard: vehicle } : rest) as Unit;
  });

/** The units to which this one could be attached: those on foot of its side that are attached to none themselves. */
export const hostsFor = (setup: Setup, { id, side }: Unit): readonly Unit[] =>
  guestsOf(setup, id).length > 0
    ? []
    : (setup.unit ?? []).filter(
        (unit) => unit.id !== id && unit.side === side && !unit.attached && !unit.left && !isVehicle(unit),
      );

/** Attaches a unit to another one, next to which it is put, or ("") makes it stand by itself again. */
export function attach(setup: Setup, id: string, host: string): Setup {
  if (!host) return setField(setup, id, 'attached', undefined);
  const joined = setField(setField(setup, id, 'aboard', undefined), id, 'attached', host);
  const at = middleOfUnit(unitOf(setup, host) ?? { id, side: '', name: '', figures: 0 });
  return at ? putUnit(joined, id, at) : takeOff(joined, id);
}

export const putFigure = (setup: Setup, id: string, figure: string, to: Spot): Setup =>
  changed(setup, id, (unit) => put(unit, new Map([[figure, to]])));

const moved = (setup: Setup, id: string, by: Spot): Setup =>
  changed(setup, id, (unit) => {
    const rows = figuresOf(unit).flatMap((row) => (row.at ? [[row.id, spot(row.at)] as const] : []));
    return put(unit, new Map(rows.map(([key, [x, y]]) => [key, [x + by[0], y + by[1]]])));
  });

/** Moves a whole unit by `by` (mil), with those that are attached to it. */
export const shiftUnit = (setup: Setup, id: string, by: Spot): Setup =>
  [id, ...guestsOf(setup, id).map((guest) => guest.id)].reduce((now, each) => moved(now, each, by), setup);

/** Turns a unit by degrees: its formation round its middle, its vehicle on the spot. */
export const spinUnit = (setup: Setup, id: string, degrees: number): Setup =>
  changed(setup, id, (unit) => {
    const middle = middleOfUnit(unit);
    const rows = figuresOf(unit).flatMap((row) => (row.at ? [[row.id, spot(row.at)] as const] : []));
    const round = new Map(
      rows.map(([key, at]) => [key, middle && rows.length > 1 ? turned(at, middle, degrees * 100) : at]),
    );
    const there = put(unit, round);
    if (typeof there.figures === 'number') return there;
    const figures = there.figures.map((figure) =>
      figure.hull ? { ...figure, facing: facingOf((figure.facing ?? 0) + degrees) } : figure,
    );
    return { ...there, figures };
  });

/** Degrees from 0 up to a whole turn, to a hundredth. */
const facingOf = (degrees: number): number => Math.round((((degrees % FULL) + FULL) % FULL) * 100) / 100;

export const changeFigure = (setup: Setup, id: string, figure: string, change: Partial<Figure>): Setup =>
  changed(setup, id, (unit) => {
    if (typeof unit.figures === 'number') return unit;
    return { ...unit, figures: unit.figures.map((each) => (each.id === figure ? { ...each, ...change } : each)) };
  });

export const replaceFigure = (setup: Setup, id: string, figure: string, change: (figure: Figure) => Figure): Setup =>
  changed(setup, id, (unit) => {
    if (typeof unit.figures === 'number') return unit;
    return { ...unit, figures: unit.figures.map((each) => (each.id === figure ? change(each) : each)) };
  });

/** Sets a field of a figure, `undefined` takes it out. */
export const setFigureField = (setup: Setup, id: string, figure: string, key: string, value: unknown): Setup =>
  changed(setup, id, (unit) => {
    if (typeof unit.figures === 'number') return unit;
    const figures = unit.figures.map((each) => {
      if (each.id !== figure) return each;
      const { [key]: _, ...rest } = each;
      return (value === undefined ? rest : { ...rest, [key]: value }) as Figure;
    });
    return { ...unit, figures };
  });

export const face = (setup: Setup, id: string, figure: string, degrees: number): Setup =>
  changeFigure(setup, id, figure, { facing: facingOf(degrees) });

/** A list with a word in it that was not, or without it. */
export const toggled = (list: readonly string[] | undefined, word: string): string[] =>
  list?.includes(word) ? list.filter((each) => each !== word) : [...(list ?? []), word];

// --- where there is room ----------------------------------------------------------------------------------------------

/** Places of a unit's figures in a block round the origin (mil), by their ids. */
function block(unit: Unit): Map<string, Spot> {
  const rows = figuresOf(unit);
  const wide = Math.ceil(Math.sqrt(rows.length * 1.6));
  const pitch = mil(unit.base ?? 1) + APART;
  const deep = Math.ceil(rows.length / wide);
  return new Map(
    rows.map((row, i) => {
      const line = Math.floor(i / wide);
      const inLine = line === deep - 1 ? rows.length - line * wide : wide;
      return [row.id, [((i % wide) - (inLine - 1) / 2) * pitch, ((deep - 1) / 2 - line) * pitch]];
    }),
  );
}

/** A unit's formation round the origin: as it stands, else as a block. */
function formation(unit: Unit): Map<string, Spot> {
  const middle = middleOfUnit(unit);
  const rows = figuresOf(unit);
  if (!middle || rows.some((row) => !row.at)) return block(unit);
  return new Map(
    rows.map((row) => {
      const [x, y] = spot(row.at!);
      return [row.id, [x - middle[0], y - middle[1]]];
    }),
  );
}

function bodiesOf(unit: Unit, at: (row: Row) => Spot | null): Body[] {
  return figuresOf(unit).flatMap((row) => {
    const there = row.fallen ? null : at(row);
    return there ? [bodyOf(unit, row, there)] : [];
  });
}

/** The places that are looked at one after the other: rings round a wish, each an inch wider. */
function* rings(wish: Spot, most: number): Generator<Spot> {
  yield wish;
  for (let radius = 1000; radius <= most; radius += 1000) {
    const count = Math.max(8, Math.round((2 * Math.PI * radius) / 1500));
    for (let i = 0; i < count; i++) {
      const angle = (2 * Math.PI * i) / count;
      yield [grained(wish[0] + radius * Math.cos(angle)), grained(wish[1] + radius * Math.sin(angle))];
    }
  }
}

/**
 * Puts a unit to the nearest free place round `wish` (mil); to `wish` itself if there is none. Those that are attached to it come
 * to stand next to it.
 */
export function putUnit(setup: Setup, id: string, wish: Spot): Setup {
  const guests = guestsOf(setup, id).map((guest) => guest.id);
  if (guests.length === 0) return putAlone(setup, id, wish);
  const put = putAlone(takeGuestsOff(setup, guests), id, wish);
  const at = middleOfUnit(unitOf(put, id)!) ?? wish;
  return guests.reduce((now, guest) => putAlone(now, guest, at), put);
}

const takeGuestsOff = (setup: Setup, guests: readonly string[]): Setup =>
  guests.reduce((now, guest) => changed(now, guest, lifted), setup);

function putAlone(setup: Setup, id: string, wish: Spot): Setup {
  const unit = unitOf(setup, id);
  if (!unit) return setup;
  const size: Spot = [mil(setup.table?.width ?? 48), mil(setup.table?.height ?? 48)];
  const shape = formation(unit);
  const others = (setup.unit ?? []).flatMap((other) =>
    other.id === id || other.left ? [] : bodiesOf(other, (row) => (row.at ? spot(row.at) : null)),
  );
  const bodies = bodiesOf(unit, (row) => shape.get(row.id) ?? null);
  const fits = ([x, y]: Spot): boolean =>
    bodies.every((body) => {
      const there = { ...body, at: [body.at[0] + x, body.at[1] + y] as const };
      const [wide, high] = extent(there);
      const within = (value: number, far: number, limit: number): boolean => value >= far && value <= limit - far;
      if (!within(there.at[0], wide, size[0]) || !within(there.at[1], high, size[1])) return false;
      return others.every((other) => distanceBetween(there, other) > APART / 4);
    });
  let found = wish;
  for (const at of rings(wish, Math.max(...size))) {
    if (!fits(at)) continue;
    found = at;
    break;
  }
  const [x, y] = [Math.round(found[0]), Math.round(found[1])];
  return changed(setup, id, (each) => {
    const { aboard: _, ...free } = each;
    return put(free as Unit, new Map([...shape].map(([key, at]) => [key, [at[0] + x, at[1] + y]])));
  });
}

/** Where new units of a side are put: into the middle of its zone, before its edge, else of the table (mil). */
export function home(setup: Setup, side: string): [number, number] {
  const size = [mil(setup.table?.width ?? 48), mil(setup.table?.height ?? 48)] as const;
  const found = setup.side.find((each) => each.id === side);
  if ((found?.zone?.length ?? 0) > 2) return centroid(found!.zone!.map(spot));
  const [x, y] = [Math.round(size[0] / 2), Math.round(size[1] / 2)];
  const near = 5000;
  if (found?.edge === 'south') return [x, near];
  if (found?.edge === 'north') return [x, size[1] - near];
  if (found?.edge === 'west') return [near, y];
  return found?.edge === 'east' ? [size[0] - near, y] : [x, y];
}

// --- the list of units ------------------------------------------------------------------------------------------------

/** What a unit is before it has an id, a side and a place. */
export interface Template {
  name: string;
  figures: Unit['figures'];
  [field: string]: unknown;
}

/** One more unit of a side, put where there is room near its home. Says which id it has. */
export function addUnit(setup: Setup, side: string, row: Template, near?: Spot): [Setup, string] {
  const all = setup.unit ?? [];
  const id = freeId(
    `${side}-1`,
    all.map((unit) => unit.id),
  );
  const mine = all.filter((unit) => unit.side === side).map((unit) => unit.name);
  const { aboard: _, attached: __, ...whole } = structuredClone(row) as Unit;
  const unit = lifted({ ...whole, id, side, name: freeName(row.name, mine, LONGEST_NAME) } as Unit);
  return [putUnit({ ...setup, unit: [...all, unit] }, id, near ?? home(setup, side)), id];
}

/** All of these units for a side, each near its home; who rode in one of them or was attached to one is so again. */
export function addUnits(setup: Setup, side: string, rows: readonly Unit[]): Setup {
  const called = new Map<string, string>();
  let now = setup;
  for (const { id, left: _, conditions: __, activated: ___, ...row } of rows) {
    const [made, copy] = addUnit(now, side, row as Template);
    now = made;
    called.set(id, copy);
  }
  for (const { id, aboard } of rows) {
    const vehicle = called.get(aboard ?? '');
    if (vehicle) now = board(now, called.get(id)!, vehicle);
  }
  for (const { id, attached } of rows) {
    const host = called.get(attached ?? '');
    if (host) now = attach(now, called.get(id)!, host);
  }
  return now;
}

/** A copy of the unit, next to it on the table and after it in the list. */
export function duplicateUnit(setup: Setup, id: string): [Setup, string] {
  const unit = unitOf(setup, id);
  if (!unit) return [setup, id];
  const [made, copy] = addUnit(setup, unit.side, unit, middleOfUnit(unit) ?? undefined);
  const twin = unitOf(made, copy)!;
  const list = (setup.unit ?? []).flatMap((each) => (each.id === id ? [each, twin] : [each]));
  return [{ ...made, unit: list }, copy];
}

/** Takes units out; who rode in them is to be placed, who was attached to them stands by itself. */
function without(setup: Setup, gone: (unit: Unit) => boolean): Setup {
  const all = setup.unit ?? [];
  const ids = new Set(all.filter(gone).map((unit) => unit.id));
  const kept = all.filter((unit) => !ids.has(unit.id));
  const unit = kept.map((each) => {
    const { aboard = '', attached = '', ...rest } = each;
    if (!ids.has(aboard) && !ids.has(attached)) return each;
    return { ...rest, ...(aboard && !ids.has(aboard) ? { aboard } : {}) } as Unit;
  });
  return { ...setup, unit };
}

export const removeUnit = (setup: Setup, id: string): Setup => without(setup, (unit) => unit.id === id);

/** The units of a side taken out. */
export const dropSide = (setup: Setup, side: string): Setup => without(setup, (unit) => unit.side === side);

/** Another number of the turn: who has activated in this turn still has. */
export function renumber(setup: Setup, number: number): Setup {
  const now = setup.turn?.number ?? 0;
  const unit = setup.unit?.map((each) =>
    now > 0 && each.activated === now
      ? { ...each, activated: number }
      : each.activated && each.activated > number
        ? { ...each, activated: 0 }
        : each,
  );
  return { ...setup, ...(unit ? { unit } : {}), turn: { ...setup.turn, number } };
}
