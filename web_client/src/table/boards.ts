/** How a move comes to the vehicles that its unit may get into, while it is drawn. */
import type { View } from '../lib/protocol';
import type { March } from './march.svelte';
import { distanceBetween, vehicle } from './world';

export interface Boarding {
  readonly vehicle: string;
  /** How many figures of how many would end near enough, and how near that is, in mil. */
  readonly near: number;
  readonly all: number;
  readonly reach: number;
}

/** The vehicles to which some figures would come near enough. */
export function boardings({ parameter, tracks }: Pick<March, 'parameter' | 'tracks'>, view: View): Boarding[] {
  return parameter.boards.flatMap(([id, reach]) => {
    const carrier = vehicle(view.units[id]);
    if (!carrier) return [];
    const near = tracks.filter(({ figure, points }) => {
      const end = { at: points.at(-1)!, radius: figure.radius, hull: null, facing: 0 };
      return distanceBetween(end, carrier) <= reach;
    }).length;
    return near > 0 ? [{ vehicle: id, near, all: tracks.length, reach }] : [];
  });
}
