import { describe, expect, it } from 'vitest';
import { freeName } from '../library/names';
import {
  addCorner,
  addPiece,
  addSide,
  changeKind,
  changeTurn,
  duplicatePiece,
  outlineOf,
  pieceAt,
  putCorner,
  putOutline,
  removeCorner,
  removePiece,
  removeSide,
  reopen,
  resize,
  setOption,
  shiftOutline,
  spinOutline,
  stripAlong,
} from './edit';
import { blob, freeId, middleOf, rectangle } from './places';
import { newSetup, type Setup } from './setup';

const WOODS = {
  id: 'woods',
  kind: 'woods',
  name: 'Copse',
  outline: [
    [10, 10],
    [14, 10],
    [14, 12],
    [10, 12],
  ],
} as const;
const WALL = {
  id: 'wall',
  kind: 'wall',
  outline: [
    [20, 20],
    [24, 20],
  ],
  linear: true,
} as const;
const WRECK = {
  id: 'wreck',
  kind: 'wreck',
  outline: [
    [30, 30],
    [33, 30],
    [33, 32],
  ],
} as const;

const setup = (change: Partial<Setup> = {}): Setup => ({
  ...newSetup('some', 'Test'),
  terrain: [WOODS, WALL],
  ...change,
});
const woods = { kind: 'terrain', id: 'woods' } as const;
const wall = { kind: 'terrain', id: 'wall' } as const;

describe('terrain', () => {
  it('gets an id and a name of its own, and lies on the table', () => {
    const [one, first] = addPiece(setup(), 'woods', 'Copse', rectangle([47_000, 1_000], 6000, 4000));
    expect(first).toBe('woods-2');
    const piece = one.terrain!.at(-1)!;
    expect(piece.name).toBe('Copse 2');
    expect(piece.outline).toEqual([
      [42, 0],
      [48, 0],
      [48, 4],
      [42, 4],
    ]);
  });

  it('stands before what came about in play, of which fewer are left when one goes', () => {
    const late = setup({ terrain: [WOODS, WRECK], table: { width: 48, height: 48, added: 1 } });
    const [more] = addPiece(late, 'hill', 'Hill', blob([9000, 9000], 2000));
    expect(more.terrain!.map(({ id }) => id)).toEqual(['woods', 'hill', 'wreck']);
    expect(removePiece(more, 'woods').table!.added).toBe(1);
    expect(removePiece(more, 'wreck').table!.added).toBe(0);
  });

  it('is duplicated with what it has for itself, and loses that with its kind', () => {
    const own = setup({ terrain: [{ ...WOODS, cover: 'hard', flags: ['impassable'] }] });
    const [made, copy] = duplicatePiece(own, 'woods');
    expect(made.terrain!.find(({ id }) => id === copy)).toMatchObject({ cover: 'hard', name: 'Copse 2' });
    const other = changeKind(own, 'woods', 'hill').terrain![0];
    expect(other).toEqual({ id: 'woods', kind: 'hill', name: 'Copse', outline: WOODS.outline });
  });

  it('is moved, put and turned in whole thousandths', () => {
    const moved = shiftOutline(setup(), woods, [333, -1]);
    expect(outlineOf(moved, woods)[0]).toEqual([10.333, 9.999]);
    const put = putOutline(setup(), woods, [20_000, 20_000]);
    expect(middleOf(outlineOf(put, woods))).toEqual([20_000, 20_000]);
    const turned = spinOutline(setup(), woods, 9000);
    expect(outlineOf(turned, woods)).toEqual([
      [13, 9],
      [13, 13],
      [11, 13],
      [11, 9],
    ]);
    // Turned all the way round it lies where it lay.
    let round = setup();
    for (let i = 0; i < 4; i++) round = spinOutline(round, woods, 9000);
    expect(outlineOf(round, woods)).toEqual(WOODS.outline);
  });

  it('gets corners between others, beyond the end of a line, and keeps enough of them', () => {
    const last = addCorner(setup(), woods, 3);
    expect(outlineOf(last, woods)[4]).toEqual([10, 11]);
    expect(outlineOf(addCorner(setup(), wall, 1), wall)).toEqual([
      [20, 20],
      [24, 20],
      [28, 20],
    ]);
    expect(outlineOf(putCorner(setup(), wall, 1, [25_500, 21_000]), wall)[1]).toEqual([25.5, 21]);
    expect(removeCorner(setup(), wall, 0, true)).toEqual(setup());
    const three = removeCorner(setup(), woods, 0, false);
    expect(outlineOf(three, woods)).toHaveLength(3);
    expect(removeCorner(three, woods, 0, false)).toBe(three);
  });

  it('is found under a place, a line before the area it crosses', () => {
    const crossed = setup({
      terrain: [
        {
          ...WALL,
          outline: [
            [9, 11],
            [15, 11],
          ],
        },
        WOODS,
      ],
    });
    const linear = (piece: { linear?: boolean }): boolean => piece.linear === true;
    expect(pieceAt(crossed, [12_000, 11_200], 300, linear)?.id).toBe('wall');
    expect(pieceAt(crossed, [12_000, 11_700], 300, linear)?.id).toBe('woods');
    expect(pieceAt(crossed, [30_000, 11_000], 300, linear)).toBeUndefined();
  });
});

