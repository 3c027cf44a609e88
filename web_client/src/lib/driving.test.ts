/** The browser's hulls and their ways against the vectors that the server wrote. */
import { describe, expect, it } from 'vitest';
import written from '../../../tests/vectors/drives.json';
import { driveFault, endPose, entered } from './driving';
import { toMil } from './geometry';
import { baseToOutline, hullOverlaps, outline, outlineToOutline, overlapsHull, type Hull } from './hulls';
import { basesOf, hullsOf } from './obstacles';
import { obstaclesOf, type Surroundings } from './obstacles.fixture';
import type { Ground } from './paths';

type At = [number, number];
interface Vector {
  case: Surroundings & {
    pose: { at: At; facing: number };
    path: At[];
    facing: number | null;
    hull: Hull;
    ground: Ground[];
  };
  answers: {
    outline: At[];
    end: At[];
    fault: { kind: string; at: At; segment: number; what: string } | null;
    entered: string[];
    to_bases: number[];
    to_hulls: number[];
    over_bases: boolean[];
    over_hulls: boolean[];
  };
}

const vectors = written as unknown as Vector[];

describe('vehicles as the server judges them', () => {
  it('has vectors to run', () => expect(vectors.length).toBeGreaterThan(200));

  it.each(vectors.map((vector) => [vector.case.name, vector] as const))('%s', (_, { case: given, answers }) => {
    const { pose, path, facing, hull } = given;
    const obstacles = obstaclesOf(given);
    const [bases, hulls] = [basesOf(obstacles), hullsOf(obstacles)];
    const stands = outline(pose, hull);

    expect(stands).toEqual(answers.outline);
    expect(outline(endPose(pose, path, facing), hull)).toEqual(answers.end);
    expect(driveFault(pose, path, facing, hull, obstacles)).toEqual(answers.fault);
    expect(entered(path, facing, hull, given.ground)).toEqual(answers.entered);
    expect(bases.map((base) => toMil(baseToOutline(base, stands)))).toEqual(answers.to_bases);
    expect(hulls.map((other) => toMil(outlineToOutline(stands, other)))).toEqual(answers.to_hulls);
    expect(bases.map((base) => overlapsHull(base, [stands]))).toEqual(answers.over_bases);
    expect(hulls.map((other) => hullOverlaps(stands, [], [other]))).toEqual(answers.over_hulls);
  });
});
