/** Templates for new leagues: what they fill in. */
import type { LeagueTerms } from '../lib/protocol';

type Filled = Required<Pick<LeagueTerms, 'format' | 'rounds' | 'days' | 'unplayed' | 'tie_breaks'>>;

export interface Template {
  id: string;
  name: string;
  about: string;
  fills: Filled;
}

export const TEMPLATES: readonly Template[] = [
  {
    id: 'round_robin',
    name: 'Round robin of four to eight',
    about: 'Each player meets each other player once, a round every two weeks.',
    fills: {
      format: 'round_robin',
      rounds: 0,
      days: 14,
      unplayed: 'wait',
      tie_breaks: ['head_to_head', 'sonneborn_berger', 'wins'],
    },
  },
  {
    id: 'swiss',
    name: 'Swiss evening',
    about: 'Three rounds in one evening for any number of players: those meet who stand alike.',
    fills: {
      format: 'swiss',
      rounds: 3,
      days: 0,
      unplayed: 'wait',
      tie_breaks: ['buchholz', 'sonneborn_berger', 'losses_inflicted'],
    },
  },
  {
    id: 'elimination',
    name: 'Knock-out',
    about: 'The winners go on until one player is left, a round each week.',
    fills: { format: 'elimination', rounds: 0, days: 7, unplayed: 'wait', tie_breaks: ['wins', 'losses_inflicted'] },
  },
  {
    id: 'map',
    name: 'Map campaign',
    about:
      'Forces march on a map by sealed orders, fight where they meet, and hold areas: eight turns, a week for each part.',
    fills: { format: 'map', rounds: 8, days: 7, unplayed: 'draw', tie_breaks: ['wins', 'losses_inflicted'] },
  },
  {
    id: 'ladder',
    name: 'Ladder',
    about: 'Players challenge those who stand higher; players can join at any time.',
    fills: { format: 'ladder', rounds: 0, days: 14, unplayed: 'void', tie_breaks: ['wins', 'losses_inflicted'] },
  },
  {
    id: 'free',
    name: 'Free challenges',
    about: 'Players challenge each other whenever they like; the table counts their results.',
    fills: { format: 'free', rounds: 0, days: 0, unplayed: 'wait', tie_breaks: ['head_to_head', 'wins'] },
  },
];
