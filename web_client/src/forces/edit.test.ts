import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Force, ForceReport, Refused } from '../lib/protocol';
import { Unanswered } from '../lib/requests';
import { AGAIN } from '../library/asking.svelte';
import { Editing } from '../library/editing.svelte';
import { freeName } from '../library/names';
import { Checker, REST } from './checker.svelte';
import {
  addRow,
  changeUnit,
  duplicateRow,
  duplicateUnit,
  faultsOf,
  keyOf,
  moved,
  moveRow,
  moveUnit,
  placed,
  removeUnit,
  rename,
  setCell,
} from './edit';
import { FORCE, FORM } from './fixture';
import { countOf, gist, grouped, held, newUnit, rowGist, strangers } from './form';
import { forceOf, pickKept, pickReady } from './picks';
import { shelf } from './shelf.svelte';

const [infantry, vehicle] = [FORM.kinds[0]!, FORM.kinds[1]!];
const section = FORCE.units[0]!;

describe('the form', () => {
  it('makes units with every field at its default and as many rows as there must be', () => {
    expect(newUnit(infantry, ['Infantry'])).toEqual({
      kind: 'infantry',
      name: 'Infantry 2',
      fields: { level: 'regular', grenades: false },
      rows: { figures: [{ count: 4, arm: 'rifle', leader: false }] },
    });
    expect(newUnit(vehicle, []).rows).toEqual({ weapons: [] });
  });

  it('finds free names, as long as names may be', () => {
    expect(freeName('A', ['A', 'A 2'])).toBe('A 3');
    expect(freeName('A 2', ['A 2'])).toBe('A 3');
    expect(freeName('x'.repeat(40), ['x'.repeat(40)])).toBe('x'.repeat(38) + ' 2');
  });

  it('tells a unit in a few words', () => {
    expect(gist(FORM, section)).toBe('Infantry · Elite · 5 figures');
    expect(gist(FORM, FORCE.units[1]!)).toBe('Vehicle · Green · 1 weapon');
    expect(gist(FORM, { kind: 'balloon', name: 'B' })).toBe('balloon');
    const [head] = FORM.kinds[1]!.fields.filter((field) => field.key === 'crew');
    const counted = { ...FORM, kinds: [{ ...FORM.kinds[1]!, fields: [head!], lists: [] }] };
    expect(gist(counted, { kind: 'vehicle', name: 'C', fields: { crew: 1 } })).toBe('Vehicle · 1 crew');
    expect(gist(counted, { kind: 'vehicle', name: 'C' })).toBe('Vehicle · 2 crew');
    expect(rowGist(infantry.lists[0]!, { count: 1, arm: 'carbine', leader: true })).toBe('1 × Carbine · Leader');
    expect(countOf(infantry.lists[0]!, [{}, { count: 'many' }])).toBe(4);
  });

  it('notices what it does not know', () => {
    expect(strangers({ level: 'green', wings: 2 }, infantry.fields)).toEqual(['wings']);
  });
});

describe('groups of fields', () => {
  const [plain] = FORM.kinds[0]!.fields;
  const flag = { ...plain!, key: 'smoke', label: 'Smoke', default: false, choices: [], group: 'Grenades' };
  const kit = { ...plain!, key: 'kit', label: 'Kit', group: 'Gear' };
  const frag = { ...flag, key: 'frag', label: 'Frag' };
  const fields = [flag, plain!, kit, frag];

  it('stand under their headings in the order of the form, after what all have', () => {
    const found = grouped(fields);
    expect(found.plain).toEqual([plain]);
    expect(found.groups.map((group) => [group.name, group.fields.map((field) => field.key)])).toEqual([
      ['Grenades', ['smoke', 'frag']],
      ['Gear', ['kit']],
    ]);
  });

  it('say what is in them', () => {
    const [grenades] = grouped(fields).groups;
    expect(held(grenades!, undefined)).toBe('');
    expect(held(grenades!, { smoke: false })).toBe('');
    expect(held(grenades!, { smoke: true, frag: true })).toBe('Smoke · Frag');
  });
});

