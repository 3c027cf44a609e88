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

  it('has not missed what happens live before the player’s eyes', () => {
    saw('m', 'blue', 7);
    const away = new Away('m', 'blue');
    expect(away.missed({ first: 8, live: false })).toBe(true);
    expect(away.missed({ first: 9, live: true })).toBe(false);
    away.back(9);
    expect(away.missed({ first: 9, live: true })).toBe(true);
    expect(away.missed({ first: 10, live: true })).toBe(false);
  });

  it('has missed what happened while the connection was lost', () => {
    const away = new Away('m', 'blue');
    away.lack(4, 4);
    expect(away.since).toBeNull();
    away.lack(4, 9);
    expect(away.missed({ first: 4, live: true })).toBe(false);
    expect(away.missed({ first: 5, live: true })).toBe(true);
    expect(away.missed({ first: 10, live: true })).toBe(false);
  });
});
