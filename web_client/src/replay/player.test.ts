import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { VIEW } from '../lib/link.fixture';
import type { ReplayFrame } from '../lib/protocol';
import { Player, SHOWN } from './player.svelte';
import { Timeline } from './timeline';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const frame = (seq: number, kind: string, turn = 1): ReplayFrame => ({
  seq,
  at: seq,
  turn,
  ...(kind ? { story: [{ kind, text: kind }] } : {}),
});

function playing(kinds: readonly string[], over = true) {
  const timeline = new Timeline(VIEW, 0);
  timeline.add(kinds.map((kind, i) => frame(i + 1, kind, i < 3 ? 1 : 2)));
  const state = { over };
  const player = new Player(
    () => timeline,
    () => state.over,
  );
  return { player, timeline, state };
}

describe('a player', () => {
  it('shows steps for a while, what was said for less, and hardly stays where nothing is told', () => {
    const { player } = playing(['move', 'chat', '', 'fire']);
    player.play();
    // So long the beginning and each of the first three frames are shown.
    for (const [place, shown] of [SHOWN.desk, SHOWN.step, SHOWN.desk, SHOWN.nothing].entries()) {
      vi.advanceTimersByTime(shown - 1);
      expect(player.place).toBe(place);
      vi.advanceTimersByTime(1);
    }
    expect(player.playing).toBe(false);
    expect(player.place).toBe(4);
  });

  it('goes faster and slower, at once', () => {
    const { player } = playing(['move', 'move', 'move']);
    player.go(1);
    player.play();
    player.setSpeed(8);
    vi.advanceTimersByTime(SHOWN.step / 8);
    expect(player.place).toBe(2);
    player.setSpeed(0.5);
    vi.advanceTimersByTime(SHOWN.step * 2 - 1);
    expect(player.place).toBe(2);
    vi.advanceTimersByTime(1);
    expect(player.place).toBe(3);
  });

  it('stops at a step by hand and at the end; played again it starts from the beginning', () => {
    const { player } = playing(['move', 'move', 'move', 'move']);
    player.play();
    player.step(1);
    expect([player.place, player.playing]).toEqual([1, false]);
    vi.advanceTimersByTime(10_000);
    expect(player.place).toBe(1);
    player.turn(1);
    expect(player.place).toBe(4);
    player.step(1);
    expect(player.place).toBe(4);
    player.toggle();
    expect([player.place, player.playing]).toEqual([0, true]);
    vi.advanceTimersByTime(10_000);
    expect([player.place, player.playing, player.following]).toEqual([4, false, false]);
    player.turn(-1);
    player.turn(-1);
    expect(player.place).toBe(0);
  });

  it('stays with a match that goes on, once it has come to its end', () => {
    const { player, timeline, state } = playing(['move', 'move'], false);
    player.play();
    vi.advanceTimersByTime(10_000);
    expect([player.place, player.following]).toEqual([2, true]);
    timeline.add([frame(3, 'fire'), frame(4, 'loss')]);
    player.grown();
    expect(player.place).toBe(4);
    expect(player.reached).toBe(Date.now());
    player.go(1);
    timeline.add([frame(5, 'fire')]);
    player.grown();
    expect([player.place, player.following]).toEqual([1, false]);
    player.toEnd();
    expect([player.place, player.following]).toEqual([5, true]);
    player.toggle();
    expect(player.following).toBe(false);
    // Once it is over there is nothing to stay with: it is played like any other.
    player.toEnd();
    state.over = true;
    player.toggle();
    expect([player.place, player.playing]).toEqual([0, true]);
  });

  it('does nothing before there is anything', () => {
    const player = new Player(
      () => null,
      () => false,
    );
    player.play();
    player.turn(1);
    player.step(1);
    vi.advanceTimersByTime(10_000);
    expect(player.place).toBe(0);
  });
});
