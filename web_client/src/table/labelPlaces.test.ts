import { describe, expect, it } from 'vitest';
import type { Spot } from '../lib/geometry';
import { freePlace, places, type Box, type Named } from './labelPlaces';

const box = (left: number, top: number, width: number, height: number): Box => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});
const name = (id: string, around: Box): Named => ({ id, width: 20, height: 10, around });

describe('names of units', () => {
  it('stand below their figures', () => {
    expect(places([name('a', box(0, 0, 40, 10))], [], []).get('a')).toEqual([20, 10]);
  });

  it('stand above them where others are below', () => {
    const figures = [{ unit: 'b', box: box(15, 12, 8, 8) }];
    expect(places([name('a', box(0, 0, 40, 10))], figures, []).get('a')).toEqual([20, -12]);
  });

  it('may stand over figures of their own', () => {
    const figures = [{ unit: 'a', box: box(15, 12, 8, 8) }];
    expect(places([name('a', box(0, 0, 40, 10))], figures, []).get('a')).toEqual([20, 10]);
  });

  it('give way to names that stand already, at the side if there is no other place', () => {
    const around = box(0, 0, 40, 10);
    const taken = [box(0, -20, 40, 20), box(0, 10, 40, 10)];
    expect(places([name('a', around)], [], taken).get('a')).toEqual([52, 0]);
  });

  it('do not stand on each other', () => {
    const around = box(0, 0, 40, 10);
    const found = places([name('a', around), name('b', around), name('c', around)], [], []);
    expect(new Set([...found.values()].map(String)).size).toBe(3);
  });

  it('stand below after all where no place is free', () => {
    const around = box(0, 0, 40, 10);
    expect(places([name('a', around)], [], [box(-100, -100, 300, 300)]).get('a')).toEqual([20, 10]);
  });
});

describe('a name that has several places', () => {
  const boxOf = ([x, y]: Spot): Box => ({ left: x - 10, right: x + 10, top: y - 5, bottom: y + 5 });
  const at = (x: number, y: number): Box => ({ left: x - 2, right: x + 2, top: y - 2, bottom: y + 2 });
  const spots: Spot[] = [
    [0, 0],
    [0, 50],
  ];

  it('takes the first at which it hides nothing', () => {
    expect(freePlace(spots, boxOf, [])).toEqual([0, 0]);
    expect(freePlace(spots, boxOf, [at(11, 0)])).toEqual([0, 50]);
    expect(freePlace(spots, boxOf, [at(13, 0)])).toEqual([0, 0]);
  });

  it('takes none if figures stand at all of them', () => {
    expect(freePlace(spots, boxOf, [at(3, 0), at(3, 48)])).toBeNull();
  });
});
