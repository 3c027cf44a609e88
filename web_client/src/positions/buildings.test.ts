import { describe, expect, it } from 'vitest';
import { carried } from './buildings';
import { addCorner, duplicatePiece, pieceOf, putCorner, removePiece, shiftOutline, spinOutline } from './edit';
import { newSetup, type Piece, type Place, type Setup } from './setup';

const ROOM: readonly Place[] = [
  [10, 10],
  [20, 10],
  [20, 16],
  [10, 16],
];
const HOUSE = { kind: 'terrain', id: 'inn' } as const;

/** A house as a scenario has it, with a door in the lower wall and a window in the right one. */
function written(): Setup {
  const openings = [
    { kind: 'door', at: [14, 10], width: 2 },
    { kind: 'window', at: [20, 13], width: 1.5 },
  ] as const;
  return { ...newSetup('fad5', 'Inn'), terrain: [{ id: 'inn', kind: 'house', name: 'Inn', outline: ROOM, openings }] };
}

/** A house as a saved position has it: each wall and opening is a piece. */
function saved(): Setup {
  const part = (id: string, x: number, width: number): Piece => ({
    id,
    kind: id.includes('wall') ? 'house_wall' : 'door',
    outline: [
      [x, 10],
      [x + width, 10],
      [x + width, 10.25],
      [x, 10.25],
    ],
  });
  const parts = [part('inn.wall-1', 10, 3), part('inn.opening-1', 13, 2)];
  return { ...newSetup('fad5', 'Inn'), terrain: [{ id: 'inn', kind: 'house', outline: ROOM }, ...parts] };
}

const openings = (setup: Setup, id = 'inn') => pieceOf(setup, id)?.openings?.map(({ at }) => at);
const outline = (setup: Setup, id: string) => pieceOf(setup, id)?.outline;

describe('a house', () => {
  it('takes its openings along when it is moved', () => {
    const at = openings(shiftOutline(written(), HOUSE, [3000, -2000]));
    expect(at).toEqual([
      [17, 8],
      [23, 11],
    ]);
  });

  it('turns them with it', () => {
    const at = openings(spinOutline(written(), HOUSE, 9000));
    // Its middle is (15, 13).
    expect(at).toEqual([
      [18, 12],
      [15, 18],
    ]);
  });

  it('keeps them in its walls when a corner is moved', () => {
    const at = openings(putCorner(written(), HOUSE, 1, [30_000, 10_000]));
    expect(at).toEqual([
      [18, 10],
      [25, 13],
    ]);
  });

  it('keeps them where they are when a wall gets a corner', () => {
    const before = written();
    expect(openings(addCorner(before, HOUSE, 0))).toEqual(openings(before));
  });

  it('has them in a copy too', () => {
    const [copied, id] = duplicatePiece(written(), 'inn');
    expect(openings(copied, id)).toEqual([
      [16, 8],
      [22, 11],
    ]);
  });

  it('takes along walls and openings that are pieces of their own', () => {
    const moved = shiftOutline(saved(), HOUSE, [1000, 1000]);
    expect(outline(moved, 'inn.wall-1')?.[0]).toEqual([11, 11]);
    expect(outline(moved, 'inn.opening-1')?.[2]).toEqual([16, 11.25]);
    expect(outline(spinOutline(saved(), HOUSE, 9000), 'inn.opening-1')?.[0]).toEqual([18, 11]);
  });

  it('has copies of these, and is taken away with them', () => {
    const [copied, id] = duplicatePiece(saved(), 'inn');
    expect(outline(copied, `${id}.wall-1`)?.[0]).toEqual([12, 8]);
    expect(copied.terrain?.map((piece) => piece.id)).toHaveLength(6);
    expect(removePiece(copied, id).terrain).toEqual(saved().terrain);
  });
});

describe('a place at a border', () => {
  it('stays as deep in the wall', () => {
    const spots = ROOM.map(([x, y]) => [x * 1000, y * 1000] as const);
    const wide = spots.map(([x, y]) => [x * 2, y] as const);
    expect(carried(spots, wide, [15_000, 10_125])).toEqual([30_000, 10_125]);
  });
});
