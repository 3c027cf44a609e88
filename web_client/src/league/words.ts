/** Leagues in words: their formats and states, what decides between equal points, deadlines. */
import type { Format, LeagueSummary, LeagueTerms, LeagueView, Standing, TieBreak, Unplayed } from '../lib/protocol';

/** A format's name, and who meets whom in a sentence. */
export const FORMATS: Readonly<Record<Format, { name: string; about: string }>> = {
  round_robin: { name: 'Round robin', about: 'Each player meets each other player once.' },
  swiss: { name: 'Swiss', about: 'In each round those meet who stand alike, and no two players meet twice.' },
  elimination: { name: 'Knock-out', about: 'The winners go on to the next round until one player is left.' },
  ladder: { name: 'Ladder', about: 'Players challenge those who stand higher, and climb when they win.' },
  free: { name: 'Free challenges', about: 'Players challenge each other whenever they like.' },
  map: { name: 'Map campaign', about: 'Forces march on a map, and battles are fought where they meet.' },
};

/** Whether players challenge each other, so that there are no rounds. */
export const byChallenge = (format: Format): boolean => format === 'free' || format === 'ladder';

/** What matches are grouped by: a map campaign has turns. */
export const roundWord = (format: Format): string => (format === 'map' ? 'turn' : 'round');

/** A round by its number, as a heading: `Round 3`. */
export const roundName = (format: Format, number: number): string => `${format === 'map' ? 'Turn' : 'Round'} ${number}`;

/** Whether players can still join: who meets whom in a round robin or a knock-out is drawn when it begins, and so are homes. */
export const joinable = ({ terms, state, round = 0 }: LeagueView): boolean =>
  state !== 'over' && (round === 0 || !['round_robin', 'elimination', 'map'].includes(formatOf(terms)));

/** Whether the end of a league can be undone: not if it reveals what is secret until then. */
export function endWords(terms: LeagueTerms): string {
  if (terms.campaign) return 'It reveals the secret of the dice, so this cannot be undone.';
  if (terms.options?.['hidden_forces'] === true) return "It shows all players' forces, so this cannot be undone.";
  return 'You can undo this.';
}

/** What a format is unless the terms say otherwise. */
export const formatOf = (terms: LeagueTerms): Format => terms.format ?? 'round_robin';

export const TIE_BREAKS: Readonly<Record<TieBreak, { name: string; short: string; about: string }>> = {
  head_to_head: {
    name: 'Head to head',
    short: 'H2H',
    about: 'Head to head: the points from the matches of those who are level.',
  },
  buchholz: { name: 'Buchholz', short: 'Buch.', about: 'Buchholz: the points of all opponents together.' },
  sonneborn_berger: {
    name: 'Sonneborn-Berger',
    short: 'S-B',
    about: 'Sonneborn-Berger: the points of the beaten opponents, and half of those from draws.',
  },
  wins: { name: 'Wins', short: 'Wins', about: 'Wins: the number of matches won.' },
  losses_inflicted: {
    name: 'Losses inflicted',
    short: 'Losses',
    about: 'Losses inflicted: the figures that the opponents lost.',
  },
};

/** What decides between equal points unless the terms say otherwise. */
export const tieBreaksOf = (terms: LeagueTerms): readonly TieBreak[] =>
  terms.tie_breaks ?? ['head_to_head', 'sonneborn_berger', 'wins'];

export const UNPLAYED: Readonly<Record<Unplayed, string>> = {
  wait: 'it waits for the organiser',
  draw: 'it counts as a draw',
  void: 'it does not count',
};

const count = (number: number, one: string, several: string): string => `${number} ${number === 1 ? one : several}`;

/** How far a league is: `gathers players`, `round 2 of 5`, `over`. */
export function stateWords(
  { state, format, round }: Pick<LeagueSummary, 'state' | 'format' | 'round'>,
  rounds = 0,
): string {
  if (state === 'over') return 'over';
  if (byChallenge(format)) return state === 'gathers' ? 'gathers players' : 'being played';
  if (round === 0) return 'gathers players';
  return `${roundWord(format)} ${round}${rounds > 0 ? ` of ${rounds}` : ''}`;
}

