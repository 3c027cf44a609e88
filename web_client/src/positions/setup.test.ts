import { describe, expect, it } from 'vitest';
import { BadFile } from '../library/file';
import { SETUP_FORMAT, newSetup, parseSetup, readSetup, setupFileName, writeSetup } from './setup';

const good = newSetup('some', 'The End: of the Röad');

describe('setup files', () => {
  it('come back as they were written, unknown fields too', async () => {
    const rich = {
      ...good,
      unit: [{ id: 'a', side: 'blue', name: 'A', figures: [{ id: '1', at: [1, 2.5] as const, arm: 'x' }], own: 'y' }],
      book: { note: 3 },
    };
    const text = writeSetup(rich);
    expect(text).toContain('[1, 2.5]');
    expect(await parseSetup(text)).toEqual(rich);
    expect(setupFileName(good)).toBe('the-end-of-the-road.setup.json');
  });

  it('are read from TOML', async () => {
    const toml = `format = "${SETUP_FORMAT}"\nedition = "some"\nname = "T"\n
[[side]]\nid = "a"\nname = "A"\nletter = "A"\nshape = "circle"\n[[unit]]\nid = "u"\nside = "a"\nname = "U"\nfigures = 2\nat = [[1, 1], [3, 1]]\n`;
    const found = await parseSetup(toml);
    expect(found.unit![0]!.at).toEqual([
      [1, 1],
      [3, 1],
    ]);
  });

  it.each([
    ['', 'The file is empty.'],
    ['{"format":', 'incomplete'],
    ['= 1', 'neither JSON nor TOML'],
    ['{"format": "other"}', 'not a setup file'],
    [JSON.stringify({ ...good, side: 3 }), '“side” should be a list'],
    [JSON.stringify({ ...good, side: [{ ...good.side[0], zone: [[1]] }] }), 'The side number 1, Blue: zone should be'],
    [JSON.stringify({ ...good, terrain: [{ id: 'a', outline: [] }] }), 'kind should be a text'],
    [JSON.stringify({ ...good, side: [good.side[0], good.side[0]] }), 'the id “blue”'],
    [JSON.stringify({ ...good, unit: [{ id: 'u', side: 'blue', name: 'U', figures: -1 }] }), 'figures should be'],
    [JSON.stringify({ ...good, unit: [{ id: 'u', side: 'blue', name: 'U', figures: [{}] }] }), 'id should be a text'],
  ])('that are none say why: %#', async (text, why) => {
    await expect(parseSetup(text)).rejects.toThrow(BadFile);
    await expect(parseSetup(text)).rejects.toThrow(why);
  });

  it('take nothing that would break the table', () => {
    for (const value of [null, 3, [], 'x', { format: SETUP_FORMAT }, { ...good, table: { width: 'wide' } }]) {
      expect(() => readSetup(value)).toThrow(BadFile);
    }
  });
});
