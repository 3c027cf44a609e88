/** What "Play now" plays: the shortest battle of two sides, against the weakest program. */
import type { EditionInfo, MakeMatch, ScenarioInfo, Welcome } from '../lib/protocol';
import { playerName } from '../lib/storage';

/** The name of a player who has never given one. */
const NAMELESS = 'Player';

interface Quick {
  wish: Omit<MakeMatch, 'type' | 'id'>;
  sentence: string;
}

export function quickest(welcome: Pick<Welcome, 'editions' | 'programs'>): Quick | null {
  const program = welcome.programs?.[0];
  let best: { edition: EditionInfo; scenario: ScenarioInfo } | null = null;
  for (const edition of welcome.editions)
    for (const scenario of edition.scenarios)
      if (scenario.seats.length === 2 && (best === null || scenario.minutes < best.scenario.minutes))
        best = { edition, scenario };
  if (!program || !best) return null;
  const { edition, scenario } = best;
  const [own, other] = scenario.seats.map(([seat]) => seat);
  if (own === undefined || other === undefined) return null;
  return {
    wish: {
      edition: edition.id,
      scenario: scenario.id,
      name: playerName() || NAMELESS,
      mine: [own],
      listed: false,
      programs: { [other]: program.id },
    },
    sentence: `${scenario.name}, about ${scenario.minutes} minutes, against the computer (${program.name}).`,
  };
}
