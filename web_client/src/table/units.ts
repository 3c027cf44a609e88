/** Units in words and numbers, for labels and cards: their markers, what they carry, where their weapons bear. */
import type { MountView, UnitView, View, Word } from '../lib/protocol';
import { distance, type Spot } from '../lib/geometry';
import { aboard, standing } from './world';

/** A marker that figures of a unit have, each by itself, and how many have it. */
export interface Marker {
  readonly key: string;
  readonly word: Word;
  readonly count: number;
  /** `2 down`, or `down` for a unit of one figure. */
  readonly text: string;
}

/** The markers on single figures of a unit that have not fallen, in the order in which they are first found. */
export function markers(unit: UnitView, words: Record<string, Word>): Marker[] {
  const counts = new Map<string, number>();
  for (const figure of Object.values(unit.figures)) {
    if (figure.fallen) continue;
    for (const key of figure.conditions) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const alone = Object.keys(unit.figures).length === 1;
  return [...counts].map(([key, count]) => {
    const word = words[key] ?? { label: key, text: '', rule: '', apart: false };
    const label = /^[A-Z][a-z]/.test(word.label) ? word.label[0]!.toLowerCase() + word.label.slice(1) : word.label;
    return { key, word, count, text: alone ? label : `${count} ${label}` };
  });
}

/** Whether a figure with these markers stands away from its unit. */
export const isApart = (conditions: readonly string[], words: Record<string, Word>): boolean =>
  conditions.some((key) => words[key]?.apart ?? false);

/** From each figure that stands away from its unit to the nearest that does not. */
export function tethers(unit: UnitView, words: Record<string, Word>): (readonly [Spot, Spot])[] {
  const figures = standing(unit);
  const [away, there] = [true, false].map((apart) => figures.filter((one) => isApart(one.conditions, words) === apart));
  return away!.flatMap((one) => {
    const [nearest] = there!.map((mate) => mate.at).sort((a, b) => distance(a, one.at) - distance(b, one.at));
    return nearest ? [[one.at, nearest] as const] : [];
  });
}

/** The words whose signs stand on the table now, on units and on figures, in the order in which they are met. */
export function signsShown(view: View, words: Record<string, Word>): Word[] {
  const keys = Object.values(view.units).flatMap((unit) =>
    standing(unit).length === 0
      ? []
      : [
          ...unit.conditions,
          ...Object.values(unit.figures).flatMap((figure) => (figure.fallen ? [] : figure.conditions)),
        ],
  );
  return [...new Set(keys)].flatMap((key) => words[key] ?? []);
}

/** How many figures of a unit have not fallen. */
export function strength(unit: UnitView): number {
  return Object.values(unit.figures).filter((figure) => !figure.fallen).length;
}

/** How many figures a vehicle carries. */
export const riders = (view: View, vehicle: string): number =>
  aboard(view, vehicle).reduce((sum, [, unit]) => sum + strength(unit), 0);

/** Whether a unit that is in the game is still to be placed on the table. */
export const stillPlacing = (view: View): boolean =>
  !view.result &&
  Object.values(view.units).some(
    (unit) =>
      !unit.left &&
      !unit.aboard &&
      Object.values(unit.figures).some((figure) => !figure.fallen) &&
      Object.values(unit.figures).every((figure) => figure.fallen || figure.at === null),
  );

/** Whether a unit is a vehicle. */
export const isVehicle = (unit: UnitView): boolean => Object.values(unit.figures).some((figure) => figure.hull);

/** The first letters of the words of a label. */
export function initials(label: string): string {
  return label
    .split(/\s+/)
    .map((word) => word[0] ?? '')
    .join('')
    .toUpperCase();
}

/** Where a weapon bears, in words: `all round`, `front, 90° wide`, `30° left of the front, 60° wide`. */
export function arcWords({ middle, spread }: MountView): string {
  if (spread >= 18000) return 'all round';
  const turn = ((middle % 36000) + 36000) % 36000;
  const where =
    { 0: 'front', 9000: 'left', 18000: 'rear', 27000: 'right' }[turn] ??
    (turn < 18000 ? `${turn / 100}° left of the front` : `${(36000 - turn) / 100}° right of the front`);
  return `${where}, ${(2 * spread) / 100}° wide`;
}
