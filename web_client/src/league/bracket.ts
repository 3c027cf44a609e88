/** The bracket of an elimination: its meetings by rounds, each between the two from which its players come. */
import type { FixtureView, LeagueView } from '../lib/protocol';
import { formatOf } from './words';

/** A place in the bracket, drawn already or not. */
export interface Meeting {
  fixture: FixtureView | null;
  /** Who meets, the upper one first; "" for a player who is not known yet, or for none. */
  players: readonly [string, string];
  /** Who has won; "" for none, or not yet. */
  winner: string;
  /** Whether its one player goes on without a match. */
  bye: boolean;
}

export interface Column {
  heading: string;
  meetings: Meeting[];
}

const LAST = ['Final', 'Semi-finals', 'Quarter-finals'];

/** The columns of the bracket, the first round first; none before it was drawn, and none in other formats. */
export function bracket(league: LeagueView): Column[] {
  const drawn = (league.fixtures ?? []).filter(({ state }) => state !== 'challenge');
  const first = drawn.filter(({ round }) => round === 1).sort((a, b) => a.number - b.number);
  if (formatOf(league.terms) !== 'elimination' || first.length === 0) return [];
  // The server draws the first round from the top of the bracket to its bottom.
  const place = new Map(first.flatMap(({ players }, at) => players.map((key) => [key, at] as const)));
  const rounds = Math.ceil(Math.log2(first.length)) + 1;
  const columns: Column[] = [];
  for (let round = 1; round <= rounds; round++) {
    const own = drawn.filter((fixture) => fixture.round === round);
    const before = columns.at(-1)?.meetings;
    const count = Math.ceil(first.length / 2 ** (round - 1));
    const meetings = Array.from({ length: count }, (_, at) => {
      const fixture = own.find(({ players }) => (place.get(players[0] ?? '') ?? 0) >> (round - 1) === at) ?? null;
      return meeting(fixture, before?.[2 * at], before?.[2 * at + 1], round < (league.round ?? 0));
    });
    columns.push({ heading: LAST[rounds - round] ?? `Round ${round}`, meetings });
  }
  return columns;
}

/** Who has won the last meeting; "" while it is not over. */
export const champion = (columns: readonly Column[]): string => columns.at(-1)?.meetings[0]?.winner ?? '';

/** A meeting, with those from which its players come; `past`: a later round is drawn, so that what is empty stays so. */
function meeting(
  fixture: FixtureView | null,
  upper: Meeting | undefined,
  lower: Meeting | undefined,
  past: boolean,
): Meeting {
  if (!fixture) {
    const coming = past ? (['', ''] as const) : ([upper?.winner ?? '', lower?.winner ?? ''] as const);
    return { fixture, players: coming, winner: '', bye: false };
  }
  const [one = '', other = ''] = fixture.players;
  const swapped = upper !== undefined && !upper.players.includes(one);
  return {
    fixture,
    players: swapped ? [other, one] : [one, other],
    winner: fixture.state === 'over' && fixture.outcome === 'won' ? (fixture.winner ?? '') : '',
    bye: fixture.players.length === 1,
  };
}
