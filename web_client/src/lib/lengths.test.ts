import { afterEach, describe, expect, it } from 'vitest';
import { lengthsIn, measuredDigits, printedDigits } from './lengths';
import { length, measured, share, spoken, steps, told, viewer } from './measure.svelte';
import { recall } from './storage';

const cm = (text: string): string => lengthsIn(text, 'centimetres').replaceAll('\u00a0', ' ');

afterEach(() => (viewer.measure = 'inches'));

describe('a length in centimetres', () => {
  it.each([
    [1, '3'],
    [2, '5'],
    [3, '8'],
    [5, '13'],
    [6, '15'],
    [8, '20'],
    [12, '30'],
    [24, '60'],
    [48, '120'],
    [0, '0'],
  ])('of the rules, %i inches, is as printed', (inches, expected) => {
    expect(printedDigits(inches * 1000, 'centimetres')).toBe(expected);
  });

  it('of the rules that is no whole number of inches keeps a decimal', () => {
    expect(printedDigits(4500, 'centimetres')).toBe('11.3');
    expect(printedDigits(500, 'centimetres')).toBe('1.3');
  });

  it('that was measured is told to a tenth, and never less than it is where it is used up', () => {
    expect(measuredDigits(4300, 'centimetres')).toBe('10.8');
    expect(measuredDigits(3000, 'centimetres')).toBe('7.5');
    expect(measuredDigits(3001, 'centimetres')).toBe('7.5');
    expect(measuredDigits(3001, 'centimetres', true)).toBe('7.6');
    expect(measuredDigits(3000, 'centimetres', true)).toBe('7.5');
  });

  it('that is longer never reads as shorter', () => {
    let last = 0;
    for (let mil = 0; mil < 13_000; mil += 10) {
      const now = Number(measuredDigits(mil, 'centimetres'));
      expect(now).toBeGreaterThanOrEqual(last);
      last = now;
    }
  });
});

describe('the lengths in a text', () => {
  it.each([
    ['Moves up to 6".', 'Moves up to 15 cm.'],
    ['moves 2" less', 'moves 5 cm less'],
    ['-2" and +4", or −3"', '-5 cm and +10 cm, or −8 cm'],
    ['base 4", close 8", medium 16"', 'base 10 cm, close 20 cm, medium 40 cm'],
    ['within 2-5", or 2–5"', 'within 5-13 cm, or 5–13 cm'],
    ['2" to 5"', '5 cm to 13 cm'],
    ['2 to 5", 4 or 6"', '5 to 13 cm, 10 or 15 cm'],
    ['(sight reaches 4" inside)', '(sight reaches 10 cm inside)'],
  ])('%s', (text, expected) => expect(cm(text)).toBe(expected));

  it('are all told to a tenth next to something measured, so that they can be compared', () => {
    expect(cm('Guards is 3.1" away; it reaches 3".')).toBe('Guards is 7.8 cm away; it reaches 7.5 cm.');
    expect(cm('Guards is 9" away; it reaches 8".')).toBe('Guards is 23 cm away; it reaches 20 cm.');
    expect(cm('Guards is 3.01" away; it reaches 3".')).toBe('Guards is 7.53 cm away; it reaches 7.5 cm.');
  });

  it.each([
    '"Squad 6" moves.',
    'It is called "6" here.',
    'The "Big 12" and the (“Big 6”) move.',
    'Rolls 2D6" and R6".',
    'No number" and no length.',
    'Turn 3 of 6.',
    'He is 5\'10" tall.',
  ])('are none: %s', (text) => expect(cm(text)).toBe(text));

  it('are recognised next to quotations', () => {
    expect(cm('The 6" gun "Long 12" fires 24".')).toBe('The 15 cm gun "Long 12" fires 60 cm.');
    expect(cm('Bob" moves 6".')).toBe('Bob" moves 15 cm.');
  });

  it('stay as they are in inches', () => {
    expect(lengthsIn('2-5" and 3.1"', 'inches')).toBe('2-5" and 3.1"');
  });
});

describe('the viewer', () => {
  it('has inches at first, and what was chosen is kept', () => {
    expect([length(3000), measured(4321), told('6"')]).toEqual(['3″', '4.3″', '6"']);
    viewer.measure = 'centimetres';
    expect([length(3000), measured(4321), told('6"')]).toEqual(['8\u00a0cm', '10.8\u00a0cm', '15\u00a0cm']);
    expect(recall('measure', '')).toBe('centimetres');
  });

  it('reads and hears what is used up in the same measure', () => {
    expect([share(4210, 6000), spoken(4210, 6000)]).toEqual(['4.3 / 6″', '4.3 of 6 inches']);
    viewer.measure = 'centimetres';
    expect([share(4210, 6000), spoken(4210, 6000)]).toEqual(['10.6 / 15\u00a0cm', '10.6 of 15 centimetres']);
    expect(steps().far).toBe(400);
  });
});
