/** What the ground is where figures would stand, to be read before one goes there. */
import { contains, distanceToOutline, type Spot } from '../lib/geometry';
import type { TableView, TerrainView } from '../lib/protocol';

/** How near (mil) a figure's middle is to a wall or hedge that it stands at. */
const AT_A_LINE = 1000;

export interface Ground {
  readonly piece: TerrainView;
  /** How many of the figures stand in it, or at it if it is a line. */
  readonly figures: number;
}

/** The pieces in which or at which figures with their middles at `ends` would stand, where most of them would first. */
export function groundAt(ends: readonly Spot[], table: TableView): Ground[] {
  const found = table.terrain.map((piece) => ({ piece, figures: ends.filter((end) => stands(end, piece)).length }));
  return found
    .filter(({ figures, piece }) => figures > 0 && piece.notes.length > 0)
    .sort((a, b) => b.figures - a.figures);
}

const stands = (end: Spot, { linear, outline }: TerrainView): boolean =>
  linear ? distanceToOutline(end, outline, true) <= AT_A_LINE : contains(outline, end);
