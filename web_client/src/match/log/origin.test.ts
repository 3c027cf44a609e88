import { describe, expect, it } from 'vitest';
import { otherMatch } from './origin';

describe('where a match comes from', () => {
  it('names the match that it goes on from, and nothing that only looks like one', () => {
    expect(otherMatch('It goes on from step 12 of the match a-B_9.')).toBe('a-B_9');
    expect(otherMatch('It was begun from a position that a player set up.')).toBeNull();
    expect(otherMatch('')).toBeNull();
  });
});
