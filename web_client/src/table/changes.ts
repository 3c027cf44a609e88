/** What a frame changed on the table: where figures fell, and which stand elsewhere now. */
import type { Point, View } from '../lib/protocol';

/** A figure that moved: from where, and to where. */
export interface Step {
  unit: string;
  from: Point;
  to: Point;
}

export interface Changes {
  /** The frame. */
  seq: number;
  /** Where figures fell, by unit. */
  fallen: ReadonlyMap<string, readonly Point[]>;
  steps: readonly Step[];
}

/** What is different on the table; null: nothing is. Figures that come onto it or get into a vehicle have no way. */
export function changes(before: View, after: View, seq: number): Changes | null {
  const fallen = new Map<string, Point[]>();
  const steps: Step[] = [];
  if (before.units === after.units) return null;
  for (const [id, unit] of Object.entries(after.units)) {
    const was = before.units[id];
    if (!was || was === unit) continue;
    for (const [key, figure] of Object.entries(unit.figures)) {
      const old = was.figures[key];
      if (!old || old === figure || !old.at || old.fallen) continue;
      if (figure.fallen) fallen.set(id, [...(fallen.get(id) ?? []), old.at]);
      else if (figure.at && (figure.at[0] !== old.at[0] || figure.at[1] !== old.at[1]))
        steps.push({ unit: id, from: old.at, to: figure.at });
    }
  }
  return fallen.size + steps.length > 0 ? { seq, fallen, steps } : null;
}

/** A shot or a charge: from the unit that acted to its target. */
export interface Strike {
  from: string;
  to: string;
  kind: 'fire' | 'assault';
}

/** The last action as the table shows it. */
export interface Marks {
  /** The frame of its last line, so that what falls anew is drawn anew. */
  seq: number;
  strikes: readonly Strike[];
  changes: Changes | null;
}
