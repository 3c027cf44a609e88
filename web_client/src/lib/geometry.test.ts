/** The browser's geometry against the vectors that the server's geometry wrote. */
import { describe, expect, it } from 'vitest';
import written from '../../../tests/vectors/paths.json';
import { toMil } from './geometry';
import { crossed, largestGap, pathCost, pathFaults, type Ground } from './paths';

type At = [number, number];
interface Piece extends Ground {
  number: number;
}
interface Vector {
  case: {
    name: string;
    path: At[];
    radius: number;
    table: At;
    ground: Piece[];
    impassable: Piece[];
    blocked: [At, number][];
    hulls: At[][];
    clear: number;
    blocked_hulls: At[][];
    centres: At[];
    radii: number[];
    gap_limit: number;
  };
  answers: {
    cost: number;
    crossed: string[];
    fault: {
      kind: string;
      at: At;
      segment: number;
      piece: string | null;
      base: number | null;
      hull: number | null;
    } | null;
    largest_gap: number;
    cohesive: boolean;
  };
}

const vectors = written as unknown as Vector[];

describe('paths as the server judges them', () => {
  it('has vectors to run', () => expect(vectors.length).toBeGreaterThan(100));

  it.each(vectors.map((vector) => [vector.case.name, vector] as const))('%s', (_, { case: given, answers }) => {
    const ground = given.ground.map((piece) => [piece, piece.number] as const);
    const blocked = given.blocked.map(([at, radius]) => ({ at, radius }));
    const { path, radius, table, impassable, hulls, clear, blocked_hulls } = given;
    const fault = pathFaults(path, radius, table, impassable, blocked, hulls, clear, blocked_hulls);
    const widest = largestGap(given.centres.map((at, i) => ({ at, radius: given.radii[i]! })));

    expect(toMil(pathCost(given.path, ground))).toBe(answers.cost);
    expect(crossed(path, given.ground)).toEqual(answers.crossed);
    expect(fault && { piece: null, base: null, hull: null, ...fault }).toEqual(answers.fault);
    expect(widest).toBe(answers.largest_gap);
    expect(widest <= given.gap_limit).toBe(answers.cohesive);
  });
});
