/** The positions that this browser keeps. */
import { newId } from '../lib/wire';
import { Shelf, type Kept } from '../library/shelf.svelte';
import type { Setup } from './setup';

export interface KeptSetup extends Kept {
  setup: Setup;
}

const whole = ({ setup }: Partial<KeptSetup>): boolean =>
  typeof setup?.name === 'string' && typeof setup.edition === 'string' && Array.isArray(setup.side);

class Positions extends Shelf<KeptSetup> {
  /** Puts a position there, in the place of the one with this id; says which id it has. */
  put(setup: Setup, id = newId()): string {
    this.store({ id, setup, changed: Date.now() });
    return id;
  }
}

export const positions = new Positions('position/', whole);
