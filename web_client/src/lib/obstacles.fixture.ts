/** What may be in the way in the vectors that the server wrote, as the browser has it. */
import type { Border, Spot } from './geometry';
import type { Neighbour, Obstacles } from './obstacles';
import type { Ground } from './paths';

interface WrittenNeighbour {
  unit: string;
  bases: [Spot, number][];
  hulls: Border[];
}

/** What every case of the vectors has. */
export interface Surroundings {
  name: string;
  table: [number, number];
  barred: Ground[];
  avoided: WrittenNeighbour[];
  others: WrittenNeighbour[];
  clear: number;
  /** Whether the path leads over everything; left out where it does not. */
  over?: boolean;
}

/** The obstacles of a case. */
export function obstaclesOf({ table, barred, avoided, others, clear, over = false }: Surroundings): Obstacles {
  return { table, barred, avoided: avoided.map(read), others: others.map(read), clear, over };
}

function read({ unit, bases, hulls }: WrittenNeighbour): Neighbour {
  return { unit, bases: bases.map(([at, radius]) => ({ at, radius })), hulls };
}
