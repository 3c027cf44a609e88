/** The season of a league: the points and the place of each player after each round, or after each match of a challenge. */
import type { FixtureView, LeagueView } from '../lib/protocol';
import { byChallenge, formatOf, nameIn } from './words';

/** A player's way through the season: a value for each step. */
export interface Course {
  key: string;
  name: string;
  points: number[];
  places: number[];
}

export interface Season {
  /** What each step comes after: `Round 2`, or the match that was played. */
  steps: string[];
  /** The players in the order of the table. */
  courses: Course[];
}

/** Whether points say nothing of how players stand: on a ladder only places count. */
export const placesOnly = (league: LeagueView): boolean => formatOf(league.terms) === 'ladder';

/**
 * The season so far; without steps before a first result. Players who are level share a place; after the last step the places
 * are those of the table, tie-breaks included.
 */
export function season(league: LeagueView): Season {
  const table = (league.standings ?? []).map(({ player }) => player);
  const over = (league.fixtures ?? [])
    .filter(({ state, outcome }) => state === 'over' && outcome)
    .sort((a, b) => (a.ended ?? 0) - (b.ended ?? 0));
  const taken = byChallenge(formatOf(league.terms)) ? perMatch(league, over) : perRound(league, over);
  const courses = table.map((key) => ({ key, name: nameIn(league, key), points: [], places: [] }) as Course);
  taken.forEach(({ fixtures }, step) => {
    const points = new Map(
      table.map((key) => [key, pointsOf(league, fixtures, key) + forAreas(league, key, step + 1)]),
    );
    const places =
      step === taken.length - 1
        ? new Map((league.standings ?? []).map(({ player, rank }) => [player, rank]))
        : placesOf(league, table, fixtures, points);
    for (const course of courses) {
      course.points.push(points.get(course.key) ?? 0);
      course.places.push(places.get(course.key) ?? table.length);
    }
  });
  return { steps: taken.map(({ label }) => label), courses };
}

/** A step: what it comes after, and all fixtures that are over by then. */
interface Taken {
  label: string;
  fixtures: FixtureView[];
}

function perRound(league: LeagueView, over: readonly FixtureView[]): Taken[] {
  const turns = Math.max(0, ...(league.map?.gained ?? []).map(([, gained]) => gained.length));
  const numbers = new Set([...over.map(({ round }) => round), ...Array.from({ length: turns }, (_, i) => i + 1)]);
  const word = league.map ? 'Turn' : 'Round';
  return [...numbers]
    .sort((a, b) => a - b)
    .map((number) => ({
      label: `${word} ${number}`,
      fixtures: over.filter(({ round }) => round <= number),
    }));
}

function perMatch(league: LeagueView, over: readonly FixtureView[]): Taken[] {
  const counted = over.filter(({ outcome }) => outcome !== 'void');
  return counted.map(({ players }, i) => ({
    label: players.map((key) => nameIn(league, key)).join(' against '),
    fixtures: counted.slice(0, i + 1),
  }));
}

function pointsOf({ terms }: LeagueView, fixtures: readonly FixtureView[], key: string): number {
  const { win = 3, draw = 1, loss = 0 } = terms;
  const own = fixtures.filter(({ players, outcome }) => players.includes(key) && outcome !== 'void');
  return own.reduce((sum, { outcome, winner }) => sum + (outcome === 'draw' ? draw : winner === key ? win : loss), 0);
}

/** What areas have given a player until the end of a turn. */
const forAreas = ({ map }: LeagueView, key: string, turn: number): number =>
  (map?.gained ?? [])
    .filter(([player]) => player === key)
    .flatMap(([, gained]) => gained.slice(0, turn))
    .reduce((sum, points) => sum + points, 0);

function placesOf(
  league: LeagueView,
  table: readonly string[],
  fixtures: readonly FixtureView[],
  points: ReadonlyMap<string, number>,
): Map<string, number> {
  const format = formatOf(league.terms);
  if (format === 'ladder') return new Map(ladder(league, table, fixtures).map((key, i) => [key, i + 1]));
  const reached = (key: string): number =>
    format === 'elimination'
      ? Math.max(
          0,
          ...fixtures.filter(({ players }) => players.includes(key)).map((f) => f.round + (f.winner === key ? 1 : 0)),
        )
      : 0;
  const worth = new Map(table.map((key) => [key, [reached(key), points.get(key) ?? 0] as const]));
  const before = (one: string, other: string): boolean => {
    const [a, b] = [worth.get(one)!, worth.get(other)!];
    return a[0] > b[0] || (a[0] === b[0] && a[1] > b[1]);
  };
  return new Map(table.map((key) => [key, 1 + table.filter((other) => before(other, key)).length]));
}

/** The places of a ladder: at first the order in which players have joined; a winner takes the place of a higher loser. */
function ladder(league: LeagueView, table: readonly string[], fixtures: readonly FixtureView[]): string[] {
  // Who asks to join is not in the table, except for those who have left and ask to come back.
  const order = (league.players ?? []).map(({ key }) => key).filter((key) => table.includes(key));
  for (const { outcome, winner = '', players } of fixtures) {
    const [up, down] = [order.indexOf(winner), order.indexOf(players.find((key) => key !== winner) ?? '')];
    if (outcome === 'won' && down >= 0 && up > down) order.splice(down, 0, ...order.splice(up, 1));
  }
  return order;
}

/** The luck of a player over the season, in standard deviations: in how many matches, on the average of them, and in all. */
export interface SeasonLuck {
  key: string;
  matches: number;
  mean: number;
  sum: number;
}

/** The luck of those of whom it is known, the luckiest first. */
export const seasonLuck = (league: LeagueView): SeasonLuck[] =>
  (league.standings ?? [])
    .filter(({ lucky }) => lucky > 0)
    .map(({ player, luck, lucky }) => ({
      key: player,
      matches: lucky,
      mean: luck / lucky / 100,
      sum: luck / 100,
    }))
    .sort((a, b) => b.mean - a.mean);

/** The steps of a scale from 0: at most six, each a round number apart. */
export function scale(most: number): number[] {
  const step = [1, 2, 3, 5, 10, 20, 25, 50, 100, 200, 250, 500].find((each) => most / each <= 5) ?? 1000;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

/** Heights of labels, so moved that they lie `apart` at least: in the order of what was wanted, none below `lowest`. */
export function spread(wanted: readonly number[], apart: number, lowest: number): number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a]! - wanted[b]!);
  const at = [...wanted];
  order.forEach((i, n) => {
    const before = n > 0 ? at[order[n - 1]!]! + apart : Number.NEGATIVE_INFINITY;
    at[i] = Math.max(at[i]!, before);
  });
  let below = lowest;
  for (const i of order.reverse()) {
    at[i] = Math.min(at[i]!, below);
    below = at[i]! - apart;
  }
  return at;
}
