/** Showing to the server that the player's key is ours, once for each connection: leagues know players by it. */
import type { Lobby } from '../lib/lobby.svelte';
import { keepName, playerName } from '../lib/storage';
import { sentenceOf } from '../lib/sentence';
import { Introducing } from '../player/introducing.svelte';
import { me } from '../player/me.svelte';

export class Acquainted {
  /** The key that this connection knows us by; "" while it knows us by none. */
  key = $state('');
  /** Why the server does not know us; "" if nothing went wrong. */
  fault = $state('');
  /** The name under which we are or would be known. */
  name = $state(playerName());
  /** Whether the server is being told. */
  busy = $state(false);
  private readonly introducing: Introducing;

  constructor(private readonly lobby: Lobby) {
    this.introducing = new Introducing(lobby);
  }

  /** Whether there is a key and a name to show. */
  get ready(): boolean {
    return me.key !== null && this.name.trim() !== '';
  }

  /** The connection is lost: the next one does not know us yet. */
  lost(): void {
    this.key = '';
  }

  /** Makes a key if there is none, and introduces the player under a name. */
  async become(name: string): Promise<void> {
    this.name = name.trim();
    keepName(this.name);
    if (!me.key) {
      const { newKey } = await import('../player/key');
      me.take(newKey());
    }
    await this.introduce();
  }

  /** Introduces the player, if there is one. What goes wrong is told as the fault. */
  async introduce(): Promise<void> {
    const { key } = me;
    if (!key || !this.ready || this.key === key.key || this.busy) return;
    this.busy = true;
    this.fault = '';
    try {
      await this.introducing.introduce(key, this.name.trim());
      this.key = this.lobby.link.state === 'live' ? key.key : '';
    } catch (reason) {
      this.fault = sentenceOf(reason, 'The server could not be told who you are.');
    } finally {
      this.busy = false;
    }
  }
}
