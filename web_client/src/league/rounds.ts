/** How a league's matches are played: the number of rounds of a Swiss league, and its options, in words. */
import type { EditionInfo, LeagueView, OptionInfo, OptionValue, ScenarioInfo } from '../lib/protocol';
import { labelOf, named } from '../ui/options';
import { formatOf } from './words';

const count = (rounds: number): string => (rounds === 1 ? '1 round' : `${rounds} rounds`);

/** How many rounds single out a winner among so many players. */
export const roundsFor = (players: number): number => (players < 2 ? 0 : Math.ceil(Math.log2(players)));

/** How many rounds a Swiss league has that has as many as it takes, in a sentence; "" for others. */
export function swissWords({ terms, rounds = 0, round = 0, players = [] }: LeagueView): string {
  if (formatOf(terms) !== 'swiss' || terms.rounds) return '';
  if (round > 0) return `It has ${count(rounds)}, as many as find a winner among those who began.`;
  const present = players.filter(({ state = 'plays' }) => state === 'plays').length;
  const many = 'There are as many rounds as it takes to find a winner';
  return rounds > 0 ? `${many}: for the ${present} players of now ${count(rounds)}.` : `${many}.`;
}

/** What an option is if nothing is chosen: as the scenarios have it, where all of them have it so. */
export function usualOf(option: OptionInfo, scenarios: readonly Pick<ScenarioInfo, 'defaults'>[]): OptionValue {
  const values = new Set(scenarios.map(({ defaults }) => defaults[option.id] ?? option.default));
  const [only] = values;
  return values.size === 1 && only !== undefined ? only : option.default;
}

/** The options that a league has chosen, each in words: `Forces: hidden`. */
export const optionWords = ({ terms }: LeagueView, edition: EditionInfo | undefined): string[] =>
  (edition?.options ?? []).flatMap((option) => {
    const value = terms.options?.[option.id];
    return value === undefined ? [] : [`${option.title}: ${named(labelOf(option, value))}`];
  });
