import { describe, expect, it } from 'vitest';
import { VIEW } from '../../lib/link.fixture';
import type { ClockView, View } from '../../lib/protocol';
import { UpTime } from '../session/uptime';
import { byWhen, face, longFace, readClocks, stateWords, Warnings } from './clocks';

const CLOCK: ClockView = {
  terms: { kind: 'live', bank: 60, increment: 5, allowance: 20, at_zero: 'default' },
  at: 1_000,
  remaining: { b: 60_000, r: 31_000 },
  allowance: { b: 20_000, r: 20_000 },
  away: [],
  paused: false,
  up: [],
};

/** A view with this clock, in which these seats are asked. */
function asked(seats: readonly string[], clock: Partial<ClockView> = {}): View {
  const each = Object.entries(VIEW.seats).map(([seat, is]) => [seat, { ...is, asked: seats.includes(seat) }]);
  return { ...VIEW, seats: Object.fromEntries(each) as View['seats'], clock: { ...CLOCK, ...clock } };
}
const left = (view: View, up: number | null): number[] => readClocks(view, up).map((each) => each.remaining);

describe('clocks at a moment', () => {
  it('run for the seats that are asked and have not answered', () => {
    expect(left(asked(['b']), 6_000)).toEqual([55_000, 31_000]);
    expect(left(asked(['b', 'r']), 6_000)).toEqual([55_000, 26_000]);
    const sealed = asked(['b', 'r']);
    sealed.seats.b = { ...sealed.seats.b!, sealed: true };
    expect(left(sealed, 6_000)).toEqual([60_000, 26_000]);
    expect(left(asked([]), 6_000)).toEqual([60_000, 31_000]);
  });

  it('stand still while paused, at the end, and where the moment is not known', () => {
    expect(left(asked(['b'], { paused: true }), 6_000)).toEqual([60_000, 31_000]);
    const over = { ...asked(['b']), result: { winner: '', reason: '', rule: '', how: 'rules' as const } };
    expect(left(over, 6_000)).toEqual([60_000, 31_000]);
    expect(left(asked(['b']), null)).toEqual([60_000, 31_000]);
    expect(left(asked(['b']), 500)).toEqual([60_000, 31_000]);
  });

  it('use up the allowance of a disconnected player before their time', () => {
    const view = asked(['b'], { away: ['b', 'r'] });
    const at = (up: number) => readClocks(view, up).map(({ remaining, allowance }) => [remaining, allowance]);
    expect(at(16_000)).toEqual([
      [60_000, 5_000],
      [31_000, 20_000],
    ]);
    expect(at(31_000)[0]).toEqual([50_000, 0]);
    expect(at(999_000)[0]).toEqual([0, 0]);
  });

  it('end at zero, but not while a disconnected player has allowance left', () => {
    const outs = (view: View, up: number) => readClocks(view, up).map((each) => each.out);
    expect(outs(asked(['b']), 60_999)).toEqual([false, false]);
    expect(outs(asked(['b']), 61_000)).toEqual([true, false]);
    expect(outs(asked(['b'], { remaining: { b: 0, r: 9 }, away: ['b'] }), 20_999)).toEqual([false, false]);
    expect(outs(asked(['b'], { remaining: { b: 0, r: 9 }, away: ['b'] }), 21_000)).toEqual([true, false]);
    expect(outs(asked([], { up: ['r'] }), 0)).toEqual([false, true]);
  });

  it('are not there without a clock, or for a seat without one', () => {
    expect(readClocks(VIEW, 5)).toEqual([]);
    expect(readClocks(asked([], { remaining: { r: 5 } }), 5).map((each) => each.seat)).toEqual(['r']);
  });
});

describe('a clock in words', () => {
  it('shows a live one to the second', () => {
    expect([0, 1, 1_000, 9_001, 59_000, 60_000, 725_000, 3_725_000].map(face)).toEqual([
      '0:00',
      '0:01',
      '0:01',
      '0:10',
      '0:59',
      '1:00',
      '12:05',
      '1:02:05',
    ]);
  });

  it('shows a long one in its two largest units', () => {
    const hour = 3_600_000;
    expect([51 * hour, 48 * hour, 3.4 * hour, 2 * hour, 0.2 * hour, 45_000, 0].map(longFace)).toEqual([
      '2 d 3 h',
      '2 d',
      '3 h 24 min',
      '2 h',
      '12 min',
      '45 s',
      '0 s',
    ]);
  });

  it('says by when, in the time of this machine', () => {
    const now = new Date(2026, 2, 6, 12, 0).getTime();
    const hour = 3_600_000;
    expect(byWhen(2 * hour, now)).toBe('by 14:00');
    expect(byWhen(50 * hour, now)).toBe('by Sun 14:00');
    expect(byWhen(24 * 20 * hour, now)).toBe('by 26 Mar 12:00');
  });

  it('says how it is, not by colour alone', () => {
    const words = (view: View, up: number) =>
      readClocks(view, up).map((each) => stateWords(each, 'live', view.clock?.paused ?? false));
    expect(words(asked(['b']), 1_000)).toEqual(['runs', '']);
    expect(words(asked(['b'], { paused: true }), 1_000)).toEqual(['paused', 'paused']);
    expect(words(asked(['b'], { away: ['b', 'r'] }), 1_000)).toEqual(['away, 0:20 to come back', 'away']);
    expect(words(asked(['b'], { away: ['b'] }), 30_000)).toEqual(['away, time runs', '']);
    expect(words(asked(['b']), 90_000)).toEqual(['time is up', '']);
  });

  it('warns once for each stage, and again once there was time again', () => {
    const warnings = new Warnings();
    const at = (seats: string[], up: number, clock: Partial<ClockView> = {}) =>
      warnings.hear(readClocks(asked(seats, clock), up)).map(({ seat, low }) => `${seat}${low}`);
    expect(at(['b'], 1_000)).toEqual([]);
    expect(at(['b'], 31_000)).toEqual(['b1']);
    expect(at(['b'], 32_000)).toEqual([]);
    expect(at(['r'], 22_000)).toEqual(['r2']);
    expect(at(['b'], 51_000)).toEqual(['b2']);
    expect(at(['b'], 61_000)).toEqual(['b3']);
    expect(at(['b'], 1_000)).toEqual([]);
    expect(at(['b'], 31_000)).toEqual(['b1']);
    // One that is low and stands is told of when it begins to run.
    expect(new Warnings().hear(readClocks(asked([], { remaining: { b: 9_000, r: 60_000 } }), 1_000))).toEqual([]);
  });
});

describe('the up-time', () => {
  it('goes on with this machine, from what came quickest', () => {
    let local = 100;
    const up = new UpTime(() => local);
    expect(up.now).toBeNull();
    up.begin(5_000);
    local = 200;
    expect(up.now).toBe(5_100);
    up.hear(5_040); // was 60 ms on its way
    expect(up.now).toBe(5_100);
    up.hear(5_130);
    expect(up.now).toBe(5_130);
    up.passed(5_120);
    expect(up.now).toBe(5_130);
    up.passed(5_200);
    expect(up.now).toBe(5_200);
  });

  it('is told anew where it stood still, and stands while the link is lost', () => {
    let local = 0;
    const up = new UpTime(() => local);
    up.begin(5_000);
    local = 10_000;
    up.hear(7_000);
    expect(up.now).toBe(7_000);
    up.stop();
    local = 20_000;
    expect(up.now).toBe(7_000);
    expect(up.running).toBe(false);
    up.begin(9_000);
    expect([up.now, up.running]).toEqual([9_000, true]);
  });
});
