/** The fixtures of a league: in rounds, those of one's own, and what can be done with each. */
import type { FixtureView, LeagueView } from '../lib/protocol';
import { allied } from './sides';
import { byChallenge, formatOf, nameIn, roundName } from './words';

/** What a player can do with a fixture: a challenge is answered or taken back, a match is played, watched, or looked at. */
export type Step = 'answer' | 'take_back' | 'play' | 'go_on' | 'watch' | 'look' | null;

/**
 * What the fixture offers to a player with a key ("": a stranger); `seated` says whether this browser holds a seat of a match.
 * In a league that is over nothing is played.
 */
export function stepOf(fixture: FixtureView, you: string, seated: (match: string) => boolean, over = false): Step {
  const { state = 'waits', match = '', players } = fixture;
  const own = you !== '' && (state === 'challenge' ? players.includes(you) : playsFor(fixture, you) !== '');
  if (state === 'over') return match ? 'look' : null;
  if (!own || over) return match ? 'watch' : null;
  if (state === 'challenge') return players[0] === you ? 'take_back' : 'answer';
  if (players.length < 2) return null;
  return state === 'played' && seated(match) ? 'go_on' : 'play';
}

/** The player of a fixture for whom the one with a key sits at the table: themselves, or whom they stand in for; "" for none. */
export function playsFor({ players, stand_ins = [] }: FixtureView, you: string): string {
  const replaced = stand_ins.some(([player]) => player === you);
  if (players.includes(you) && !replaced) return you;
  return stand_ins.find(([, by]) => by === you)?.[0] ?? '';
}

/** Who may stand in for a player in a fixture: players of the league who are not in it. */
export function standIns(
  league: LeagueView,
  { players, stand_ins = [] }: FixtureView,
): { key: string; name: string }[] {
  const busy = new Set([...players, ...stand_ins.map(([, by]) => by)]);
  return (league.players ?? [])
    .filter(({ key, state = 'plays' }) => state !== 'asks' && !busy.has(key))
    .map(({ key, name }) => ({ key, name }));
}

/** Who stands in for whom in a fixture: `Cy plays for Ada`; "" where no player does. */
export const standInWords = (league: LeagueView, { stand_ins = [] }: FixtureView): string =>
  stand_ins.map(([player, by]) => `${nameIn(league, by)} plays for ${nameIn(league, player)}`).join(', ');

const URGENCY: Readonly<Record<string, number>> = { answer: 0, go_on: 1, play: 2, take_back: 3 };

/** A player's own fixtures that are not over, with what can be done: the most urgent first, then the nearest deadline. */
export function ownNext(
  league: LeagueView,
  seated: (match: string) => boolean,
): { fixture: FixtureView; step: Step }[] {
  const you = league.you ?? '';
  const end = ({ until = 0 }: FixtureView): number => until || Number.POSITIVE_INFINITY;
  return (league.fixtures ?? [])
    .filter((fixture) => you !== '' && fixture.state !== 'over')
    .filter((fixture) => fixture.players.includes(you) || playsFor(fixture, you) !== '')
    .map((fixture) => ({ fixture, step: stepOf(fixture, you, seated, league.state === 'over') }))
    .sort(
      (a, b) =>
        (URGENCY[a.step ?? ''] ?? 9) - (URGENCY[b.step ?? ''] ?? 9) ||
        (end(a.fixture) === end(b.fixture) ? a.fixture.number - b.fixture.number : end(a.fixture) - end(b.fixture)),
    );
}

/** Fixtures below one heading. */
export interface Round {
  heading: string;
  fixtures: FixtureView[];
}

/** The fixtures in rounds, the latest round first; where players challenge each other, the latest match first. */
export function rounds(league: LeagueView): Round[] {
  const drawn = (league.fixtures ?? []).filter(({ state }) => state !== 'challenge');
  if (byChallenge(formatOf(league.terms))) {
    const fixtures = drawn.sort((a, b) => b.number - a.number);
    return fixtures.length > 0 ? [{ heading: 'Matches', fixtures }] : [];
  }
  const numbers = [...new Set(drawn.map(({ round }) => round))].sort((a, b) => b - a);
  return numbers.map((number) => ({
    heading: roundName(formatOf(league.terms), number),
    fixtures: drawn.filter(({ round }) => round === number).sort((a, b) => a.number - b.number),
  }));
}

/** How a fixture ended, in a few words: `Ann won`, `A draw`, `It does not count`; "" while it is not over. */
export function outcomeWords(league: LeagueView, { state, players, outcome = '', winner = '' }: FixtureView): string {
  if (state !== 'over') return '';
  if (players.length < 2) return 'A bye';
  if (outcome === 'won') return `${nameIn(league, winner)} won`;
  return outcome === 'draw' ? 'A draw' : 'It does not count';
}

/** That the match of a fixture was no battle for forces that live on, in a sentence; "" where it was one, or they do not. */
export const unfoughtWords = ({ unfought = false }: FixtureView): string =>
  unfought ? 'The match ended before its first turn, so that no force has fought.' : '';

/** What each of a fixture's players lost, in a sentence; "" where that is not known. */
export function lossWords(league: LeagueView, { players, losses = [] }: FixtureView): string {
  if (losses.length < 2 || losses.length !== players.length) return '';
  const each = players.map((key, i) => `${nameIn(league, key)} ${losses[i]}`);
  return `Figures lost: ${each.join(', ')}.`;
}

/** The players whom one may challenge: who play, are not oneself nor on the same side, and have no match with one already. */
export function opponents(league: LeagueView): { key: string; name: string }[] {
  const you = league.you ?? '';
  const busy = (key: string): boolean =>
    (league.fixtures ?? []).some(
      ({ state, players }) => state !== 'over' && players.includes(you) && players.includes(key),
    );
  return (league.players ?? [])
    .filter(({ key, state = 'plays' }) => state === 'plays' && key !== you && !allied(league, you, key) && !busy(key))
    .map(({ key, name }) => ({ key, name }));
}
