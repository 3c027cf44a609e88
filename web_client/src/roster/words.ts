/** A roster in words and figures. */
import type { Odds, RosterUnitView } from '../lib/protocol';

/** The rows of a table of odds, each as a share of the likeliest, and in percent. */
export function bars(odds: readonly Odds[]): { result: string; share: number; percent: string }[] {
  const most = Math.max(1, ...odds.map(({ ways }) => ways));
  return odds.map(({ result, ways, of }) => ({
    result,
    share: ways / most,
    percent: `${Math.round((ways * 100) / of)}%`,
  }));
}

const HOUR = 3_600_000;

/** When the default of a step is taken: `If you do nothing, the default is taken in 3 hours.`; "" if never. */
export function stepUntil(until: number, now: number): string {
  if (until <= 0) return '';
  const hours = Math.ceil((until - now) / HOUR);
  if (hours <= 0) return 'The default is about to be taken.';
  if (hours <= 1) return 'If you do nothing, the default is taken within the hour.';
  const when = hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
  return `If you do nothing, the default is taken in ${when}.`;
}

const CONDITIONS: Readonly<Record<string, string>> = {
  damaged: 'damaged',
  lost: 'lost',
  struck: 'struck off the roster',
};

/** How a unit stands: `5 of 8 figures`, `damaged`; "" for a vehicle that is fit. */
export function standsWords({ condition = 'fit', figures, of }: RosterUnitView): string {
  if (condition !== 'fit') return CONDITIONS[condition] ?? condition;
  return of === 1 ? (figures === 1 ? '' : 'fallen') : `${figures} of ${of} figures`;
}

/** A level: `Aim: Steady (Shaky at the start)`. */
export const levelWords = ([what, now, started]: readonly [string, string, string]): string =>
  `${what}: ${now}${now === started ? '' : ` (${started} at the start)`}`;

/** The figures of a unit that have a name: `Ilse, Marek. Missing: Jo.`; "" if none has. */
export function membersWords({ members = [] }: RosterUnitView): string {
  const named = (gone: boolean): string =>
    members
      .filter(({ name = '', missing = false }) => name !== '' && missing === gone)
      .map(({ name }) => name)
      .join(', ');
  const [there, missing] = [named(false), named(true)];
  return [there && `${there}.`, missing && `Missing: ${missing}.`].filter(Boolean).join(' ');
}
