import { describe, expect, it } from 'vitest';
import { stop, threeSides } from '../lib/vehicles.fixture';
import { alongPath, nearestStop, Stopping } from './stopping.svelte';

const nothing = (): void => undefined;

function stopping(): Stopping {
  const parameter = stop();
  return new Stopping(parameter, () => threeSides(), nothing, parameter.suggested);
}

describe('a stop', () => {
  it('is told in thousandths of the way by its length', () => {
    const way: [number, number][] = [
      [0, 0],
      [3000, 0],
      [3000, 1000],
    ];
    expect(alongPath(way, 0)).toEqual({ at: [0, 0], facing: 0 });
    expect(alongPath(way, 500)).toEqual({ at: [2000, 0], facing: 0 });
    expect(alongPath(way, 1000)).toEqual({ at: [3000, 1000], facing: 9000 });
    expect(alongPath([[7, 8]], 400)).toEqual({ at: [7, 8], facing: null });
  });

  it('jumps over a gap in the direction in which it is slid', () => {
    const part = stopping();
    expect(part.at).toBe(300);
    part.slide(405);
    expect(part.at).toBe(600);
    part.slide(595);
    expect(part.at).toBe(400);
    part.slide(100);
    expect(part.at).toBe(200);
    expect(nearestStop([[200, 400]], 900, 1)).toBe(400);
  });

  it('moves all figures of the unit, each on its own way', () => {
    const part = stopping();
    part.slide(1000);
    const [first] = part.figures;
    expect(first!.at).toEqual(stop().paths['f1']!.at(-1));
    expect(part.value).toEqual({ type: 'stop', at: 1000 });
    expect(part.faults).toEqual([]);
  });

  it('comes as near to the pointer as it may', () => {
    const part = stopping();
    part.towards('f1', stop().paths['f1']![2]!);
    expect(part.at).toBe(1000);
    part.towards('f1', [0, 47000]);
    expect(part.at).toBe(200);
  });
});
