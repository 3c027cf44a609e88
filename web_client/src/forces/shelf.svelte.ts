/** The forces that this browser keeps. */
import { keep, keptUnder, recall } from '../storage';
import type { Force } from '../protocol';
import { newId } from '../wire';

/** A force on the shelf, with what the rules said of it when it was last open. */
export interface Kept {
  id: string;
  force: Force;
  /** When it was last changed, in milliseconds of this machine's clock. */
  changed: number;
  checked?: { total: number; problems: number };
}

const UNDER = 'force/';

/** Whether something in the storage can be shown as a force at all. */
function whole(kept: Partial<Kept> | null): kept is Kept {
  const force = kept?.force;
  return typeof force?.name === 'string' && typeof force.edition === 'string' && Array.isArray(force.units);
}

class Shelf {
  /** Newest first. */
  all = $state.raw<readonly Kept[]>([]);
  /** What was taken away last, until it is put back or forgotten. */
  gone = $state.raw<Kept | null>(null);
  /** Whether what is put here is still there when the page is closed. */
  lasting = $state(true);

  constructor() {
    this.look();
    // Changed in another tab, it is changed in this one.
    globalThis.addEventListener?.('storage', () => this.look());
  }

  private look(): void {
    this.all = keptUnder(UNDER)
      .map((id) => ({ ...recall<Kept | null>(UNDER + id, null), id }) as Kept)
      .filter(whole)
      .sort((a, b) => b.changed - a.changed || (a.id < b.id ? -1 : 1));
  }

  get(id: string): Kept | null {
    return this.all.find((kept) => kept.id === id) ?? null;
  }

  /** Puts a force there, in the place of the one with this id; says which id it has. */
  put(force: Force, id = newId(), checked?: Kept['checked']): string {
    const kept: Kept = { id, force, changed: Date.now(), ...(checked ? { checked } : {}) };
    this.lasting = keep(UNDER + id, kept);
    this.look();
    return id;
  }

  /** Puts a force there unless just the same one is there already; says which id it has. */
  add(force: Force): string {
    const text = JSON.stringify(force);
    return this.all.find((kept) => JSON.stringify(kept.force) === text)?.id ?? this.put(force);
  }

  /** Notes what the rules say of a force, which is no change of it. */
  note(id: string, checked: Kept['checked']): void {
    const kept = this.get(id);
    if (!kept || JSON.stringify(kept.checked) === JSON.stringify(checked)) return;
    keep(UNDER + id, { ...kept, checked });
    this.look();
  }

  /** Takes a force away; it can be put back. */
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

export const shelf = new Shelf();
