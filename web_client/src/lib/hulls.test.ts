/** The browser's hulls and their ways against the vectors that the server wrote. */
import { describe, expect, it } from 'vitest';
import written from '../../../tests/vectors/drives.json';
import { toMil } from './geometry';
import {
  baseToOutline,
  driveFaults,
  endPose,
  entered,
  hullOverlaps,
  outline,
  outlineToOutline,
  overlapsHull,
  type Hull,
} from './hulls';
import type { Ground } from './paths';

type At = [number, number];
interface Vector {
  case: {
    name: string;
    pose: { at: At; facing: number };
    path: At[];
    facing: number | null;
    hull: Hull;
    table: At;
    ground: Ground[];
    barred: Ground[];
    bases: [At, number][];
    hulls: At[][];
    clear: number;
    ends_off: [At, number][];
    blocked_hulls: At[][];
  };
  answers: {
    outline: At[];
    end: At[];
    fault: unknown;
    entered: string[];
    to_bases: number[];
    to_hulls: number[];
    under_bases: boolean[];
    overlaps: boolean;
  };
}

const vectors = written as unknown as Vector[];

describe('vehicles as the server judges them', () => {
  it('has vectors to run', () => expect(vectors.length).toBeGreaterThan(200));

  it.each(vectors.map((vector) => [vector.case.name, vector] as const))('%s', (_, { case: given, answers }) => {
    const { pose, path, facing, hull, table, barred, hulls, clear } = given;
    const bases = given.bases.map(([at, radius]) => ({ at, radius }));
    const endsOff = given.ends_off.map(([at, radius]) => ({ at, radius }));
    const stands = outline(pose, hull);
    const blockedHulls = given.blocked_hulls;
    const traffic = { table, barred, bases, hulls, clear, blockedHulls, endsOff };
    const fault = driveFaults(pose, path, facing, hull, traffic);

    expect(stands).toEqual(answers.outline);
    expect(outline(endPose(pose, path, facing), hull)).toEqual(answers.end);
    expect(fault && { piece: null, base: null, hull: null, ...fault }).toEqual(answers.fault);
    expect(entered(path, facing, hull, given.ground)).toEqual(answers.entered);
    expect(bases.map((base) => toMil(baseToOutline(base, stands)))).toEqual(answers.to_bases);
    expect(hulls.map((other) => toMil(outlineToOutline(stands, other)))).toEqual(answers.to_hulls);
    expect(bases.map((base) => overlapsHull(base, [stands]))).toEqual(answers.under_bases);
    expect(hullOverlaps(stands, [], hulls)).toBe(answers.overlaps);
  });
});
