/** How a league comes to its end: whether all its rounds are played, who ends it, and who is its champion. */
import type { LeagueView } from '../lib/protocol';
import { byChallenge, formatOf, nameIn, roundWord } from './words';

/** Whether the last round, or turn, of a league has begun. */
export const lastBegun = ({ terms, round = 0, rounds = 0 }: LeagueView): boolean =>
  !byChallenge(formatOf(terms)) && rounds > 0 && round >= rounds;

/** Whether all rounds, or turns, of a league are played to their end. */
export const allPlayed = (league: LeagueView): boolean =>
  lastBegun(league) &&
  (league.map?.phase ?? 'rest') === 'rest' &&
  (league.fixtures ?? []).every(({ state }) => state === 'over');

/** That all is played, and that the organiser ends the league, in sentences; "" as long as there is a round to play. */
export function playedWords(league: LeagueView): string {
  if (league.state === 'over' || !allPlayed(league)) return '';
  const organises = league.organisers.some(([key]) => key === league.you);
  return `All ${roundWord(formatOf(league.terms))}s are played. ${organises ? 'You can end the league now.' : 'The organiser ends the league.'}`;
}

/** What follows for a player of a league with rounds who has no match to play now, in sentences. */
export function waitingWords(league: LeagueView): string {
  const word = roundWord(formatOf(league.terms));
  const none = `You have no ${word === 'turn' ? 'battle to fight' : 'match to play'} now.`;
  const then = lastBegun(league)
    ? `This is the last ${word}: the organiser ends the league once it is over.`
    : `The organiser begins the next ${word} once this one is over.`;
  return playedWords(league) || `${none} ${then}`;
}

/** That a league is over, and who is its champion if one player stands alone at the top, in a sentence. */
export function overWords(league: LeagueView): string {
  const first = (league.standings ?? []).filter(({ rank }) => rank === 1);
  const counted = (league.fixtures ?? []).some(({ state, outcome }) => state === 'over' && outcome !== 'void');
  const champion = first.length === 1 && counted ? first[0]!.player : '';
  if (!champion) return 'The league is over: nothing more is played.';
  const is = champion === league.you ? 'You are' : `${nameIn(league, champion)} is`;
  return `The league is over. ${is} its champion.`;
}
