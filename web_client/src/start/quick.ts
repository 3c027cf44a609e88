/** What "Play now" plays: the shortest battle of two sides, against the weakest program. */
import type { EditionInfo, Lesson, MakeMatch, ProgramInfo, ScenarioInfo, Welcome } from '../lib/protocol';
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
  return against(best.edition, best.scenario, program);
}

/** A battle of a scenario against a program, for a player who has chosen nothing. */
function against(edition: EditionInfo, scenario: ScenarioInfo, program: ProgramInfo): Quick | null {
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

/** A guided battle, and how its rules are called. */
export interface Guided extends Quick {
  name: string;
  lessons: readonly Lesson[];
}

/** The guided battles that can be played here, against the weakest program. */
export function guidedBattles(welcome: Pick<Welcome, 'editions' | 'programs'>): Guided[] {
  const program = welcome.programs?.[0];
  return welcome.editions.flatMap((edition) => {
    const battle = program && edition.guide ? against(edition, edition.guide.scenario, program) : null;
    return battle && edition.guide ? [{ ...battle, name: edition.name, lessons: edition.guide.lessons }] : [];
  });
}
