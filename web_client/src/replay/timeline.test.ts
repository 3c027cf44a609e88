import { describe, expect, it } from 'vitest';
import { patchView } from '../lib/merge';
import type { ReplayFrame, View } from '../lib/protocol';
import { dice, frames, manyUnits } from './fixture';
import { Timeline } from './timeline';

const START = manyUnits(6);
const MATCH = frames(START, 1200);

/** The views at all places, the plain way. */
function sequentially(start: View, all: readonly ReplayFrame[]): View[] {
  const views = [start];
  for (const { patch } of all) views.push(patch ? patchView(views.at(-1)!, patch) : views.at(-1)!);
  return views;
}

function timeline(all: readonly ReplayFrame[] = MATCH, start = START, first = 0): Timeline {
  const made = new Timeline(start, first);
  made.add(all);
  return made;
}

const told = (seq: number, turn: number, more: Partial<ReplayFrame> = {}): ReplayFrame => ({
  seq,
  at: seq,
  turn,
  patch: { turn },
  story: [{ kind: 'move', text: `move ${seq}` }],
  ...more,
});

describe('a timeline', () => {
  const right = sequentially(START, MATCH);

  it.each([1, 2, 3, 4, 5])('gives the view at any place, whatever was looked at before (%i)', (seed) => {
    const roll = dice(seed);
    const line = timeline();
    for (let i = 0; i < 120; i++) {
      const place = roll(line.end + 1);
      const step = [place, place + 1, place - 1][i % 3]!;
      expect(line.at(place)).toEqual(right[place]);
      expect(line.at(step)).toEqual(right[Math.min(Math.max(step, 0), line.end)]);
    }
  });

  it('gives the same when its frames come in parts, some of them twice', () => {
    const line = new Timeline(START, 0);
    for (let from = 0; from < MATCH.length; from += 70) {
      line.add(MATCH.slice(Math.max(0, from - 10), from + 70));
      expect(line.at(line.end)).toEqual(right[line.end]);
      expect(line.at(line.end >> 1)).toEqual(right[line.end >> 1]);
    }
    expect(line.end).toBe(MATCH.length);
  });

  it('shares what has not changed', () => {
    const line = timeline();
    const moved = Object.keys(MATCH[500]!.patch?.units ?? {});
    const [before, after] = [line.at(500), line.at(501)];
    for (const [id, unit] of Object.entries(after.units)) {
      if (!moved.includes(id)) expect(unit).toBe(before.units[id]);
    }
    // Going back and forth makes no new objects either, past the next kept view.
    expect(line.at(0)).toBe(START);
    expect(line.at(512)).toBe(line.at(512));
  });

  it('gets anywhere fast', () => {
    const line = timeline();
    const roll = dice(7);
    const begun = performance.now();
    for (let i = 0; i < 200; i++) line.at(roll(line.end + 1));
    expect((performance.now() - begun) / 200).toBeLessThan(20);
  });

  it('stays within its ends', () => {
    const line = timeline();
    expect(line.at(-5)).toBe(START);
    expect(line.at(9_999)).toEqual(right.at(-1));
    expect(line.at(Number.NaN)).toBe(START);
    expect(new Timeline(START, 4).at(3)).toBe(START);
  });
});

describe('numbers of frames', () => {
  const line = timeline([told(7, 0), told(8, 1), told(11, 1)], START, 5);

  it('lead to places and back', () => {
    expect([5, 7, 8, 11].map((number) => line.placeOf(number))).toEqual([0, 1, 2, 3]);
    expect([0, 1, 2, 3, 9].map((place) => line.numberAt(place))).toEqual([5, 7, 8, 11, 11]);
  });

  it('that are not there lead to the one before', () => {
    expect([0, 6, 9, 99].map((number) => line.placeOf(number))).toEqual([0, 0, 2, 3]);
  });
});

describe('moments', () => {
  it('lead to the place after all that had happened by then', () => {
    const line = timeline([told(1, 0), told(2, 0), told(3, 1)].map((frame, i) => ({ ...frame, at: [10, 20, 20][i]! })));
    expect([9, 10, 15, 20, 99].map((at) => line.placeBy(at))).toEqual([0, 1, 1, 3, 3]);
  });
});

describe('turns', () => {
  it('begin with their first frame, and are gone through one by one', () => {
    const line = timeline([told(1, 0), told(2, 1), told(3, 1), told(4, 2), told(5, 2)]);
    expect(line.turns).toEqual([
      { turn: 1, place: 2 },
      { turn: 2, place: 4 },
    ]);
    expect([0, 2, 3, 4, 5].map((place) => line.nextTurn(place))).toEqual([2, 4, 4, 5, 5]);
    expect([0, 1, 2, 3, 4, 5].map((place) => line.previousTurn(place))).toEqual([0, 0, 0, 2, 2, 4]);
  });
});

describe('how play began', () => {
  const brought = { units: { u0: { figures: { u0f0: null } } } };

  it('is known once forces are brought and the first turn begins', () => {
    const line = timeline([told(1, 0, { patch: brought }), told(2, 1), told(3, 1, { patch: { title: 'Later' } })]);
    expect([Object.keys(line.begun!.units.u0!.figures).length, line.begun!.title]).toEqual([9, START.title]);
  });

  it('is known at once where a match goes on from a turn, and never where it ended before its first one', () => {
    expect(timeline([told(1, 3)], { ...START, turn: 3 }).begun!.turn).toBe(3);
    expect(timeline([told(1, 0)]).begun).toBeNull();
  });
});

describe('what was taken back', () => {
  const back = (seq: number, turn: number, to: number): ReplayFrame =>
    told(seq, turn, { back: to, story: [{ kind: 'back', text: 'Taken back' }] });
  const chat = (seq: number, turn: number): ReplayFrame => told(seq, turn, { story: [{ kind: 'chat', text: 'oh' }] });

  it('is marked, but not what was said meanwhile', () => {
    const line = timeline([told(1, 1), told(2, 1), chat(3, 1), told(4, 1), back(5, 1, 1), told(6, 1)]);
    expect(line.undone).toEqual([
      [2, 2],
      [4, 4],
    ]);
    expect([1, 2, 3, 4, 5, 6].map((place) => line.undoneBy(place))).toEqual([null, 5, null, 5, null, null]);
  });

  it('is marked once where something earlier is taken back later', () => {
    const line = timeline([told(1, 1), told(2, 1), back(3, 1, 1), told(4, 1), back(5, 1, 0)]);
    expect([1, 2, 3, 4, 5].map((place) => line.undoneBy(place))).toEqual([5, 3, null, 5, null]);
  });

  it('gives a turn that was begun again its second beginning', () => {
    const line = timeline([told(1, 1), told(2, 2), told(3, 2), back(4, 1, 1), told(5, 1), told(6, 2)]);
    expect(line.turns).toEqual([
      { turn: 1, place: 1 },
      { turn: 2, place: 6 },
    ]);
  });
});
