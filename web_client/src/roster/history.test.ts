import { describe, expect, it } from 'vitest';
import type { RosterLine } from '../lib/protocol';
import { byBattle } from './history';

const line = (text: string, fixture: number, unit = -1, match = ''): RosterLine => ({
  at: 1,
  text,
  fixture,
  unit,
  match,
});
const LINES = [
  line('Battle 1: won.', 1, -1, 'm1'),
  line('Rifles loses 2.', 1, 0, 'm1'),
  line('2 reinforcements come.', 1),
  line('Battle 2: lost.', 4, -1, 'm2'),
  line('Tank is damaged.', 4, 1, 'm2'),
];

describe('the history of a force', () => {
  it('tells the latest battle first, and each in its order', () => {
    const battles = byBattle(LINES, -1);
    expect(battles.map(({ headline }) => headline)).toEqual(['Battle 2: lost.', 'Battle 1: won.']);
    expect(battles[1]?.lines.map(({ line: { text } }) => text)).toEqual(['Rifles loses 2.', '2 reinforcements come.']);
    expect(battles[1]?.lines.map(({ place }) => place)).toEqual([1, 2]);
  });
  it('tells of one unit only the battles in which something happened to it', () => {
    expect(byBattle(LINES, 0).map(({ match }) => match)).toEqual(['m1']);
  });
  it('keeps lines whose battle was cut off', () => {
    const [cut] = byBattle(LINES.slice(1, 3), -1);
    expect(cut?.headline).toBe('An earlier battle');
    expect(cut?.lines).toHaveLength(2);
  });
});