describe('the table', () => {
  it('keeps the zones at its edges, and within them', () => {
    const zones = (size: [number, number]): unknown => resize(setup(), size).side.map((side) => side.zone);
    expect(zones([72_000, 60_000])).toEqual([
      [
        [0, 0],
        [72, 0],
        [72, 8],
        [0, 8],
      ],
      [
        [0, 40],
        [72, 40],
        [72, 60],
        [0, 60],
      ],
    ]);
    expect(zones([48_000, 44_000])).toEqual([
      setup().side[0]!.zone,
      stripAlong(resize(setup(), [48_000, 44_000]), 'north', 4000),
    ]);
  });
});

describe('sides', () => {
  it('come with a letter and a shape that no other has', () => {
    const [made, id] = addSide(setup());
    const side = made.side.find((each) => each.id === id)!;
    expect([side.name, side.letter, side.shape]).toEqual(['Green', 'G', 'diamond']);
  });

  it('take with them whatever is said of them', () => {
    const held = setup({
      unit: [
        { id: 'a', side: 'blue', name: 'A', figures: 1, aboard: 'truck' },
        { id: 'truck', side: 'red', name: 'T', figures: 1 },
      ],
      objective: [{ id: 'o', name: 'O', at: [1, 1], radius: 3, held_by: 'red' }],
      turn: { number: 2, phase: 'going', active: 'red', first: 'blue' },
    });
    const left = removeSide(held, 'red');
    expect(left.unit).toEqual([{ id: 'a', side: 'blue', name: 'A', figures: 1 }]);
    expect(left.objective![0]!.held_by).toBe('');
    expect(left.turn).toEqual({ number: 2, phase: 'going', first: 'blue' });
  });

  it('deploy along an edge of whatever table it is', () => {
    const wide = setup({ table: { width: 72, height: 36 } });
    expect(stripAlong(wide, 'east', 6000)).toEqual([
      [66, 0],
      [72, 0],
      [72, 36],
      [66, 36],
    ]);
  });
});

describe('the game', () => {
  it('is where the rules have it when no phase is said', () => {
    const on = changeTurn(setup(), { phase: 'going', number: 3 });
    expect(on.turn).toEqual({ phase: 'going', number: 3 });
    expect('turn' in changeTurn(on, { phase: '' })).toBe(false);
  });

  it('goes on when it was over', () => {
    const over = setup({ result: { winner: 'red' }, turn: { number: 4, phase: 'over' } });
    expect(reopen(over, ['going'])).toEqual(setup());
    const going = setup({ result: { winner: 'red' }, turn: { number: 4, phase: 'going' } });
    expect(reopen(going, ['going'])).toEqual(setup({ turn: { number: 4, phase: 'going' } }));
  });

  it('has options that are said, and those that are not', () => {
    const said = setOption(setup(), 'mist', true);
    expect(said.options).toEqual({ mist: true });
    expect(setOption(said, 'mist', undefined).options).toEqual({});
  });
});

describe('ids and names', () => {
  it('are counted on from what they end in', () => {
    expect(freeId('woods', ['hill'])).toBe('woods');
    expect(freeId('blue-1', ['blue-1', 'blue-2'])).toBe('blue-3');
    expect(freeName('Copse 2', ['Copse 2', 'Copse 3'])).toBe('Copse 4');
  });
});
