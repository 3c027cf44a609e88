/** The sides of a league: for which one a player plays, and how they are named. */
import type { LeaguePlayer, LeagueView } from '../lib/protocol';
import { byChallenge, formatOf } from './words';

/** The fewest and the most sides of a league that has any. */
export const FEWEST_SIDES = 2;
export const MOST_SIDES = 8;

/** Sides that are named after their colours on a map. */
export const USUAL_SIDES: readonly string[] = ['Blue', 'Red'];

/** The name of the side for which a player plays; "" where there are none. */
export function sideOf({ players = [], terms }: LeagueView, key: string): string {
  const side = players.find((each) => each.key === key)?.side ?? 0;
  return terms.sides?.[side - 1] ?? '';
}

/** Whether two players are on one side. */
export const allied = (league: LeagueView, one: string, other: string): boolean =>
  sideOf(league, one) !== '' && sideOf(league, one) === sideOf(league, other);

/** The sides that can be chosen, with their numbers: `Red, 3 players`. */
export const choices = ({ terms, players = [] }: LeagueView): { number: number; words: string }[] =>
  (terms.sides ?? []).map((name, at) => {
    const count = players.filter(({ side, state }) => side === at + 1 && state !== 'left').length;
    return { number: at + 1, words: `${name}, ${count} ${count === 1 ? 'player' : 'players'}` };
  });

/** Whether a player can still play for another side: before there is a fixture of theirs, or homes and rounds are drawn. */
export function changeable(league: LeagueView, { key, state }: LeaguePlayer): boolean {
  if (!league.terms.sides?.length || league.state === 'over' || state === 'left') return false;
  if ((league.fixtures ?? []).some(({ players }) => players.includes(key))) return false;
  const format = formatOf(league.terms);
  return byChallenge(format) || format === 'swiss' || (league.round ?? 0) === 0;
}

/** Why the names of a new league's sides will not do, in a sentence; "" if they will. */
export function fault(names: readonly string[]): string {
  const tidy = names.map((name) => name.trim().toLowerCase());
  if (tidy.some((name) => name === '')) return 'Each side needs a name.';
  return new Set(tidy).size < tidy.length ? 'Two sides have the same name.' : '';
}
