/** What this browser tells lengths in, and every length and text told in it. What uses these changes when it is changed. */
import {
  CENTIMETRE,
  exactDigits,
  lengthsIn,
  MEASURES,
  measuredDigits,
  printedDigits,
  SIGNS,
  type Measure,
} from './lengths';
import { keep, recall } from './storage';

const KEY = 'measure';

function kept(): Measure {
  const wish = recall<unknown>(KEY, '');
  return MEASURES.find((each) => each === wish) ?? 'inches';
}

class Viewer {
  #measure = $state<Measure>(kept());

  constructor() {
    // A change in another tab applies to this one too.
    globalThis.addEventListener?.('storage', () => (this.#measure = kept()));
  }

  get measure(): Measure {
    return this.#measure;
  }

  set measure(measure: Measure) {
    this.#measure = measure;
    keep(KEY, measure);
  }
}

export const viewer = new Viewer();

/** A length of the rules (mil) standing alone, as it is printed: `3″` or `8 cm`. */
export const length = (mil: number): string => printedDigits(mil, viewer.measure) + SIGNS[viewer.measure];

/** A length that is part of a sum (mil): `3″` or `7.5 cm`. */
export const exactly = (mil: number): string => exactDigits(mil, viewer.measure) + SIGNS[viewer.measure];

/** A measured length (mil) to a tenth, or a rule's length next to it: `4.3″` or `10.8 cm`. Upward where `up` is set. */
export const measured = (mil: number, up = false): string => digits(mil, up) + SIGNS[viewer.measure];

/** The digits of `measured`. */
export const digits = (mil: number, up = false): string => measuredDigits(mil, viewer.measure, up);

/** What is used up of a limit (both mil): `4.3 / 6″`. */
export const share = (used: number, limit: number): string => `${digits(used, true)} / ${measured(limit)}`;

/** The same to be listened to: `4.3 of 6 inches`. */
export const spoken = (used: number, limit: number): string =>
  `${digits(used, true)} of ${digits(limit)} ${viewer.measure}`;

/** A text of the server, its lengths told in what this browser tells lengths in. For whatever is not written by people. */
export const told = (text: string): string => lengthsIn(text, viewer.measure);

/** The step of an arrow key and the small one, in mil, with their words. */
export const steps = (): { far: number; near: number; words: string } =>
  viewer.measure === 'inches'
    ? { far: 500, near: 100, words: 'half an inch; with Shift by a tenth' }
    : { far: CENTIMETRE, near: CENTIMETRE / 5, words: 'a centimetre; with Shift by two millimetres' };

/** Mil that one of what lengths are told in takes, and how many of them the ruler groups. */
export const tick = (): { each: number; group: number } =>
  viewer.measure === 'inches' ? { each: 1000, group: 6 } : { each: CENTIMETRE, group: 5 };
