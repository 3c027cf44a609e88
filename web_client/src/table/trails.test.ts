import { describe, expect, it } from 'vitest';
import type { Story, Trail } from '../lib/protocol';
import { newestTrails } from './trails';

const declared: Trail = {
  unit: 'blue-1',
  ways: {
    '1': [
      [0, 0],
      [0, 8000],
    ],
  },
  declared: true,
};
const gone: Trail = {
  unit: 'blue-1',
  ways: {
    '1': [
      [0, 0],
      [0, 5000],
    ],
  },
};
const line = (kind: string, trail?: Trail) => ({ kind, text: '', ...(trail ? { trail } : {}) }) as Story;

describe('the trails of the newest move', () => {
  it('are what was declared and what was gone, with the dice between them', () => {
    const lines = [line('turn'), line('move', declared), line('roll'), line('move', gone), line('chat')];
    expect(newestTrails(lines)).toEqual([declared, gone]);
  });

  it('are those of the last of two moves', () => {
    const other: Trail = { ...declared, unit: 'red-1' };
    expect(newestTrails([line('move', declared), line('move', gone), line('move', other)])).toEqual([other]);
    expect(newestTrails([line('move', declared), line('move', declared), line('move', gone)])).toEqual([
      declared,
      gone,
    ]);
  });

  it('are gone when another unit activates', () => {
    expect(newestTrails([line('move', declared), line('move', gone), line('turn')])).toEqual([]);
    expect(newestTrails([])).toEqual([]);
  });
});