describe('changes', () => {
  it('move things, and leave them where there is no such place', () => {
    expect(moved([1, 2, 3], 0, 2)).toEqual([2, 3, 1]);
    expect(moved([1, 2, 3], 2, 1)).toEqual([1, 3, 2]);
    expect(moved([1, 2, 3], 0, -1)).toEqual([1, 2, 3]);
    expect(moved([1, 2, 3], 2, 3)).toEqual([1, 2, 3]);
  });

  it('keep the keys of units and rows, and give new ones to copies', () => {
    const [first, second] = section.rows!.figures!;
    let unit = moveRow(rename(section, 'Other'), 'figures', 0, 1);
    expect(unit.rows!.figures!.map(keyOf)).toEqual([keyOf(second!), keyOf(first!)]);
    unit = setCell(unit, 'figures', 1, 'arm', 'carbine');
    expect(keyOf(unit)).toBe(keyOf(section));
    expect(keyOf(unit.rows!.figures![1]!)).toBe(keyOf(first!));
    const twice = duplicateRow(unit, 'figures', 0).rows!.figures!;
    expect(new Set(twice.map(keyOf)).size).toBe(3);
    const force = duplicateUnit(changeUnit(FORCE, 0, unit), 0);
    expect(force.units.map((each) => each.name)).toEqual(['Other', 'Other 2', 'Carrier']);
    expect(new Set(force.units.map(keyOf)).size).toBe(3);
    // Nothing of this has touched what was there before.
    expect(FORCE.units[0]).toBe(section);
    expect(section.rows!.figures).toEqual([first, second]);
  });

  it('carry what is said of a unit along', () => {
    const [fault] = faultsOf(FORCE, [{ sentence: 's', rule: '', unit: 0, list: 'figures', row: 1, field: 'arm' }]);
    const row = section.rows!.figures![1]!;
    expect(fault).toMatchObject({ unit: keyOf(section), row: keyOf(row) });
    expect(keyOf(moveUnit(FORCE, 0, 1).units[1]!)).toBe(fault!.unit);
    const strange = { sentence: 's', rule: '', unit: 9, list: '', row: -1, field: '' };
    expect(faultsOf(FORCE, [strange])).toMatchObject([{ unit: '', row: '' }]);
  });

  it('are told with their place, unless they say it themselves', () => {
    const about = { sentence: 'Too many.', rule: '', unit: 0, list: 'figures', row: 1, field: 'count' };
    const told = (problem: typeof about, force = FORCE): string => placed(FORM, force, faultsOf(force, [problem])[0]!);
    expect(told(about)).toBe('1st Section, Figures row 2: Too many.');
    expect(told({ ...about, row: -1 })).toBe('1st Section, Figures: Too many.');
    expect(told({ ...about, list: '' })).toBe('1st Section: Too many.');
    expect(told({ ...about, unit: -1, list: '' })).toBe('Too many.');
    expect(told({ ...about, sentence: '1st Section is too many.' })).toBe('1st Section is too many.');
    const twins = { ...FORCE, units: [FORCE.units[1]!, { ...FORCE.units[0]!, name: 'Carrier' }] };
    expect(told({ ...about, unit: 1, list: '' }, twins)).toBe('Carrier (unit 2): Too many.');
  });

  it('can be taken back, and done again; the letters of a name are one', () => {
    const kept: string[] = [];
    const editing = new Editing(FORCE, (force) => kept.push(force.name));
    for (const name of ['N', 'Ne', 'New']) editing.change({ ...editing.now, name }, '', 'name');
    editing.change(removeUnit(editing.now, 0), 'Removed it.');
    expect(editing.now.units).toHaveLength(1);
    editing.undo();
    expect([editing.now.name, editing.now.units.length]).toEqual(['New', 2]);
    editing.undo();
    expect(editing.now).toBe(FORCE);
    expect(editing.canUndo).toBe(false);
    editing.redo();
    expect(editing.now.name).toBe('New');
    editing.change(addUnitless(editing.now), '', 'name');
    expect(editing.canRedo).toBe(false);
    expect(kept).toEqual(['N', 'Ne', 'New', 'New', 'New', FORCE.name, 'New', 'New']);
  });
});

const addUnitless = (force: Force): Force => changeUnit(force, 0, addRow(force.units[0]!, 'figures', {}));

describe('the shelf', () => {
  it('keeps, finds, deletes and puts back', () => {
    const id = shelf.put(FORCE);
    expect(shelf.add(structuredClone(FORCE))).toBe(id);
    shelf.note(id, { total: 9, problems: 1 });
    expect(shelf.get(id)).toMatchObject({ force: FORCE, checked: { total: 9, problems: 1 } });
    shelf.put({ ...FORCE, name: 'Other' }, id);
    expect(shelf.get(id)?.checked).toBeUndefined();
    shelf.remove(id);
    expect(shelf.all).toEqual([]);
    shelf.putBack();
    expect(shelf.get(id)?.force.name).toBe('Other');
  });

  it('gives what is picked, for its own edition alone', () => {
    const kept = [{ id: 'a:b', force: FORCE, changed: 0 }];
    expect(forceOf(pickKept('a:b'), 'toy', kept, [])).toBe(FORCE);
    expect(forceOf(pickReady(0), 'toy', kept, [FORCE])).toBe(FORCE);
    expect(forceOf(pickKept('a:b'), 'other', kept, [])).toBeNull();
    expect(forceOf('', 'toy', kept, [FORCE])).toBeNull();
    expect(forceOf(pickReady(3), 'toy', kept, [FORCE])).toBeNull();
  });
});

describe('asking the rules', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const report = (total: number): ForceReport => ({ problems: [], total, units: [] });

  it('waits until the player pauses, and sends the last force alone', async () => {
    const answers: ((report: ForceReport) => void)[] = [];
    const asked: string[] = [];
    const checker = new Checker((force) => {
      asked.push(force.name);
      return new Promise((resolve) => answers.push(resolve));
    });
    checker.look({ ...FORCE, name: 'a' });
    checker.look({ ...FORCE, name: 'b' });
    await vi.advanceTimersByTimeAsync(REST);
    const last = { ...FORCE, name: 'c' };
    checker.look(last);
    await vi.advanceTimersByTimeAsync(REST);
    expect(asked).toEqual(['b', 'c']);
    answers[1]!(report(2));
    answers[0]!(report(1));
    await vi.advanceTimersByTimeAsync(0);
    expect(checker.report?.total).toBe(2);
    expect(checker.about).toBe(last);
    expect(checker.waiting).toBe(false);
  });

  it('asks again when the server had no time, and tells any other refusal', async () => {
    const refused = (code: string): Promise<never> =>
      Promise.reject(new Unanswered('No.', { code, sentence: 'No.' } as Refused));
    const replies = [() => refused('rate'), () => Promise.resolve(report(3)), () => refused('force')];
    const checker = new Checker(() => replies.shift()!());
    checker.look(FORCE);
    await vi.advanceTimersByTimeAsync(REST);
    expect([checker.waiting, checker.fault]).toEqual([true, '']);
    await vi.advanceTimersByTimeAsync(AGAIN);
    expect(checker.report?.total).toBe(3);
    checker.look(FORCE);
    await vi.advanceTimersByTimeAsync(REST);
    expect([checker.report, checker.fault]).toEqual([null, 'No.']);
  });
});
