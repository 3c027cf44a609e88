/** What a player missed while the page was closed or out of sight: everything after the frame that was seen last. */
import { keep, recall, seenKey } from '../../lib/storage';

export class Away {
  /** The last frame that was seen before the player was away; null: nothing was missed. */
  since = $state<number | null>(null);
  /** The newest frame when the player came back: what is live after that is not missed. */
  until = $state(-1);
  readonly #key: string;

  constructor(match: string, seat: string) {
    this.#key = seenKey(match, seat);
    this.since = this.#kept();
  }

  /** The page has come back into sight, with this newest frame. */
  back(seq: number): void {
    const kept = this.#kept();
    if (kept !== null) this.lack(kept, seq);
  }

  /** Nothing was seen between these frames, as the connection was lost. */
  lack(from: number, seq: number): void {
    if (from >= seq) return;
    this.since ??= from;
    this.until = seq;
  }

  /** Whether something that began with frame `first` was missed; what came `live` was so only before the player was back. */
  missed({ first, live }: { first: number; live: boolean }): boolean {
    return this.since !== null && first > this.since && (!live || first <= this.until);
  }

  /** The player has seen enough of it. */
  skip(): void {
    this.since = null;
  }

  #kept(): number | null {
    const frame = recall<unknown>(this.#key, null);
    return typeof frame === 'number' ? frame : null;
  }
}

/** Remembers that the player of a seat has seen a match up to this frame. */
export function saw(match: string, seat: string, seq: number): void {
  if (seq > recall(seenKey(match, seat), -1)) keep(seenKey(match, seat), seq);
}
