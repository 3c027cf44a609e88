/** Faults: sentences for people about a value that may not be sent. */
import { inches, type Spot } from '../lib/geometry';
import type { Point } from '../lib/protocol';

/** What is wrong with a value: a sentence for people, the rule behind it, and for figures which one and where. */
export interface Fault {
  sentence: string;
  rule: string;
  where?: Point;
  figure?: string;
}

/** The fault of figures with a gap of `widest` between them, where `limit` is the most (mil). */
export function apartFault(widest: number, limit: number, rule: string, name = 'The figures'): Fault {
  const sentence = `${name} would be ${inches(widest, true)}" apart; they may be at most ${inches(limit)}" apart.`;
  return { sentence, rule };
}

/** A place as it is stored. */
export function asPoint(p: Spot): Point {
  return [p[0], p[1]];
}
