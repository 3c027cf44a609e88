/** Which line of sight is shown: from a unit of one's own to the unit that is pointed at. */
import type { Sight, View } from '../lib/protocol';

const PATIENCE = 120; // ms the pointer rests before one asks

export class Looking {
  sight: Sight | null = $state.raw(null);

  #ask: (unit: string, target: string) => Promise<Sight>;
  #known = new Map<string, Sight>();
  #view: View | null = null;
  #wanted = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ask: (unit: string, target: string) => Promise<Sight>) {
    this.#ask = ask;
  }

  /** Show the lines from `unit` to `target` as they are in `view`; none if either is null. */
  look(view: View, unit: string | null, target: string | null): void {
    if (view !== this.#view) {
      this.#known.clear();
      this.#view = view;
      this.#wanted = '';
      this.sight = null;
    }
    const wanted = unit !== null && target !== null ? `${unit} ${target}` : '';
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    clearTimeout(this.#timer);
    this.sight = this.#known.get(wanted) ?? null;
    if (this.sight || unit === null || target === null) return;
    this.#timer = setTimeout(() => void this.#fetch(view, wanted, unit, target), PATIENCE);
  }

  async #fetch(view: View, wanted: string, unit: string, target: string): Promise<void> {
    try {
      const sight = await this.#ask(unit, target);
      if (view !== this.#view) return;
      this.#known.set(wanted, sight);
      if (wanted === this.#wanted) this.sight = sight;
    } catch {
      // The link is down or the unit is gone: nothing is shown, and the next look asks again.
      if (wanted === this.#wanted) this.#wanted = '';
    }
  }
}
