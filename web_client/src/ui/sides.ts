/** How sides are told apart on the table: by colour, by shape and by letter, never by colour alone. */
import { colourAt } from '../lib/colours';
import type { View } from '../lib/protocol';

/** It stands on a corner: on a side it would look like a disc from afar. */
const HEXAGON: readonly (readonly [number, number])[] = Array.from({ length: 6 }, (_, i) => {
  const angle = Math.PI / 2 + (i * Math.PI) / 3;
  return [Math.cos(angle) * 0.92, Math.sin(angle) * 0.92] as const;
});

/** Which of the side colours (`--side-0` to `--side-3`) a side has. */
export function sideColour(view: View, side: string): string {
  return colourAt(Math.max(0, Object.keys(view.sides).indexOf(side)));
}

/** The corners of a side's sign, for a base of radius 1 round the origin; null for a disc. */
export function signCorners(shape: string): readonly (readonly [number, number])[] | null {
  switch (shape) {
    case 'square':
      return [
        [-0.64, -0.64],
        [0.64, -0.64],
        [0.64, 0.64],
        [-0.64, 0.64],
      ];
    case 'triangle':
      return [
        [0, 0.9],
        [0.8, -0.5],
        [-0.8, -0.5],
      ];
    case 'diamond':
      return [
        [0, 0.92],
        [0.92, 0],
        [0, -0.92],
        [-0.92, 0],
      ];
    case 'hexagon':
      return HEXAGON;
    default:
      return null;
  }
}

/** How large a side's sign is drawn where it stands alone, so that all shapes seem equally large. */
export const signScale = (shape: string): number => (shape === 'square' ? 16.5 : 12.5);

/** Corners as the `points` of a polygon, `scale` times as large. */
export function points(corners: readonly (readonly [number, number])[], scale = 1): string {
  return corners.map(([x, y]) => `${x * scale},${y * scale}`).join(' ');
}

/** A star with five points, of radius 1 round the origin. */
export const STAR: readonly (readonly [number, number])[] = Array.from({ length: 10 }, (_, i) => {
  const angle = Math.PI / 2 + (i * Math.PI) / 5;
  const radius = i % 2 === 0 ? 1 : 0.42;
  return [Math.cos(angle) * radius, Math.sin(angle) * radius] as const;
});
