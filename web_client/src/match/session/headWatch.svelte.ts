/** Whether the server's log of a match is still the one that this browser has seen: asked whenever a connection stands. */
import { forgetHeads, keepHead, keptHeads } from '../../lib/heads';
import type { Accepted } from '../../lib/protocol';
import { notNow, Unanswered } from '../../lib/requests';

/** How long to wait before one asks again what was refused only for the moment (milliseconds). */
const ONCE_MORE = 5_000;

export class HeadWatch {
  /** The hash of the log's entry that was told last; "" while none was. */
  head = $state('');
  /** The hash that this browser has kept and that the server's log does not have; "" if there is none. */
  lost = $state('');

  /** What was kept before is in the log, so that what is told now goes on from it. */
  private agreed = false;
  /** Counts the connections: an answer that comes over an earlier one says nothing. */
  private asking = 0;
  private again: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param match which match
   * @param ask asks the server whether an entry has a hash
   */
  constructor(
    private readonly match: string,
    private readonly ask: (head: string) => Promise<Accepted>,
  ) {}

  /** A connection stands: ask whether the log is still the one that was seen. Until then nothing is kept. */
  begin(): void {
    clearTimeout(this.again);
    this.agreed = false;
    const head = keptHeads(this.match).at(-1);
    if (head === undefined) this.agree();
    else void this.compare(head, ++this.asking);
  }

  /** Take in the hash of an entry that the server has told. */
  hear(head: string | undefined): void {
    if (!head) return;
    this.head = head;
    if (this.agreed) keepHead(this.match, head);
  }

  /** The player takes the server's log for the right one: what was kept is forgotten. */
  believe(): void {
    forgetHeads(this.match);
    this.agree();
  }

  close(): void {
    clearTimeout(this.again);
    this.asking++;
  }

  private async compare(head: string, asking: number): Promise<void> {
    try {
      await this.ask(head);
      if (asking === this.asking) this.agree();
    } catch (reason) {
      if (asking !== this.asking) return;
      if (reason instanceof Unanswered && reason.refusal?.code === 'other_log') this.lost = head;
      else if (notNow(reason)) this.again = setTimeout(() => void this.compare(head, asking), ONCE_MORE);
      // Else the connection was lost: it is asked again when there is another one.
    }
  }

  private agree(): void {
    this.agreed = true;
    this.lost = '';
    if (this.head) keepHead(this.match, this.head);
  }
}
