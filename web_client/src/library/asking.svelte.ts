/** Asks the rules about the edited document when the player pauses, and again when the server was busy. */
import { notNow } from '../lib/requests';
import { sentenceOf } from '../lib/sentence';

/** How long to wait before asking a busy server again (ms). */
export const AGAIN = 2_000;

export abstract class Asking<Question, Answer> {
  /** Whether what is said is about another question than the last one. */
  waiting = $state(false);
  /** Why the rules could not be asked. */
  fault = $state('');
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;

  protected constructor(private readonly ask: (question: Question) => Promise<Answer>) {}

  /** What the rules say to the last question; null: they could not be asked, and `fault` says why. */
  protected abstract hear(question: Question, answer: Answer | null): void;

  /** Asks after `rest` (ms), unless there is another question by then; what was asked before does not matter any more. */
  protected soon(question: Question, rest: number): void {
    const turn = ++this.asked;
    this.waiting = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.go(turn, question), rest);
  }

  close(): void {
    this.asked++;
    clearTimeout(this.timer);
  }

  private async go(turn: number, question: Question): Promise<void> {
    let answer: Answer | null = null;
    let fault = '';
    try {
      answer = await this.ask(question);
    } catch (reason) {
      if (turn === this.asked && notNow(reason)) return this.soon(question, AGAIN);
      fault = sentenceOf(reason, 'The server could not check it against the rules.');
    }
    if (turn !== this.asked) return;
    this.fault = fault;
    this.waiting = false;
    this.hear(question, answer);
  }
}
