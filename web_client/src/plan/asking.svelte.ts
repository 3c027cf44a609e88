/** What a unit would see and could do from its ghost: asked for when nothing has changed for a while, one question at a time. */
import type { WhatIf } from '../lib/protocol';
import { notNow, Unanswered } from '../lib/requests';
import type { Ghosts } from './ghosts';

/** How long nothing must change before the server is asked (ms). */
export const SETTLED = 250;
/** How long to wait after a refusal for the moment, doubled with each try up to the longest (ms). */
export const FIRST_RETRY = 1000;
export const LONGEST_RETRY = 8000;

/** The unit that is asked about, the ghosts of all units, and what else the answer depends on (compared by identity). */
export interface Question {
  readonly unit: string;
  readonly ghosts: Ghosts;
  readonly given: readonly unknown[];
}

export class Asking {
  /** The last answer about the unit that is asked about. */
  answer: WhatIf | null = $state.raw(null);
  /** Whether `answer` is to what is asked now. */
  fresh = $state(false);
  /** Why there is no answer. */
  fault = $state('');

  #ask: (unit: string, ghosts: Ghosts) => Promise<WhatIf>;
  #wanted: Question | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #under = false;
  #retry = FIRST_RETRY;

  constructor(ask: (unit: string, ghosts: Ghosts) => Promise<WhatIf>) {
    this.#ask = ask;
  }

  /** Ask this; nothing: null. The same question is not asked again. */
  want(question: Question | null): void {
    if (same(question, this.#wanted)) return;
    if (question?.unit !== this.#wanted?.unit) this.answer = null;
    this.#wanted = question;
    this.fresh = false;
    this.fault = '';
    this.#retry = FIRST_RETRY;
    clearTimeout(this.#timer);
    if (question) this.#timer = setTimeout(() => void this.#fire(), SETTLED);
  }

  async #fire(): Promise<void> {
    const asked = this.#wanted;
    // The answer that is under way comes first; then it is this one's turn.
    if (!asked || this.#under) return;
    this.#under = true;
    let wait = SETTLED;
    try {
      const answer = await this.#ask(asked.unit, asked.ghosts);
      if (asked === this.#wanted) {
        this.answer = answer;
        this.fresh = true;
      }
    } catch (fault) {
      if (!(fault instanceof Unanswered)) throw fault;
      if (notNow(fault)) {
        wait = this.#retry;
        this.#retry = Math.min(2 * wait, LONGEST_RETRY);
      } else if (asked === this.#wanted) {
        this.answer = null;
        this.fault = fault.message;
      }
    } finally {
      this.#under = false;
    }
    if (this.#wanted && !this.fresh && !this.fault) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#fire(), wait);
    }
  }
}

function same(one: Question | null, other: Question | null): boolean {
  if (one === null || other === null) return one === other;
  const given = one.given.length === other.given.length && one.given.every((each, i) => each === other.given[i]);
  return one.unit === other.unit && one.ghosts === other.ghosts && given;
}
