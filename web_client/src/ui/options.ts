/** The options of an edition as a page shows them: in groups, each with what differs from the usual. */
import type { OptionInfo, OptionValue } from '../lib/protocol';

/** Options below one heading; "" for those that have none. */
export interface OptionGroup {
  heading: string;
  options: readonly OptionInfo[];
}

/** The groups of an edition's options, in the order in which they were sent. */
export function grouped(options: readonly OptionInfo[]): OptionGroup[] {
  const headings = [...new Set(options.map(({ group }) => group))];
  return headings.map((heading) => ({ heading, options: options.filter(({ group }) => group === heading) }));
}

/** What a choice is called, without what it means, which the server puts behind a dash. */
export const named = (text: string): string => text.split(' – ')[0] ?? text;
/** What a choice means. */
export const meant = (text: string): string => text.split(' – ').slice(1).join(' – ');

/** The words of a value of an option. */
export const labelOf = (option: OptionInfo, value: OptionValue): string =>
  option.choices.find((choice) => choice.value === value)?.label ?? String(value);

/** The options whose value differs from the usual one. */
export const changed = (
  options: readonly OptionInfo[],
  value: (option: OptionInfo) => unknown,
  usual: (option: OptionInfo) => unknown,
): OptionInfo[] => options.filter((option) => value(option) !== usual(option));
