import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

type Rgb = readonly [number, number, number];
type Scheme = Record<string, string>;

const SIDES = [0, 1, 2, 3];
/** What eyes that lack one kind of cone see, in linear light (Machado, Oliveira and Fernandes, 2009; full severity). */
const EYES: Record<string, readonly [Rgb, Rgb, Rgb] | null> = {
  normal: null,
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** The colours of a style sheet, light and dark: those that stand twice, in the order in which they do. */
function schemes(file: string): { light: Scheme; dark: Scheme } {
  const [light, dark] = [{}, {}] as [Scheme, Scheme];
  const text = readFileSync(new URL(file, import.meta.url), 'utf-8');
  for (const [, name, colour] of text.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)) {
    if (name! in light) dark[name!] = colour!;
    else light[name!] = colour!;
  }
  return { light, dark };
}

function linear(colour: string): Rgb {
  const part = (at: number): number => {
    const value = parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}

/** The contrast of WCAG 2. */
function contrast(one: string, other: string): number {
  const [a, b] = [one, other].map((colour) => {
    const [red, green, blue] = linear(colour);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  }) as [number, number];
  return Math.max(a, b) / Math.min(a, b);
}

/** Where a colour lies in Oklab for some eyes. */
function seen(colour: string, eyes: readonly [Rgb, Rgb, Rgb] | null): Rgb {
  let rgb = linear(colour);
  const by = (matrix: readonly [Rgb, Rgb, Rgb], of: Rgb): Rgb =>
    matrix.map((row) => row[0] * of[0] + row[1] * of[1] + row[2] * of[2]) as unknown as Rgb;
  if (eyes) rgb = by(eyes, rgb).map((part) => Math.min(1, Math.max(0, part))) as unknown as Rgb;
  const cones = by(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb,
  ).map((part) => Math.cbrt(part)) as unknown as Rgb;
  return by(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones,
  );
}

const page = schemes('../app.css');
const theme = schemes('./theme.css');

describe.each(['light', 'dark'] as const)('the colours of the sides, %s', (scheme) => {
  const colours = SIDES.map((side) => theme[scheme][`side-${side}`]!);

  it('are the same on the table and around it', () => {
    expect(SIDES.map((side) => page[scheme][`side-${side}`])).toEqual(colours);
  });

  it.each(Object.keys(EYES))('differ from each other for eyes with %s', (eyes) => {
    for (const one of SIDES) {
      for (const other of SIDES.slice(one + 1)) {
        const [a, b] = [seen(colours[one]!, EYES[eyes]!), seen(colours[other]!, EYES[eyes]!)];
        const apart = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        expect(apart, `side ${one} and side ${other}`).toBeGreaterThan(0.09);
      }
    }
  });

  it('stand out from the table, and can be read on paper and under letters', () => {
    for (const colour of colours) {
      for (const ground of ['felt', 'base', 'water']) {
        expect(contrast(colour, theme[scheme][ground]!), `${colour} on ${ground}`).toBeGreaterThan(3);
      }
      expect(contrast(colour, theme[scheme]['halo']!), `${colour} on its halo`).toBeGreaterThan(4.5);
      expect(contrast(colour, page[scheme]['panel']!), `${colour} on paper`).toBeGreaterThan(4.5);
      expect(contrast(colour, page[scheme]['on-side']!), `letters on ${colour}`).toBeGreaterThan(4.5);
    }
  });
});
