/** Head to head: what players have done against each other. */
import type { FixtureView, LeagueView } from '../lib/protocol';

/** What came of matches for one of their two players. */
export interface Tally {
  won: number;
  drawn: number;
  lost: number;
  /** Those that are not over. */
  open: number;
}

const count = (number: number, one: string, several: string): string => `${number} ${number === 1 ? one : several}`;

/** The matches of two players, the first one first, without open challenges. */
export const between = (league: LeagueView, one: string, other: string): FixtureView[] =>
  (league.fixtures ?? [])
    .filter(({ state, players }) => state !== 'challenge' && players.includes(one) && players.includes(other))
    .sort((a, b) => (a.ended || Infinity) - (b.ended || Infinity) || a.number - b.number);

/** The matches of all pairs, by both orders of their keys: `one/other`. */
export function allPairs(league: LeagueView): Map<string, FixtureView[]> {
  const found = new Map<string, FixtureView[]>();
  for (const fixture of league.fixtures ?? []) {
    const [one, other] = fixture.players;
    if (fixture.state === 'challenge' || !one || !other) continue;
    for (const pair of [`${one}/${other}`, `${other}/${one}`]) found.set(pair, [...(found.get(pair) ?? []), fixture]);
  }
  return found;
}

/** What matches came to for one of their players; what counts for no player is in no number. */
export function tally(fixtures: readonly FixtureView[], key: string): Tally {
  const sum = { won: 0, drawn: 0, lost: 0, open: 0 };
  for (const { state, outcome, winner } of fixtures) {
    if (state !== 'over') sum.open++;
    else if (outcome === 'draw') sum.drawn++;
    else if (outcome === 'won') sum[winner === key ? 'won' : 'lost']++;
  }
  return sum;
}

/** A pair in a cell of the table: a letter for one match, `+2 =1 −1` for several, a ring for what is still to be played. */
export function short({ won, drawn, lost, open }: Tally): string {
  const over = won + drawn + lost;
  if (over === 0) return open > 0 ? '○' : '–';
  if (over === 1) return won ? 'W' : drawn ? 'D' : 'L';
  return [won && `+${won}`, drawn && `=${drawn}`, lost && `−${lost}`].filter(Boolean).join(' ');
}

/** The same in words: `2 wins, 1 draw, 1 loss`. */
export function tallyWords({ won, drawn, lost, open }: Tally): string {
  const said = [
    won && count(won, 'win', 'wins'),
    drawn && count(drawn, 'draw', 'draws'),
    lost && count(lost, 'loss', 'losses'),
    open && `${open} still to play`,
  ];
  return said.filter(Boolean).join(', ') || 'nothing that counts';
}