export const battlesWords = (battles: number): string =>
  battles === 0 ? 'no battle yet' : count(battles, 'battle', 'battles');

export const playersWords = (players: number): string => count(players, 'player', 'players');

/** How many matches were played; "" before the first one. */
export const matchesWords = (matches: number): string =>
  matches > 0 ? count(matches, 'match played', 'matches played') : '';

/** What a league's rounds and deadlines are, in sentences. */
export function paceWords(terms: LeagueTerms): string {
  const format = formatOf(terms);
  const days = terms.days ?? 0;
  const said: string[] = [];
  if (format === 'swiss' && terms.rounds) said.push(`There are ${count(terms.rounds, 'round', 'rounds')}.`);
  if (format === 'map' && terms.rounds) said.push(`There are ${count(terms.rounds, 'turn', 'turns')}.`);
  if (days > 0) {
    const within = `within ${count(days, 'day', 'days')}`;
    said.push(
      byChallenge(format)
        ? `An accepted challenge is played ${within}.`
        : format === 'map'
          ? `Orders are given ${within}, and then battles are fought ${within}.`
          : `The matches of a round are played ${within}.`,
      `If a match is not played by then, ${UNPLAYED[terms.unplayed ?? 'wait']}.`,
    );
  } else said.push('There are no deadlines.');
  return said.join(' ');
}

/** What a result is worth: `3 points for a win, 1 for a draw, 0 for a loss`. */
export const pointsWords = ({ win = 3, draw = 1, loss = 0 }: LeagueTerms): string =>
  `${count(win, 'point', 'points')} for a win, ${draw} for a draw, ${loss} for a loss.`;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A deadline in words: `to be played within 3 days`; "" where there is none. */
export function deadlineWords(until: number, now: number): string {
  if (until <= 0) return '';
  const left = until - now;
  if (left <= 0) return 'the deadline has passed';
  if (left < HOUR) return 'to be played within the hour';
  if (left < 2 * DAY) return `to be played within ${count(Math.ceil(left / HOUR), 'hour', 'hours')}`;
  return `to be played within ${Math.ceil(left / DAY)} days`;
}

/** The value of a tie-break, which is sent in hundredths. */
export const hundredths = (value: number): string => String(Math.round(value) / 100).replace('-', '−');

/** The name under which a league knows a key. */
export function nameIn(league: LeagueView, key: string): string {
  const player = league.players?.find((one) => one.key === key);
  return player?.name ?? league.organisers.find(([one]) => one === key)?.[1] ?? 'A player';
}

/** What a form's letters mean. */
export const FORM: Readonly<Record<string, string>> = { W: 'won', D: 'a draw', L: 'lost' };

/**
 * Where the signed file of a league is for those who look at it; "" where there is none for them: while forces are hidden, and in a
 * league that is not listed for those who do not play.
 */
export function fileOf({ id, terms, state, calendar = '' }: LeagueView): string {
  if (terms.options?.hidden_forces === true && state !== 'over') return '';
  return terms.listed === false ? calendar.replace(/\.ics$/, '.underfire') : `/leagues/${id}.underfire`;
}

/** A player's last results for a screen reader: `won, lost, a draw`; the latest last. */
export const formWords = (form: string): string => [...form].map((letter) => FORM[letter] ?? letter).join(', ');

/** What players and sides have played and won: the heads of the columns, what they mean, and the numbers. */
export const COUNTS: readonly [
  string,
  string,
  (standing: Pick<Standing, 'played' | 'won' | 'drawn' | 'lost'>) => number,
][] = [
  ['P', 'Matches played', ({ played }) => played],
  ['W', 'Won', ({ won }) => won],
  ['D', 'Draws', ({ drawn }) => drawn],
  ['L', 'Lost', ({ lost }) => lost],
];
