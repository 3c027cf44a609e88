/** What one hears of an action. */
import type { SoundName } from '../../sound/recipes';
import type { Happening } from './happenings';

const DONE: Partial<Record<string, SoundName>> = { fire: 'fire', assault: 'assault', move: 'move' };

/** The sounds of an action, one after the other, each with its delay in seconds. */
export function soundsOf({ kind, dice, lost }: Happening): { name: SoundName; after: number }[] {
  const names: SoundName[] = [];
  const done = DONE[kind];
  if (done) names.push(done);
  if (dice.length > 0) names.push('dice');
  if (lost) names.push('loss');
  return names.map((name, i) => ({ name, after: i * 0.35 }));
}
