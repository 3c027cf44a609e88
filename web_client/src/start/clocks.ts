/** The clock that was chosen last: players who play by correspondence do so again. */
import type { ClockTerms } from '../lib/protocol';
import { keep, recall } from '../lib/storage';

const KEPT = 'start/clock';

export const keepClock = (terms: ClockTerms | null): void => void keep(KEPT, terms);

/** The clock that was chosen last, if this version can still read it; else none. */
export function lastClock(): ClockTerms | null {
  const kept = recall<Partial<ClockTerms> | null>(KEPT, null);
  const known = kept?.kind === 'live' || kept?.kind === 'correspondence';
  return known && Number.isInteger(kept.bank) ? (kept as ClockTerms) : null;
}
