/** How far a vehicle that is asked for its action comes with each of them, before one is taken: over open ground, and not
 * with those that take it anywhere. */
import type { Spot } from '../lib/geometry';
import type { Prompt, View } from '../lib/protocol';
import { vehicle } from './world';

export interface Reach {
  /** The middle of the vehicle's hull. */
  readonly at: Spot;
  /** How far that may go over open ground, in mil. */
  readonly radius: number;
  /** The labels of the choices that let it drive so far, in their order. */
  readonly choices: readonly string[];
  /** Where the label stands, on the circle; null if no such place is on the table. */
  readonly label: Spot | null;
}

/** Where a label is looked for on the circle: degrees in the order in which they are tried, up first. */
const ANGLES = [90, 60, 120, 30, 150, 270, 240, 300, 0, 180, 210, 330];
/** How far a label stays from the table's edge in mil: half of it above and below, twice as much at its ends. */
const MARGIN = 1500;

/** The reaches of the choices of `prompt`, the nearest first; none if it is not a vehicle's, or if nothing lets it drive. */
export function reaches(prompt: Prompt | null, view: View, width: number, height: number): Reach[] {
  const driver = prompt ? vehicle(view.units[prompt.unit]) : null;
  if (!prompt || !driver) return [];
  const named = new Map<number, string[]>();
  for (const { label, why, parameters } of prompt.choices) {
    const way = parameters[0];
    if (why || way?.type !== 'path' || way.unit !== prompt.unit || way.allowance <= 0) continue;
    if (way.jump && way.allowance >= Math.hypot(width, height)) continue;
    const far = (100 * way.allowance) / way.ground;
    named.set(far, [...(named.get(far) ?? []), label]);
  }
  return [...named]
    .sort(([a], [b]) => a - b)
    .map(([radius, choices]) => ({ at: driver.at, radius, choices, label: place(driver.at, radius, width, height) }));
}

/** The first place on a circle that lies on the table, and far enough from its edge for a line of text. */
function place([x, y]: Spot, radius: number, width: number, height: number): Spot | null {
  for (const angle of ANGLES) {
    const turn = (angle / 180) * Math.PI;
    const [px, py] = [x + radius * Math.cos(turn), y + radius * Math.sin(turn)];
    if (px >= 2 * MARGIN && px <= width - 2 * MARGIN && py >= MARGIN / 2 && py <= height - MARGIN) return [px, py];
  }
  return null;
}
