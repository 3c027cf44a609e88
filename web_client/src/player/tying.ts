/** Tying seats to the player's key: once a player who wants it sits in a match, their browser signs for the seat. */
import { keep, keptUnder, recall } from '../lib/storage';
import type { Accepted, ClientMessage, View } from '../lib/protocol';
import { newId } from '../lib/wire';
import { me } from './me.svelte';

const consentKey = (match: string): string => `tie/${match}`;
const metKey = (key: string): string => `met/${key}`;

/** Notes that the player wants their seats in a match tied to their key. */
export const wantTied = (match: string): void => void keep(consentKey(match), true);
export const wantsTied = (match: string): boolean => recall(consentKey(match), false);

/** Forgets in which matches that is wanted: it was said of a key that this browser forgets. */
export function forgetTied(): void {
  for (const match of keptUnder('tie/')) keep(consentKey(match), undefined);
}

/** What is needed of a seat of this browser. */
export interface Own {
  readonly match: string;
  readonly seat: string;
  readonly view: View | null;
  request(message: ClientMessage & { id: string }): Promise<Accepted>;
}

/** Ties a seat, if its player wants that and it is not tied yet. Rejects with a sentence. */
export async function tie(own: Own): Promise<void> {
  const held = own.view?.seats[own.seat];
  if (!me.key || !held || held.key || !held.name || held.program || own.view?.result) return;
  const { signedSeat } = await import('./key');
  const signature = signedSeat(me.key, own.match, own.seat, held.name);
  await own.request({ type: 'tie_seat', id: newId(), key: me.key.key, signature });
}

/** A key that this browser has met in a match: under which name last, and when (ms). */
export interface Met {
  name: string;
  at: number;
  first: number;
}

export const met = (key: string): Met | null => recall<Met | null>(metKey(key), null);

/** Remembers the keys of the others in a match. */
export function noteMet(view: View, now = Date.now()): void {
  for (const { key, name } of Object.values(view.seats)) {
    if (!key || key === me.key?.key) continue;
    const before = met(key);
    if (before?.name === name && now - before.at < 3_600_000) continue;
    keep(metKey(key), { name, at: now, first: before?.first ?? now });
  }
}
