/** What the rules say of a position while it is being set up: asked when the hand rests, and again when they had no time. */
import type { SetupChecked } from '../protocol';
import { Unanswered } from '../requests';
import type { Setup } from './setup';

export type AskSetup = (setup: Setup) => Promise<SetupChecked>;

/** So long a hand rests before the rules are asked, and so long they are left alone when they had no time (ms). */
export const REST = 300;
export const AGAIN = 2_000;
/** Refusals that say "not now" instead of "no". */
const NOT_NOW = ['rate', 'busy', 'restarting', 'internal', 'database_away'];

export class SetupChecker {
  /** Why the setup that was asked about last is no position; "" for one that is. Null before the first answer. */
  problem: string | null = $state(null);
  /** The last answer with a picture. */
  good: SetupChecked | null = $state.raw(null);
  /** Whether what is said is about another setup than the last one asked about. */
  waiting = $state(false);
  /** Why the rules could not be asked. */
  fault = $state('');
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;

  constructor(private readonly ask: AskSetup) {}

  /** Asks about a setup soon; whatever was asked before does not matter any more. */
  look(setup: Setup, rest = REST): void {
    const turn = ++this.asked;
    this.waiting = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.go(turn, setup), rest);
  }

  close(): void {
    this.asked++;
    clearTimeout(this.timer);
  }

  private async go(turn: number, setup: Setup): Promise<void> {
    try {
      const answer = await this.ask(setup);
      if (turn !== this.asked) return;
      this.problem = answer.problem;
      if (answer.view && answer.table) this.good = answer;
      this.fault = '';
      this.waiting = false;
    } catch (reason) {
      if (turn !== this.asked) return;
      const refusal = reason instanceof Unanswered ? reason.refusal : null;
      if (refusal && NOT_NOW.includes(refusal.code)) return this.look(setup, AGAIN);
      this.waiting = false;
      this.fault = reason instanceof Error ? reason.message : 'The rules could not be asked.';
    }
  }
}
