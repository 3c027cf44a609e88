import { describe, expect, it } from 'vitest';
import { losses, shots } from '../lib/vehicles.fixture';
import { Assigning } from './assigning.svelte';

const nothing = (): void => undefined;

function assigning(parameter = losses()): Assigning {
  return new Assigning(parameter, parameter.suggested, nothing);
}

describe('an assignment', () => {
  it('begins with what is suggested, and is complete with that', () => {
    const part = assigning();
    expect(part.value).toEqual({ type: 'assignment', given: losses().suggested });
    expect(part.faults).toEqual([]);
    expect(part.tally).toBe('3 of 3 given, at most 2 suppressed');
  });

  it('gives no option more often than it may be given, until one is taken back', () => {
    const part = assigning();
    part.give('f3', 'suppressed');
    expect(part.given['f3']).toBe('falls');
    part.give('f1', 'falls');
    part.give('f3', 'suppressed');
    expect(part.given).toEqual({ f2: 'suppressed', f1: 'falls', f3: 'suppressed' });
  });

  it('lets the row that got something first make room for one more', () => {
    const part = assigning();
    part.give('f6', 'falls');
    expect(Object.keys(part.given).sort()).toEqual(['f2', 'f3', 'f6']);
  });

  it('says what is lacking', () => {
    const part = assigning();
    part.none();
    expect(part.lacking).toBe(3);
    expect(part.faults).toHaveLength(1);
    expect(part.tally).toContain('0 of 3 given');
  });

  it('gives one option to all that have it, no more than there may be', () => {
    const part = assigning(shots());
    part.all('g1');
    expect(part.given).toEqual({ f1: 'g1', f2: 'g1', f3: 'g1', f4: 'g1', f5: 'g1', f6: 'r1' });
    const hits = assigning();
    hits.all('suppressed');
    expect(hits.given).toEqual({ f3: 'falls', f1: 'suppressed', f2: 'suppressed' });
    hits.all('falls');
    expect(hits.given).toEqual({ f1: 'falls', f2: 'falls', f3: 'falls' });
  });

  it('goes through the options of a figure that is tapped, and past those of which none is left', () => {
    const part = assigning(shots());
    part.cycle('f1');
    expect(part.given['f1']).toBe('g1');
    part.cycle('f1');
    part.cycle('f1');
    expect(part.given['f1']).toBeUndefined();
    const hits = assigning();
    hits.cycle('f4');
    expect(hits.given['f4']).toBe('falls');
  });

  it('offers to all at once only what several rows have', () => {
    expect(assigning(shots()).shared.map(({ key, rows, given }) => [key, rows, given])).toEqual([
      ['r1', 6, 6],
      ['g1', 5, 0],
      ['r3', 5, 0],
    ]);
  });
});
