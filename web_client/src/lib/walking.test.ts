/** Paths of figures on bases against the vectors that the server wrote. */
import { describe, expect, it } from 'vitest';
import written from '../../../tests/vectors/paths.json';
import { toMil } from './geometry';
import { obstaclesOf, type Surroundings } from './obstacles.fixture';
import { crossed, largestGap, pathCost, type Ground } from './paths';
import { walkFault } from './walking';

type At = [number, number];
interface Piece extends Ground {
  number: number;
}
interface Vector {
  case: Surroundings & {
    path: At[];
    radius: number;
    ground: Piece[];
    /** The percent that ground elsewhere costs. */
    plain: number;
    centres: At[];
    radii: number[];
    gap_limit: number;
  };
  answers: {
    cost: number;
    crossed: string[];
    fault: { kind: string; at: At; segment: number; what: string } | null;
    largest_gap: number;
    cohesive: boolean;
  };
}

const vectors = written as unknown as Vector[];

describe('paths as the server judges them', () => {
  it('has vectors to run', () => expect(vectors.length).toBeGreaterThan(100));

  it.each(vectors.map((vector) => [vector.case.name, vector] as const))('%s', (_, { case: given, answers }) => {
    const ground = given.ground.map((piece) => [piece, piece.number] as const);
    const { path, radius } = given;
    const widest = largestGap(given.centres.map((at, i) => ({ at, radius: given.radii[i]! })));

    expect(toMil(pathCost(path, ground, given.plain))).toBe(answers.cost);
    expect(crossed(path, given.ground)).toEqual(answers.crossed);
    expect(walkFault(path, radius, obstaclesOf(given))).toEqual(answers.fault);
    expect(widest).toBe(answers.largest_gap);
    expect(widest <= given.gap_limit).toBe(answers.cohesive);
  });
});
