/** Questions to the server that are answered once and never kept: previews, sight, earlier story, files. */
import type { Refused, ServerMessage } from './protocol';

/** A question without an answer: the server refused it, or the link was lost. */
export class Unanswered extends Error {
  constructor(
    message: string,
    readonly refusal: Refused | null = null,
  ) {
    super(message);
  }
}

/** Refusals that say "not now" instead of "no": the same is asked or sent again after a while. */
const NOT_NOW = ['rate', 'busy', 'restarting', 'internal', 'database_away'];
export const passing = ({ code }: Refused): boolean => NOT_NOW.includes(code);

/** Whether a question failed for the moment only. */
export const notNow = (reason: unknown): boolean =>
  reason instanceof Unanswered && reason.refusal !== null && passing(reason.refusal);

interface Open {
  resolve: (message: ServerMessage) => void;
  reject: (reason: Unanswered) => void;
}

export class Requests {
  private readonly open = new Map<string, Open>();

  /** A promise of the reply to the message `id`, which `send` sends (false: it could not). */
  ask<Reply extends ServerMessage>(id: string, send: () => boolean): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (!send()) reject(new Unanswered('There is no connection at the moment.'));
      else this.open.set(id, { resolve: resolve as (message: ServerMessage) => void, reject });
    });
  }

  /** Gives a message to the question that it answers; false if it answers none. */
  settle(message: ServerMessage): boolean {
    if (!('id' in message)) return false;
    const waiting = this.open.get(message.id);
    if (!waiting) return false;
    this.open.delete(message.id);
    if (message.type === 'refused') waiting.reject(new Unanswered(message.sentence, message));
    else waiting.resolve(message);
    return true;
  }

  /** The link is lost: every open question is rejected. */
  abandon(): void {
    for (const { reject } of this.open.values()) reject(new Unanswered('The connection was lost.'));
    this.open.clear();
  }
}
