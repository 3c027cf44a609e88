/** The browser's storage. Where it is forbidden, values are kept until the page is closed. */
import type { Pass } from './protocol';

const spare = new Map<string, string>();
const PREFIX = 'underfire/';

type Which = 'localStorage' | 'sessionStorage';

function area(which: Which): Storage | null {
  try {
    return globalThis[which] ?? null;
  } catch {
    return null;
  }
}

/** The value kept under a key, or `otherwise` (also if it cannot be read). */
export function recall<T>(key: string, otherwise: T, which: Which = 'localStorage'): T {
  try {
    const text = spare.get(which + key) ?? area(which)?.getItem(PREFIX + key) ?? undefined;
    return text === undefined ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}

/** Keeps a value under a key; `undefined` forgets it. Says whether it outlives the page. */
export function keep(key: string, value: unknown, which: Which = 'localStorage'): boolean {
  if (value === undefined) {
    spare.delete(which + key);
    area(which)?.removeItem(PREFIX + key);
    return true;
  }
  const text = JSON.stringify(value);
  try {
    const storage = area(which);
    if (!storage) throw new Error('no storage');
    storage.setItem(PREFIX + key, text);
    spare.delete(which + key);
    return true;
  } catch {
    spare.set(which + key, text);
    return false;
  }
}

/** The ends of all keys that begin with `start`. */
export function keptUnder(start: string): string[] {
  const storage = area('localStorage');
  const stored = storage ? Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? '') : [];
  const spared = [...spare.keys()].map((key) => key.replace('localStorage', PREFIX));
  const under = [...stored, ...spared].filter((key) => key.startsWith(PREFIX + start));
  return [...new Set(under)].map((key) => key.slice((PREFIX + start).length));
}

/** What this browser holds of a match: tokens of its own seats, invites it may give away, both by seat. */
export interface Holding {
  tokens: Record<string, string>;
  invites: Record<string, string>;
  /** The title of the match when it was last seen, for matches that are not listed. */
  title: string;
}

/** The passes of a match that this browser holds. */
export function holding(match: string): Holding {
  return { tokens: {}, invites: {}, title: '', ...recall<Partial<Holding>>(`match/${match}`, {}) };
}

/** Keeps the token of a seat, which the server has given or let in: it is ours from now on. */
export function keepToken(match: string, seat: string, token: string): void {
  const held = holding(match);
  held.tokens[seat] = token;
  delete held.invites[seat];
  keep(`match/${match}`, held);
}

/** Remembers what a match is called. */
export function noteTitle(match: string, title: string): void {
  const held = holding(match);
  if (held.title !== title) keep(`match/${match}`, { ...held, title });
}

/** The matches that this browser has a seat in, or invites to. */
export function mine(): string[] {
  return keptUnder('match/').filter((match) => {
    const { tokens, invites } = holding(match);
    // Who took in a match that goes on holds nothing but the invites to it, and must find them again.
    return Object.keys(tokens).length + Object.keys(invites).length > 0;
  });
}

/** Calls `changed` whenever another tab has changed something about matches. What it returns ends that. */
export function onOtherTab(changed: () => void): () => void {
  if (typeof window === 'undefined') return () => undefined;
  const hear = (event: StorageEvent): void => {
    if (event.key === null || event.key.startsWith(`${PREFIX}match/`)) changed();
  };
  window.addEventListener('storage', hear);
  return () => window.removeEventListener('storage', hear);
}

/** Keeps the ways into a match that were given for it: one's own seats, and the links to give away. */
export function keepPasses(match: string, passes: readonly Pass[]): void {
  for (const { seat, token, invite } of passes) {
    if (token) keepToken(match, seat, token);
    else if (invite) keepInvite(match, seat, invite);
  }
}

/** Where a seat's share of the dice is kept: its own, or one that a link brought and the server may want instead. */
export const shareKey = (match: string, seat: string, which: 'own' | 'other' = 'own'): string =>
  `${which === 'own' ? 'dice' : 'dice-other'}/${match}/${seat}`;

/** Forgets the shares of the dice that are kept for a seat. */
export function forgetShares(match: string, seat: string): void {
  keep(shareKey(match, seat), undefined);
  keep(shareKey(match, seat, 'other'), undefined);
}

/** Where the hashes of a match's log are kept: see heads.ts. */
export const headsKey = (match: string): string => `heads/${match}`;

/** Where the last frame is kept that a player of a match has seen. */
export const seenKey = (match: string, seat: string): string => `seen/${match}/${seat}`;

/** Forgets a match: its tokens, its invites, the share of its dice, what was seen of it and of its log. */
export function forget(match: string): void {
  keep(headsKey(match), undefined);
  for (const seat of keptUnder(seenKey(match, ''))) keep(seenKey(match, seat), undefined);
  for (const seat of Object.keys(holding(match).tokens)) forgetShares(match, seat);
  keep(`match/${match}`, undefined);
}

/** Forgets a token that the server does not know. */
export function dropToken(match: string, seat: string): void {
  const held = holding(match);
  delete held.tokens[seat];
  keep(`match/${match}`, held);
}

/** Keeps the invite of a free seat, to give away. */
export function keepInvite(match: string, seat: string, invite: string): void {
  const held = holding(match);
  held.invites[seat] = invite;
  keep(`match/${match}`, held);
}

/** The last name that the player gave. */
export const playerName = (): string => recall('name', '');
export const keepName = (name: string): void => void keep('name', name);

const AT_ONCE = 'join-at-once';

/** Remembers that the player has asked for a free seat, so that nothing more needs to be asked if their name is known. */
export const joinAtOnce = (match: string, seat: string): boolean => keep(AT_ONCE, `${match}/${seat}`, 'sessionStorage');

/** Whether the player has just asked for this seat; it is said once. */
export function joinsAtOnce(match: string, seat: string): boolean {
  const asked = recall(AT_ONCE, '', 'sessionStorage') === `${match}/${seat}`;
  keep(AT_ONCE, undefined, 'sessionStorage');
  return asked;
}
