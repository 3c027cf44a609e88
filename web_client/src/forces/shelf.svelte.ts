/** The forces that this browser keeps. */
import type { Force } from '../lib/protocol';
import { newId } from '../lib/wire';
import { Shelf, type Kept } from '../library/shelf.svelte';

/** A force on the shelf, with what the rules said of it when it was last open. */
export interface KeptForce extends Kept {
  force: Force;
  checked?: { total: number; problems: number };
}

const whole = ({ force }: Partial<KeptForce>): boolean =>
  typeof force?.name === 'string' && typeof force.edition === 'string' && Array.isArray(force.units);

class Forces extends Shelf<KeptForce> {
  /** Puts a force there, in the place of the one with this id; says which id it has. */
  put(force: Force, id = newId(), checked?: KeptForce['checked']): string {
    this.store({ id, force, changed: Date.now(), ...(checked ? { checked } : {}) });
    return id;
  }

  /** Puts a force there unless just the same one is there already; says which id it has. */
  add(force: Force): string {
    const text = JSON.stringify(force);
    return this.all.find((kept) => JSON.stringify(kept.force) === text)?.id ?? this.put(force);
  }

  /** Notes what the rules say of a force; that does not count as a change. */
  note(id: string, checked: KeptForce['checked']): void {
    const kept = this.get(id);
    if (!kept || JSON.stringify(kept.checked) === JSON.stringify(checked)) return;
    this.store({ ...kept, ...(checked ? { checked } : {}) });
  }
}

export const shelf = new Forces('force/', whole);
