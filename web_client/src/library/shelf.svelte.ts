/** Shelves: forces and positions that this browser keeps. */
import { keep, keptUnder, recall } from '../lib/storage';

/** A thing on a shelf. */
export interface Kept {
  id: string;
  /** When it was last changed, in milliseconds of this machine's clock. */
  changed: number;
}

export class Shelf<Thing extends Kept> {
  /** Newest first. */
  all = $state.raw<readonly Thing[]>([]);
  /** What was taken away last, until it is put back or forgotten. */
  gone = $state.raw<Thing | null>(null);
  /** Whether what is put here is still there when the page is closed. */
  lasting = $state(true);

  /**
   * A shelf whose things are stored under keys that begin with `under`. `whole` says of what was stored whether it can be
   * shown at all.
   */
  constructor(
    private readonly under: string,
    private readonly whole: (kept: Partial<Thing>) => boolean,
  ) {
    this.look();
    // A change in another tab applies to this one too.
    globalThis.addEventListener?.('storage', () => this.look());
  }

  private look(): void {
    this.all = keptUnder(this.under)
      .map((id) => ({ ...recall<Partial<Thing> | null>(this.under + id, null), id }))
      .filter((kept): kept is Thing => this.whole(kept as Partial<Thing>))
      .sort((a, b) => b.changed - a.changed || (a.id < b.id ? -1 : 1));
  }

  get(id: string): Thing | null {
    return this.all.find((kept) => kept.id === id) ?? null;
  }

  /** Stores a thing in the place of the one with its id. */
  protected store(kept: Thing): void {
    this.lasting = keep(this.under + kept.id, kept);
    this.look();
  }

  /** Takes a thing away; it can be put back. */
  remove(id: string): void {
    this.gone = this.get(id);
    keep(this.under + id, undefined);
    this.look();
  }

  putBack(): void {
    if (this.gone) keep(this.under + this.gone.id, this.gone);
    this.gone = null;
    this.look();
  }
}
