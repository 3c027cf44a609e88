import { describe, expect, it } from 'vitest';
import type { Happening } from './happenings';
import { soundsOf } from './sounds';

const happening = (more: Partial<Happening>): Happening => ({
  first: 1,
  seq: 1,
  key: '1.0',
  done: '',
  kind: 'fire',
  side: '',
  dice: [],
  outcomes: [],
  lost: false,
  strikes: [],
  arrived: 1,
  ...more,
});

describe('what one hears', () => {
  it('is the action, then its dice, then what fell', () => {
    const names = soundsOf(happening({ dice: [[6, 3, '']], lost: true })).map(({ name }) => name);
    expect(names).toEqual(['fire', 'dice', 'loss']);
  });

  it('is nothing of a line that only tells how one stands', () => {
    expect(soundsOf(happening({ kind: 'morale' }))).toEqual([]);
    expect(soundsOf(happening({ kind: 'move' }))).toEqual([{ name: 'move', after: 0 }]);
  });
});
