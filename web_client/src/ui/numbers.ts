/** Numbers of the rules in words: lengths, signs, what each line does to the number. */
import { exactly, length } from '../lib/measure.svelte';
import type { Chance, Explained, Line } from '../lib/protocol';

/**
 * A number in its unit. A length is told as it is printed, or to a tenth where it is part of a sum (`exact`); thousandths are told
 * as decimals, to a hundredth.
 */
export function amount(value: number, unit: string, exact = false): string {
  if (unit === 'milli') return amount(Math.round(value / 10) / 100, '');
  if (unit !== 'mil') return String(value).replace('-', '−');
  const told = exact ? exactly(Math.abs(value)) : length(Math.abs(value));
  return (value < 0 ? '−' : '') + told;
}

/** What a line does: `5`, `+1`, `−2`, `× 1.5`, `at most 6`. */
export function effect([stage, value, , , floor]: Line, unit: string, exact = false): string {
  switch (stage) {
    case 'SET':
      return amount(value, unit, exact);
    case 'ADD':
      return (value < 0 ? '−' : '+') + amount(Math.abs(value), unit, exact);
    case 'SCALE':
      return `× ${Number((value / 100).toFixed(2))}`;
    case 'CAP':
      return `${floor ? 'at least' : 'at most'} ${amount(value, unit, exact)}`;
  }
}

/** Whether a number is made of several parts, so that its result wants saying. */
export const isSum = ([value, lines]: Explained): boolean =>
  lines.length > 1 || (lines.length === 1 && (lines[0]![0] !== 'SET' || lines[0]![1] !== value));

/** A probability in 1/10,000 as a percentage; never 0 % or 100 % when it is not quite. */
export function percent(perMyriad: number): string {
  if (perMyriad <= 0) return '0 %';
  if (perMyriad >= 10_000) return '100 %';
  const rounded = Math.round(perMyriad / 100);
  if (rounded === 0) return 'under 1 %';
  return rounded === 100 ? 'over 99 %' : `${rounded} %`;
}

/** The odds that stand for all of a preview: the first that has a probability, and the expected value before it. */
export function shortOdds(chances: readonly Chance[]): readonly Chance[] {
  const first = chances.findIndex((chance) => chance.per_myriad >= 0);
  if (first < 0) return chances.slice(-1);
  return first > 0 ? [chances[first]!, chances[first - 1]!] : chances.slice(0, 2);
}

/** A number with its sign and a digit: `+1.3`, `−0.4`, `0`. */
export function signed(value: number): string {
  const rounded = Math.round(value * 10) / 10;
  if (rounded === 0) return '0';
  return (rounded > 0 ? '+' : '−') + Math.abs(rounded).toFixed(1);
}
