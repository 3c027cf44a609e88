/** The border of a weapon's arc: as far as it reaches from the hull's edge, within its arc from the middle. */
import type { Spot } from '../lib/geometry';
import { ALL_ROUND, type Hull } from '../lib/hulls';

const STEP = 300; // hundredths of a degree from point to point

/** A closed polygon; an arc that is not all round begins and ends in the hull's middle. */
export function arcBorder(at: Spot, facing: number, hull: Hull, middle: number, spread: number, reach: number): Spot[] {
  const wide = Math.min(ALL_ROUND, spread);
  const count = Math.max(2, Math.ceil((2 * wide) / STEP));
  const border: Spot[] = wide < ALL_ROUND ? [at] : [];
  for (let i = 0; i <= count; i++) {
    const turn = middle - wide + (2 * wide * i) / count;
    const far = reachAlong(hull, turn, reach);
    const angle = (((turn + facing) / 100) * Math.PI) / 180;
    border.push([at[0] + far * Math.cos(angle), at[1] + far * Math.sin(angle)]);
  }
  return border;
}

/** How far from the middle, in a direction counted from the facing, one is `reach` away from the hull's edge. */
export function reachAlong(hull: Hull, turn: number, reach: number): number {
  const angle = ((turn / 100) * Math.PI) / 180;
  const [ux, uy] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))];
  const [x, y] = [hull.length / 2, hull.width / 2];
  let low = 0;
  let high = reach + x + y;
  for (let i = 0; i < 24; i++) {
    const far = (low + high) / 2;
    const dx = Math.max(0, ux * far - x);
    const dy = Math.max(0, uy * far - y);
    if (Math.sqrt(dx * dx + dy * dy) <= reach) low = far;
    else high = far;
  }
  return low;
}
