/** The name of this browser as a spectator. Players have the names of their seats. */
import { keep, playerName, recall } from '../../lib/storage';

const KEY = 'watching-as';

class Watching {
  #name = $state(recall<string>(KEY, ''));

  /** The chosen name; "" for none so far. */
  get name(): string {
    return this.#name;
  }

  set name(name: string) {
    this.#name = name;
    keep(KEY, name || undefined);
  }

  /** What may be offered as a name: the one that was given for a seat. */
  get suggestion(): string {
    return this.#name || playerName();
  }
}

export const watching = new Watching();
