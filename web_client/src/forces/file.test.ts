import { describe, expect, it } from 'vitest';
import { packedIn } from '../lib/router.svelte';
import { BadFile } from '../library/file';
import { fileName, parseForce, readForce, tidy, writeForce } from './file';
import { FORCE } from './fixture';
import { packForce, unpackForce } from './link';

describe('a force file', () => {
  it('is read as it was written', async () => {
    expect(await parseForce('\uFEFF' + writeForce(FORCE))).toEqual(FORCE);
  });

  it('may be TOML', async () => {
    const toml = `
      format = "underfire force 1"
      edition = "toy"
      name = "Few"
      [[units]]
      kind = "infantry"
      name = "1st"
      fields = { level = "green", grenades = true }
      [[units.rows.figures]]
      count = 3
    `;
    expect((await parseForce(toml)).units).toEqual([
      { kind: 'infantry', name: '1st', fields: { level: 'green', grenades: true }, rows: { figures: [{ count: 3 }] } },
    ]);
  });

  const unit = (more: object): object => ({ ...FORCE, units: [FORCE.units[0], { ...FORCE.units[1], ...more }] });
  it.each<[unknown, RegExp]>([
    [[], /^A force should be a table/],
    [{ ...FORCE, format: 'underfire setup 1' }, /“underfire setup 1”; .* “underfire force 1”/],
    [{ units: [] }, /^This is not a force/],
    [{ ...FORCE, points: 3 }, /has the unknown field “points”/],
    [{ ...FORCE, name: '' }, /^The name of the force is empty/],
    [{ ...FORCE, name: 'x'.repeat(41) }, /too long: it may have at most 40 characters/],
    [{ ...FORCE, units: {} }, /^The units should be a list of units/],
    [{ ...FORCE, units: Array(41).fill(FORCE.units[0]) }, /41 units are too many; at most 40/],
    [unit({ name: 7 }), /^Unit 2, its name should be a text/],
    [unit({ fields: { crew: 2.5 } }), /^Carrier, crew should be a word, a whole number/],
    [unit({ fields: { crew: null } }), /^Carrier, crew should be/],
    [unit({ rows: { weapons: [{ weapon: 'gun' }, 'gun'] } }), /^Carrier, weapons row 2 should be a table/],
    [unit({ extra: 1 }), /^Carrier has the unknown field “extra”/],
  ])('that is wrong is told so: %#', (value, sentence) => {
    expect(() => readForce(value)).toThrow(BadFile);
    expect(() => readForce(value)).toThrow(sentence);
  });

  it.each([
    ['', /empty/],
    ['{"format": ', /looks like JSON/],
    ['format = "underfire force 1"\nname = \n', /neither JSON nor TOML. Line 2/],
    ['x'.repeat(200_000), /too large/],
  ])('that cannot be read is told so: %#', async (content, sentence) => {
    await expect(parseForce(content)).rejects.toThrow(sentence);
  });

  it('never holds an empty name', () => {
    const bare = { ...FORCE, name: ' ', about: '', units: [{ kind: 'vehicle', name: '' }] };
    expect(readForce(JSON.parse(writeForce(bare)))).toMatchObject({
      name: 'Unnamed force',
      units: [{ name: 'Unit 1' }],
    });
    expect(tidy(bare)).not.toHaveProperty('about');
  });

  it('is called after the force', () => {
    expect(fileName(FORCE)).toBe('grunwald-s-few.force.json');
    expect(fileName({ ...FORCE, name: '???' })).toBe('force.force.json');
  });
});

describe('a link', () => {
  it('holds the whole force', async () => {
    const packed = await packForce(FORCE);
    expect(packed).toMatch(/^[\w-]+$/);
    expect(packedIn(`https://example.org/#/force?f=${packed}`)).toBe(packed);
    expect(await unpackForce(packed)).toEqual(FORCE);
  });

  it('that is incomplete says so', async () => {
    const packed = await packForce(FORCE);
    for (const broken of ['', '!', 'AAAA', packed.slice(0, -8)]) {
      await expect(unpackForce(broken)).rejects.toThrow(/incomplete/);
    }
  });

  it('that would fill the memory is not unpacked', async () => {
    const bomb = await packForce({ ...FORCE, about: 'x'.repeat(5_000_000) });
    expect(bomb.length).toBeLessThan(10_000);
    await expect(unpackForce(bomb)).rejects.toThrow(/incomplete/);
  });
});
