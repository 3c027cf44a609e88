/**
 * Lengths in words, in inches or in centimetres. The game is played in inches; a centimetre is only how they are told: one
 * inch is two and a half.
 *
 * A length of the rules is told as it is printed: whole inches as whole centimetres, halves upward. What is measured is told
 * to a tenth, and so is a length of the rules next to a measured one or in a sum: 7.6 cm of 8 cm would look like enough,
 * and 8 cm and 5 cm like 13 cm, where there are 7.5 and 12.5.
 */
import { inches } from './geometry';

/** What lengths are told in. */
export type Measure = 'inches' | 'centimetres';
export const MEASURES: readonly Measure[] = ['inches', 'centimetres'];

/** Mil a centimetre takes. */
export const CENTIMETRE = 400;

/** What stands behind the digits. */
export const SIGNS: Record<Measure, string> = { inches: '″', centimetres: '\u00a0cm' };

/** A magnitude in mil as centimetres with so many decimals at most, halves upward. */
function centimetres(mil: number, decimals: number): string {
  const parts = 10 ** decimals;
  return (Math.floor((mil * parts) / CENTIMETRE + 0.5) / parts).toString();
}

/** The digits of a length as the rules print it (mil, not negative). */
export function printedDigits(mil: number, measure: Measure): string {
  if (measure === 'inches') return Number((mil / 1000).toFixed(2)).toString();
  return centimetres(mil, mil % 1000 === 0 ? 0 : 1);
}

/** The digits of a measured length (mil, not negative), to a tenth; upward where `up` is set. */
export function measuredDigits(mil: number, measure: Measure, up = false): string {
  if (measure === 'inches') return inches(mil, up);
  if (!up) return centimetres(mil, 1);
  return (Math.ceil((Math.round(mil) * 10) / CENTIMETRE) / 10).toString();
}

/** The digits of a length that is part of a sum (mil, not negative): with the decimals it needs, two at most. */
export function exactDigits(mil: number, measure: Measure): string {
  return measure === 'inches' ? printedDigits(mil, measure) : centimetres(mil, 2);
}

const NUMBER = String.raw`\d+(?:\.\d+)?`;
/** A length as the server writes it, `6"`, perhaps with another one before it that it is the end of a range from. */
const LENGTH = String.raw`(?<![\w.'])(?:(?<from>${NUMBER})(?<mark>["″]?)(?<range> ?[-–] ?| to | or ))?(?<sign>[-−+]?)(?<to>${NUMBER})["″]`;
const LENGTH_OR_QUOTE = new RegExp(`${LENGTH}|"`, 'g');

/**
 * A text of the server with the lengths in it, written `6"`, `4.5"`, `-2"`, `2-5"`, told in `measure`.
 *
 * A mark that closes a quotation is none of an inch. A text that tells something measured tells all of its lengths to a tenth.
 */
export function lengthsIn(text: string, measure: Measure): string {
  if (measure === 'inches' || !/\d["″]/.test(text)) return text;
  const measured = /\.\d+["″]/.test(text);
  const digits = (number: string): string => {
    const mil = Math.round(Number(number) * 1000);
    if (!measured) return printedDigits(mil, measure);
    // More than a tenth is told where a tenth would hide what decided.
    return centimetres(mil, Math.max(1, number.split('.')[1]?.length ?? 0));
  };
  let quoting = false;
  return text.replace(LENGTH_OR_QUOTE, (found: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as Record<'from' | 'mark' | 'range' | 'sign' | 'to', string | undefined>;
    const at = rest.at(-3) as number;
    if (found === '"') {
      quoting = !quoting && /^$|[\s([{]/.test(text.charAt(at - 1)) && /\S/.test(text.charAt(at + 1));
      return found;
    }
    if (quoting) {
      quoting = false;
      return found;
    }
    const { from, mark, range, sign, to } = groups;
    const end = (sign ?? '') + digits(to!) + SIGNS[measure];
    return from === undefined ? end : digits(from) + (mark ? SIGNS[measure] : '') + range! + end;
  });
}
