/** A form and a force for tests: two kinds, every way of filling in a field. */
import type { Force, ForceForm, FormField } from '../lib/protocol';

const field = (key: string, value: FormField['default'], more: Partial<FormField> = {}): FormField => ({
  key,
  label: key.charAt(0).toUpperCase() + key.slice(1),
  default: value,
  choices: [],
  least: 0,
  most: 0,
  rule: '',
  group: '',
  ...more,
});
const choices = (...values: string[]): FormField['choices'] =>
  values.map((value) => ({ value, label: value.charAt(0).toUpperCase() + value.slice(1), note: '' }));

const level = field('level', 'regular', { choices: choices('green', 'regular', 'elite') });

export const FORM: ForceForm = {
  measure: 'Weight',
  notes: [],
  unit: '',
  kinds: [
    {
      key: 'infantry',
      label: 'Infantry',
      fields: [level, field('grenades', false)],
      lists: [
        {
          key: 'figures',
          label: 'Figures',
          one: 'figure',
          least: 1,
          most: 3,
          fields: [
            field('count', 4, { least: 1, most: 12 }),
            field('arm', 'rifle', { choices: choices('rifle', 'carbine') }),
            field('leader', false),
          ],
        },
      ],
    },
    {
      key: 'vehicle',
      label: 'Vehicle',
      fields: [level, field('crew', 2, { least: 1, most: 6 })],
      lists: [
        {
          key: 'weapons',
          label: 'Weapons',
          one: 'weapon',
          least: 0,
          most: 4,
          fields: [field('weapon', 'gun', { choices: choices('gun', 'cannon') })],
        },
      ],
    },
  ],
};

export const FORCE: Force = {
  format: 'underfire force 1',
  edition: 'toy',
  name: 'Grünwald’s few “×”',
  about: 'Two of them.',
  units: [
    {
      kind: 'infantry',
      name: '1st Section',
      fields: { level: 'elite', grenades: true },
      rows: {
        figures: [
          { count: 4, arm: 'rifle', leader: false },
          { count: 1, arm: 'carbine', leader: true },
        ],
      },
    },
    { kind: 'vehicle', name: 'Carrier', fields: { level: 'green', crew: 3 }, rows: { weapons: [{ weapon: 'gun' }] } },
  ],
};
