/** Numbers of the rules in words: inches, signs, what each line does to the number. */
import type { Explained, Line } from '../protocol';

/** A length in inches, with as many decimals as it needs, two at most. */
export const inches = (mil: number): string => `${Number((mil / 1000).toFixed(2))}″`;

/** A number in its unit. */
export const amount = (value: number, unit: string): string =>
  unit === 'mil' ? inches(value) : String(value).replace('-', '−');

/** What a line does: `5`, `+1`, `−2`, `× 1.5`, `at most 6`. */
export function effect([stage, value, , , floor]: Line, unit: string): string {
  switch (stage) {
    case 'SET':
      return amount(value, unit);
    case 'ADD':
      return (value < 0 ? '−' : '+') + amount(Math.abs(value), unit);
    case 'SCALE':
      return `× ${Number((value / 100).toFixed(2))}`;
    case 'CAP':
      return `${floor ? 'at least' : 'at most'} ${amount(value, unit)}`;
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
