/** The history of a force, battle by battle. */
import type { RosterLine } from '../lib/protocol';

/** A battle and what came after it. `place` is the line's place in the whole history. */
export interface BattleLines {
  readonly fixture: number;
  readonly headline: string;
  readonly match: string;
  readonly lines: { readonly line: RosterLine; readonly place: number }[];
}

/** The battles of a history, the latest first, each with its lines in their order; those of one unit only, unless it is -1. */
export function byBattle(lines: readonly RosterLine[], unit: number): BattleLines[] {
  const battles: BattleLines[] = [];
  let latest: BattleLines | null = null;
  for (const [place, line] of lines.entries()) {
    if (latest === null || latest.fixture !== (line.fixture ?? 0)) {
      // A history that was cut off may begin in the middle of a battle.
      const begins = (line.unit ?? -1) === -1 && (line.match ?? '') !== '';
      latest = {
        fixture: line.fixture ?? 0,
        headline: begins ? line.text : 'An earlier battle',
        match: line.match ?? '',
        lines: [],
      };
      battles.unshift(latest);
      if (begins) continue;
    }
    if (unit === -1 || line.unit === unit) latest.lines.push({ line, place });
  }
  return unit === -1 ? battles : battles.filter(({ lines: told }) => told.length > 0);
}
