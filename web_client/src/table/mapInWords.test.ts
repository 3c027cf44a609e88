import { describe, expect, it } from 'vitest';
import type { TableView, View } from '../lib/protocol';
import { mapInWords } from './mapInWords';

const piece = (id: string, name: string) => ({ id, name }) as TableView['terrain'][number];
const band = (bottom: number, top: number) => [
  [0, bottom],
  [48_000, bottom],
  [48_000, top],
  [0, top],
];
const side = (name: string, zone: number[][]) => ({ name, letter: name[0], shape: 'circle', seat: name, zone });

describe('a map in words', () => {
  it('names the size, the ground, where the sides begin, and the objectives', () => {
    const view = {
      sides: { blue: side('Blue', band(0, 12_000)), red: side('Red', band(36_000, 48_000)) },
      objectives: { relay: { name: 'The relay', at: [24_000, 24_000], radius: 3000, held_by: '' } },
    } as unknown as View;
    const terrain = [piece('a', 'Woods'), piece('b', 'Road'), piece('c', 'Woods')];
    expect(mapInWords(view, { width: 48_000, height: 48_000, terrain })).toBe(
      'A table of 48″ by 48″; with 2 × Woods and Road; Blue begins in the south and Red begins in the north; objective: The relay.',
    );
  });

  it('says nothing of what there is not', () => {
    const view = { sides: { blue: side('Blue', []) }, objectives: {} } as unknown as View;
    expect(mapInWords(view, { width: 36_000, height: 24_000, terrain: [] })).toBe('A table of 36″ by 24″.');
  });

  it('tells the middle and the flanks apart', () => {
    const square = (x: number) => [
      [x, 20_000],
      [x + 8000, 20_000],
      [x + 8000, 28_000],
      [x, 28_000],
    ];
    const view = {
      sides: { a: side('A', square(0)), b: side('B', square(20_000)), c: side('C', square(40_000)) },
      objectives: {},
    } as unknown as View;
    expect(mapInWords(view, { width: 48_000, height: 48_000, terrain: [] })).toBe(
      'A table of 48″ by 48″; A begins in the west, B begins in the middle and C begins in the east.',
    );
  });
});
