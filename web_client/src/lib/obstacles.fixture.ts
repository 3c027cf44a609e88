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
  /** The units to which it comes no nearer; left out where there are none. */
  receding?: string[];
  /** Whether it gets to its end at once; left out where it does not. */
  jump?: boolean;
}

/** The obstacles of a case. */
export function obstaclesOf(written: Surroundings): Obstacles {
  const { table, barred, avoided, others, clear, over = false, receding = [], jump = false } = written;
  return { table, barred, avoided: avoided.map(read), others: others.map(read), clear, over, receding, jump };
}

function read({ unit, bases, hulls }: WrittenNeighbour): Neighbour {
  return { unit, bases: bases.map(([at, radius]) => ({ at, radius })), hulls };
}
