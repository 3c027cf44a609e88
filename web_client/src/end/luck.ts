/** The luck of a match in figures: what rolls were expected to give and what they gave, added up in several ways. */
import type { LuckRow, View } from '../lib/protocol';

/** How lucky a roll was, in standard deviations of such a roll; 0 where the result was certain. */
export function score({ luck }: LuckRow): number {
  return luck.deviation > 0 ? (luck.fell - luck.expected) / luck.deviation : 0;
}

/** The chance of a roll that is as far from what was expected, on that side of it, or farther (in 1/10,000). */
export function chance(row: LuckRow): number {
  const { better, as_good, fell, expected } = row.luck;
  return fell >= expected ? better + as_good : 10_000 - better;
}

/** How many figures a side lost in the step of a roll that was rolled against it. */
export const lost = ({ fallen, target }: LuckRow): number =>
  target ? Object.values(fallen).reduce((sum, count) => sum + count, 0) : 0;

/**
 * How much a roll swung the game: how unusual it was, and the more so the more figures were lost with it. There is no one
 * right measure; this one puts a lucky volley before a lucky roll for nothing.
 */
export const swing = (row: LuckRow): number => Math.abs(score(row)) * (1 + lost(row));

/** The rolls that swung the game most, the greatest first. */
export function swings(rows: readonly LuckRow[], most: number): LuckRow[] {
  return rows
    .filter((row) => swing(row) > 0)
    .sort((a, b) => swing(b) - swing(a))
    .slice(0, most);
}

/** Rolls of one kind: how many, and what was expected of them and fell in all (in what was counted). */
export interface Kind {
  wanted: string;
  rolls: number;
  expected: number;
  fell: number;
}

/** The luck of a side, or of a unit. */
export interface Sum {
  key: string;
  side: string;
  rolls: number;
  /** The scores of its rolls added up. */
  score: number;
  /** Of a hundred matches with the same rolls, how many would have been less lucky. */
  percentile: number;
  kinds: Kind[];
}

/** The luck of each side, in the view's order, those without rolls included. */
export function bySide(rows: readonly LuckRow[], view: View): Sum[] {
  return Object.keys(view.sides).map((side) =>
    summed(
      side,
      side,
      rows.filter(({ luck }) => luck.side === side),
    ),
  );
}

/** The luck of each unit that rolled, the luckiest first. */
export function byUnit(rows: readonly LuckRow[]): Sum[] {
  const units = new Map<string, LuckRow[]>();
  for (const row of rows) {
    if (row.luck.unit) units.set(row.luck.unit, [...(units.get(row.luck.unit) ?? []), row]);
  }
  return [...units]
    .map(([unit, own]) => summed(unit, own[0]!.luck.side, own))
    .sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
}

function summed(key: string, side: string, rows: readonly LuckRow[]): Sum {
  const kinds = new Map<string, Kind>();
  for (const { luck } of rows) {
    const kind = kinds.get(luck.wanted) ?? { wanted: luck.wanted, rolls: 0, expected: 0, fell: 0 };
    kinds.set(luck.wanted, {
      ...kind,
      rolls: kind.rolls + 1,
      expected: kind.expected + luck.expected / 10_000,
      fell: kind.fell + luck.fell / 10_000,
    });
  }
  const total = rows.reduce((sum, row) => sum + score(row), 0);
  const uncertain = rows.filter(({ luck }) => luck.deviation > 0).length;
  return {
    key,
    side,
    rolls: rows.length,
    score: total,
    percentile: uncertain > 0 ? 100 * normal(total / Math.sqrt(uncertain)) : 50,
    kinds: [...kinds.values()],
  };
}

/** A side's luck as it went up and down: a point for each of its rolls, and what it had come to after it. */
export interface Course {
  side: string;
  points: { roll: number; row: LuckRow; sum: number }[];
}

/** The courses of all sides; rolls are counted over all of them from 1. */
export function courses(rows: readonly LuckRow[], view: View): Course[] {
  return Object.keys(view.sides).map((side) => {
    let sum = 0;
    const points: Course['points'] = [];
    for (const [i, row] of rows.entries()) {
      if (row.luck.side === side) points.push({ roll: i + 1, row, sum: (sum += score(row)) });
    }
    return { side, points };
  });
}

/** The share of the standard normal distribution below `z` (Abramowitz and Stegun 26.2.17; good to seven places). */
export function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const above = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
  return z >= 0 ? 1 - above : above;
}

/** A number of what was counted, to a tenth where it is no whole one. */
export const counted = (value: number): string => String(Math.round(value * 10) / 10).replace('-', '−');

/** When a roll fell, in words; `short` leaves out the word that the neighbouring labels say. */
export const when = (turn: number, short = false): string =>
  turn <= 0 ? 'Before' : short ? String(turn) : `Turn ${turn}`;
