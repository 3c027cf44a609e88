import { describe, expect, it } from 'vitest';
import { VIEW } from './link.fixture';
import { mergePatch, patchView } from './merge';

describe('merge patches', () => {
  // The examples of RFC 7396, appendix A.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j is %j', (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });

  it('keeps what is not named as the very same object, and the old value as it was', () => {
    const before = { a: { b: 1 }, c: { d: 2 } };
    const after = mergePatch(before, { a: { b: 3 } }) as typeof before;
    expect(after.c).toBe(before.c);
    expect(before.a.b).toBe(1);
  });

  it('takes a key called __proto__ as a key', () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__": {"hit": true}}'));
    expect(({} as { hit?: boolean }).hit).toBeUndefined();
    expect((merged as { hit?: boolean }).hit).toBeUndefined();
  });
});

describe('a view', () => {
  it('gives null back where a patch can only leave out', () => {
    const gone = patchView(VIEW, { units: { u1: { figures: { f1: { at: null, fallen: true } } } } });
    expect(gone.units.u1!.figures.f1).toMatchObject({ at: null, radius: 500, role: '', fallen: true, hull: null });
    expect(gone.units.u1!.figures.f2).toBe(VIEW.units.u1!.figures.f2);
    expect(gone.result).toBeNull();
    const figure = { at: [1, 2], radius: 500, role: '', fallen: false, conditions: [], facing: 0 };
    const come = patchView(VIEW, { units: { u1: { figures: { f3: figure } } } });
    expect(come.units.u1!.figures.f3).toEqual({ ...figure, hull: null });
  });

  it('loses a unit that is taken away', () => {
    expect(patchView(VIEW, { units: { u1: null } }).units).toEqual({});
  });
});
