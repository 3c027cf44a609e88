/** The player of this browser: their key, if they have one, and whether they sit down with it. */
import { keep, playerName, recall } from '../lib/storage';
import type { Key } from './key';

const KEY = 'player';
const CONSENTS = 'player-consents';

class Me {
  /** The key; null while there is none. */
  key = $state.raw<Key | null>(recall<Key | null>(KEY, null));
  /** Whether seats are tied to it unless the player says otherwise. */
  consents = $state(recall(CONSENTS, true));

  get name(): string {
    return playerName();
  }

  /** Keeps a key: the browser's own from now on. Says whether it outlives the page. */
  take(key: Key): boolean {
    this.key = key;
    return keep(KEY, key);
  }

  /** Forgets the key. */
  forget(): void {
    this.key = null;
    keep(KEY, undefined);
  }

  /** Notes whether the player wants to sit down with the key. */
  consent(wanted: boolean): void {
    this.consents = wanted;
    keep(CONSENTS, wanted);
  }
}

export const me = new Me();

/** What people compare of a key: its first sixteen digits, in groups of four. */
export const fingerprint = (key: string): string => (key.slice(0, 16).match(/.{4}/g) ?? []).join(' ');
