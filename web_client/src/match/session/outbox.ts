/**
 * Messages that were sent but are not yet acknowledged. They are kept over a lost link and over a reload, and sent again with the
 * same id: the server takes each once, and answers a second time with its first result.
 */
import type { Answer, Order, Say } from '../../lib/protocol';
import { keep, recall } from '../../lib/storage';
import type { AsideMessage } from './aside.svelte';

export type Kept = Answer | Order | Say | AsideMessage;

export class Outbox {
  private waiting: Kept[];

  constructor(private readonly key: string) {
    this.waiting = recall<Kept[]>(this.key, [], 'sessionStorage');
  }

  /** Everything that waits for its result, oldest first. */
  get all(): readonly Kept[] {
    return this.waiting;
  }

  put(message: Kept): void {
    this.waiting.push(message);
    this.store();
  }

  /** The message that a result belongs to, which then waits no longer; undefined when it is none of ours. */
  settle(id: string): Kept | undefined {
    const index = this.waiting.findIndex((message) => message.id === id);
    if (index < 0) return undefined;
    const [message] = this.waiting.splice(index, 1);
    this.store();
    return message;
  }

  private store(): void {
    keep(this.key, this.waiting.length > 0 ? this.waiting : undefined, 'sessionStorage');
  }
}
