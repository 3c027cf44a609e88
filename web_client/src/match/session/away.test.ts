import { beforeEach, describe, expect, it } from 'vitest';
import { keep, seenKey } from '../../lib/storage';
import { Away, saw } from './away.svelte';

beforeEach(() => keep(seenKey('m', 'blue'), undefined));

describe('being away', () => {
  it('has missed nothing on a first visit', () => {
    const away = new Away('m', 'blue');
    expect(away.since).toBeNull();
    saw('m', 'blue', 7);
    expect(new Away('m', 'red').since).toBeNull();
    expect(new Away('m', 'blue').since).toBe(7);
  });

  it('counts from the last frame that was in sight', () => {
    const away = new Away('m', 'blue');
    saw('m', 'blue', 7);
    saw('m', 'blue', 5);
    expect(new Away('m', 'blue').since).toBe(7);
    away.back(12);
    expect(away.since).toBe(7);
    away.skip();
    saw('m', 'blue', 12);
    away.back(12);
    expect(away.since).toBeNull();
  });
});
