/**
 * What this browser keeps of the logs of matches: hashes of entries, as the server told them. The hash of an entry stands for
 * all of the log up to it, so a log that was changed later does not have it any more.
 */
import { headsKey, keep, keptUnder, recall } from './storage';

/** Of so many matches hashes are kept, those that were seen last. */
export const MOST_MATCHES = 200;
/** So many hashes are kept of a match, spread over all of it. */
export const MOST_HEADS = 24;

const UNDER = headsKey('');

interface Kept {
  /** Every so many-th hash that was told, in their order. */
  heads: string[];
  every: number;
  /** How many were told, and the last one. */
  told: number;
  last: string;
  /** When that was told, in milliseconds since 1970. */
  at: number;
}

const NOTHING: Kept = { heads: [], every: 1, told: 0, last: '', at: 0 };
const kept = (match: string): Kept => ({ ...NOTHING, ...recall<Partial<Kept>>(headsKey(match), {}) });

/** The hashes that are kept of a match, the oldest first. */
export function keptHeads(match: string): readonly string[] {
  const { heads, last } = kept(match);
  return last === '' || heads.at(-1) === last ? heads : [...heads, last];
}

/** Keeps one more hash of a match. */
export function keepHead(match: string, head: string, now: number = Date.now()): void {
  const before = kept(match);
  if (before.last === head) return;
  if (before.told === 0) makeRoom();
  let { heads, every } = before;
  if (before.told % every === 0) heads = [...heads, head];
  if (heads.length === MOST_HEADS) {
    heads = heads.filter((_, i) => i % 2 === 0);
    every *= 2;
  }
  keep(headsKey(match), { heads, every, told: before.told + 1, last: head, at: now } satisfies Kept);
}

/** Forgets what is kept of a match. */
export const forgetHeads = (match: string): void => void keep(headsKey(match), undefined);

/** Forgets the matches that were not seen for longest, so that there is room for another one. */
function makeRoom(): void {
  const matches = keptUnder(UNDER);
  if (matches.length < MOST_MATCHES) return;
  const oldest = matches.map((match) => ({ match, at: kept(match).at })).sort((a, b) => a.at - b.at);
  for (const { match } of oldest.slice(0, matches.length - MOST_MATCHES + 1)) forgetHeads(match);
}
