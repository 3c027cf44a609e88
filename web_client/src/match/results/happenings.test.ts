import { describe, expect, it } from 'vitest';
import type { Die, Story } from '../../lib/protocol';
import type { Entry } from '../session/story';
import { happenings } from './happenings';

const die: Die = [6, 4, 'hit'];
const line = (seq: number, kind: string, text: string, more: Partial<Story> = {}): Entry => ({
  key: `${seq}.${text}`,
  seq,
  story: { kind, text, ...more },
  arrived: 0,
});
const SHOT = [
  line(3, 'turn', 'A activates.', { units: ['a'] }),
  line(4, 'fire', 'A shoots at B.', { units: ['a', 'b'], side: 'blue' }),
  line(4, 'fire', 'Fire Effect 5: 1 hit.', { dice: [die] }),
];
const LOST = [line(5, 'loss', '1 figure of B falls.', { units: ['b'] }), line(5, 'morale', 'B is Under Fire.')];

describe('what happened', () => {
  it('joins a shot with what is decided after it', () => {
    const [shot] = happenings([...SHOT, ...LOST]);
    expect(shot).toMatchObject({
      first: 4,
      seq: 5,
      done: 'A shoots at B.',
      side: 'blue',
      dice: [die],
      outcomes: ['1 hit.', '1 figure of B falls.', 'B is Under Fire.'],
      strikes: [{ from: 'a', to: 'b', kind: 'fire' }],
    });
  });

  it('says what the dice said where nothing came of them', () => {
    expect(happenings(SHOT)[0]!.outcomes).toEqual(['1 hit.']);
  });

  it('tells a move and the shot after it apart, and a move once', () => {
    const moved = [
      line(6, 'move', 'C engages the enemy.', { units: ['c'] }),
      line(6, 'move', 'C moves up to 6".', { units: ['c'] }),
      line(7, 'fire', 'C shoots at B.', { units: ['c', 'b'] }),
    ];
    const found = happenings([...SHOT, ...LOST, ...moved]);
    expect(found.map(({ done }) => done)).toEqual(['A shoots at B.', 'C engages the enemy.', 'C shoots at B.']);
    expect(happenings([...SHOT, ...LOST, ...moved], 2).map(({ done }) => done)).toEqual([
      'C engages the enemy.',
      'C shoots at B.',
    ]);
  });

  it('leaves out chat, what was taken back, and lines about the desk', () => {
    const back = SHOT.map((entry) => ({ ...entry, undone: true }));
    expect(happenings([...back, line(8, 'chat', 'well'), line(9, 'seat', 'Bob takes Red.')])).toEqual([]);
  });
});
