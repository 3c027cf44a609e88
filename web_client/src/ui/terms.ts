/** What a clock gives, in words, and the clocks that are offered ready-made. */
import type { ClockTerms } from '../lib/protocol';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The bounds of `ClockTerms`, in seconds. */
export const LEAST_BANK = 10;
export const MOST_SECONDS = 100 * DAY;

/** A ready-made clock and what it is called. */
export interface Preset {
  label: string;
  terms: ClockTerms;
}

const live = (label: string, minutes: number, increment: number): Preset => ({
  label: `${label}: ${minutes} min and ${increment} s a decision`,
  terms: { kind: 'live', bank: minutes * MINUTE, increment, allowance: 5 * MINUTE, at_zero: 'default' },
});
const slow = (label: string, bank: number): Preset => ({
  label,
  terms: { kind: 'correspondence', bank, increment: 0, allowance: 0, at_zero: 'default' },
});

export const PRESETS: Readonly<Record<ClockTerms['kind'], readonly Preset[]>> = {
  live: [live('Brisk', 15, 10), live('Steady', 40, 20), live('An evening', 90, 30)],
  correspondence: [
    slow('12 hours a decision', 12 * HOUR),
    slow('A day a decision', DAY),
    slow('3 days a decision', 3 * DAY),
    slow('A week a decision', 7 * DAY),
  ],
};

/** Whether two clocks give the same. */
export const same = (one: ClockTerms, other: ClockTerms): boolean =>
  one.kind === other.kind &&
  one.bank === other.bank &&
  (one.increment ?? 0) === (other.increment ?? 0) &&
  (one.allowance ?? 0) === (other.allowance ?? 0) &&
  (one.at_zero ?? 'default') === (other.at_zero ?? 'default');

/** A length of time in seconds, in its largest units: `1 h 30 min`, `3 days`, `45 s`. */
export function span(seconds: number): string {
  const parts: readonly [number, string, string][] = [
    [DAY, 'day', 'days'],
    [HOUR, 'h', 'h'],
    [MINUTE, 'min', 'min'],
    [1, 's', 's'],
  ];
  let left = Math.max(0, Math.round(seconds));
  const words: string[] = [];
  for (const [unit, one, several] of parts) {
    const count = Math.floor(left / unit);
    left -= count * unit;
    if (count > 0) words.push(`${count} ${count === 1 ? one : several}`);
  }
  return words.join(' ') || '0 s';
}

/** What a clock gives, in a few words: `15 min each, 10 s more a decision`; without one: `no clock`. */
export function termsWords(terms: ClockTerms | null): string {
  if (terms === null) return 'no clock';
  if (terms.kind === 'correspondence') return `${span(terms.bank)} for each decision`;
  const more = terms.increment ? `, ${span(terms.increment)} more a decision` : '';
  return `${span(terms.bank)} each${more}`;
}

/** What happens at zero, and what time a disconnected player gets, in sentences. */
export function termsRest(terms: ClockTerms): string {
  const zero =
    terms.at_zero === 'claim'
      ? 'At zero the others may claim the game.'
      : 'At zero the server plays the default answer.';
  const away =
    terms.kind === 'live' && terms.allowance
      ? ` A disconnected player uses up ${span(terms.allowance)} before the clock runs.`
      : '';
  return zero + away;
}
