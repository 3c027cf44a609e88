/** Checks a position against the rules while it is being set up. */
import type { SetupChecked } from '../lib/protocol';
import { Asking } from '../library/asking.svelte';
import type { Setup } from './setup';

export type AskSetup = (setup: Setup) => Promise<SetupChecked>;

/** How long the player must pause before the rules are asked (ms). */
export const REST = 300;

export class SetupChecker extends Asking<Setup, SetupChecked> {
  /** Why the setup that was asked about last is no position; "" for one that is. Null before the first answer. */
  problem: string | null = $state(null);
  /** The last answer with a picture. */
  good: SetupChecked | null = $state.raw(null);

  constructor(ask: AskSetup) {
    super(ask);
  }

  /** Check this setup after a short pause. */
  look(setup: Setup, rest = REST): void {
    this.soon(setup, rest);
  }

  protected override hear(_: Setup, answer: SetupChecked | null): void {
    if (!answer) return;
    this.problem = answer.problem;
    if (answer.view && answer.table) this.good = answer;
  }
}
