/** Where names of units stand on the table: below their figures, or next to them where others are in the way. */
import type { Spot } from '../lib/geometry';
import type { ObjectiveView } from '../lib/protocol';
import type { Up } from './up';

/** A rectangle on the screen, in pixels, y downwards. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A name that wants a place: how large it is, and around what it stands. */
export interface Named {
  id: string;
  width: number;
  height: number;
  around: Box;
}

const GAP = 2;
/** How much worse it is to hide a name than to hide a figure. */
const NAME = 3;

export const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Pixels of a letter of an objective's name, and of its lines. */
const LETTER = 6.6;
const LINE = 15;

/** What the name of an objective takes, with the line that says who holds it; `zoom` is how many pixels an inch takes. */
export function objectiveName({ at, name }: ObjectiveView, zoom: number, up: Up, holder?: string): Box {
  const [x, top] = [(up * at[0] * zoom) / 1000, ((up * at[1] - 500) * zoom) / -1000];
  const half = (Math.max(name.length, holder === undefined ? 0 : HELD_BY + holder.length) * LETTER) / 2;
  return { left: x - half, right: x + half, top, bottom: top + (holder === undefined ? 1 : 2) * LINE };
}

/** Letters before who holds it. */
const HELD_BY = 8;

/** The first of these places at which a name, given by the box it takes there, hides none of the others; null if all do. */
export function freePlace(spots: readonly Spot[], boxOf: (spot: Spot) => Box, others: readonly Box[]): Spot | null {
  return spots.find((spot) => !others.some((other) => overlap(other, boxOf(spot)))) ?? null;
}

/** A box of a name by its upper middle. */
const boxAt = ([x, top]: Spot, { width, height }: Named): Box => ({
  left: x - width / 2,
  right: x + width / 2,
  top,
  bottom: top + height,
});

/** The places to try, the best first, by the upper middle of the name. */
function tried({ width, height, around }: Named): Spot[] {
  const x = (around.left + around.right) / 2;
  const level = (around.top + around.bottom - height) / 2;
  return [
    [x, around.bottom],
    [x, around.top - height - GAP],
    [around.right + width / 2 + GAP, level],
    [around.left - width / 2 - GAP, level],
    [x, around.bottom + height],
  ];
}

/**
 * The place of each name, by the upper middle.
 *
 * @param names in the order in which they choose.
 * @param figures whom they should not hide, each with the unit that it is of: a unit's name may hide none but its own.
 * @param taken other names, which stand where they are.
 */
export function places(
  names: readonly Named[],
  figures: readonly { unit: string; box: Box }[],
  taken: readonly Box[],
): Map<string, Spot> {
  const said = [...taken];
  const found = new Map<string, Spot>();
  for (const name of names) {
    let best: Spot = [0, 0];
    let least = Infinity;
    for (const spot of tried(name)) {
      const box = boxAt(spot, name);
      const hidden = figures.filter((figure) => figure.unit !== name.id && overlap(figure.box, box)).length;
      const cost = NAME * said.filter((other) => overlap(other, box)).length + hidden;
      if (cost < least) [best, least] = [spot, cost];
      if (cost === 0) break;
    }
    said.push(boxAt(best, name));
    found.set(name.id, best);
  }
  return found;
}
