import { describe, expect, it } from 'vitest';
import type { OptionInfo } from '../lib/protocol';
import { changed, grouped, labelOf, meant, named } from './options';

const option = (id: string, group = ''): OptionInfo => ({
  id,
  title: id,
  choices: [
    { value: 1, label: 'One – There is one.' },
    { value: 2, label: 'Two – There are two – or more.' },
  ],
  default: 1,
  rule: '',
  group,
});

describe('options', () => {
  it('stand in their groups, those without one below no heading', () => {
    const options = [option('moon', 'Night'), option('stars', 'Night'), option('sun', 'Day'), option('rain')];
    expect(grouped(options).map(({ heading, options: own }) => [heading, ...own.map(({ id }) => id)])).toEqual([
      ['Night', 'moon', 'stars'],
      ['Day', 'sun'],
      ['', 'rain'],
    ]);
  });

  it('are changed where the value is not the usual one', () => {
    const options = [option('moon'), option('sun')];
    const values: Partial<Record<string, number>> = { sun: 2 };
    const found = changed(
      options,
      ({ id }) => values[id] ?? 1,
      (each) => each.default,
    );
    expect(found.map(({ id }) => id)).toEqual(['sun']);
  });

  it('have a name and a meaning for each value', () => {
    const label = labelOf(option('moon'), 2);
    expect([named(label), meant(label)]).toEqual(['Two', 'There are two – or more.']);
    expect(labelOf(option('moon'), 7)).toBe('7');
  });
});
