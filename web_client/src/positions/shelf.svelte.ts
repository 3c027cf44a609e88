/** The positions that this browser keeps. */
import { keep, keptUnder, recall } from '../storage';
import { newId } from '../wire';
import type { Setup } from './setup';

export interface KeptSetup {
  id: string;
  setup: Setup;
  /** When it was last changed, in milliseconds of this machine's clock. */
  changed: number;
}

const UNDER = 'position/';

/** Whether something in the storage can be shown as a position at all. */
function whole(kept: Partial<KeptSetup> | null): kept is KeptSetup {
  const setup = kept?.setup;
  return typeof setup?.name === 'string' && typeof setup.edition === 'string' && Array.isArray(setup.side);
}

class Shelf {
  /** Newest first. */
  all = $state.raw<readonly KeptSetup[]>([]);
  /** What was taken away last, until it is put back or forgotten. */
  gone = $state.raw<KeptSetup | null>(null);
  /** Whether what is put here is still there when the page is closed. */
  lasting = $state(true);

  constructor() {
    this.look();
    // Changed in another tab, it is changed in this one.
    globalThis.addEventListener?.('storage', () => this.look());
  }

  private look(): void {
    this.all = keptUnder(UNDER)
      .map((id) => ({ ...recall<KeptSetup | null>(UNDER + id, null), id }) as KeptSetup)
      .filter(whole)
      .sort((a, b) => b.changed - a.changed || (a.id < b.id ? -1 : 1));
  }

  get(id: string): KeptSetup | null {
    return this.all.find((kept) => kept.id === id) ?? null;
  }

  /** Puts a position there, in the place of the one with this id; says which id it has. */
  put(setup: Setup, id = newId()): string {
    const kept: KeptSetup = { id, setup, changed: Date.now() };
    this.lasting = keep(UNDER + id, kept);
    this.look();
    return id;
  }

  /** Takes a position away; it can be put back. */
  remove(id: string): void {
    this.gone = this.get(id);
    keep(UNDER + id, undefined);
    this.look();
  }

  putBack(): void {
    if (this.gone) keep(UNDER + this.gone.id, this.gone);
    this.gone = null;
    this.look();
  }
}

export const positions = new Shelf();
