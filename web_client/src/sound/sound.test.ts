import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RECIPES } from './recipes';
import { sound } from './sound.svelte';

/** What has been started, and how loud. */
let started: number[] = [];
let loudest = 0;

class Param {
  setValueAtTime(value: number): void {
    loudest = Math.max(loudest, value);
  }
  exponentialRampToValueAtTime(value: number): void {
    expect(value).toBeGreaterThan(0);
  }
}
class Frequency extends Param {
  override setValueAtTime(): void {
    // A pitch, and no loudness.
  }
}
class Source {
  type = '';
  buffer: unknown = null;
  readonly frequency = new Frequency();
  readonly gain = new Param();
  connect<T>(into: T): T {
    return into;
  }
  start(at: number): void {
    started.push(at);
  }
  stop(): void {
    // It ends by itself.
  }
}
class FakeContext {
  state = 'running';
  currentTime = 10;
  sampleRate = 8;
  destination = {};
  createGain = (): Source => new Source();
  createOscillator = (): Source => new Source();
  createBufferSource = (): Source => new Source();
  createBiquadFilter = (): Source => new Source();
  createBuffer = (): unknown => ({ getChannelData: () => new Float32Array(8) });
}

beforeEach(() => {
  [started, loudest] = [[], 0];
  vi.stubGlobal('AudioContext', FakeContext);
  vi.stubGlobal('OscillatorNode', Source);
});
afterEach(() => {
  sound.volume = 0;
  vi.unstubAllGlobals();
});

describe('sound', () => {
  it('is off until it is asked for', () => {
    sound.play('fire');
    expect(sound.volume).toBe(0);
    expect(started).toEqual([]);
  });

  it('plays every stroke at its time, as loud as it is set', () => {
    sound.volume = 0.5;
    sound.play('asked', 0.8);
    expect(started).toHaveLength(RECIPES.asked.length);
    expect(started[0]).toBeCloseTo(10.8);
    expect(started[1]).toBeCloseTo(10.8 + RECIPES.asked[1]!.at);
    expect(loudest).toBeCloseTo(0.5 * RECIPES.asked[0]!.loud);
  });

  it('is silent where the browser has none', () => {
    vi.stubGlobal('AudioContext', undefined);
    sound.volume = 1;
    expect(() => sound.play('dice')).not.toThrow();
    expect(started).toEqual([]);
  });
});
