import { describe, expect, it } from 'vitest';
import { manySides } from '../lib/views.fixture';
import { points, sideColour, signCorners } from './sides';

describe('the sides of a match', () => {
  it('have a colour and a shape each', () => {
    const view = manySides({}, true);
    const sides = Object.keys(view.sides);
    expect(new Set(sides.map((side) => sideColour(view, side))).size).toBe(4);
    const shapes = sides.map((side) => signCorners(view.sides[side]!.shape));
    expect(new Set(shapes.map((corners) => (corners ? points(corners) : 'disc'))).size).toBe(4);
  });
});
