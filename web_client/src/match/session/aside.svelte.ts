/** What a seat does on the desk: take back, offer, agree, concede, claim. Each waits for the server's yes or no. */
import type { ClockTerms, Claim, Concede, MakeOffer, OfferKind, Refused, Respond, TakeBack } from '../../lib/protocol';
import { newId } from '../../lib/wire';

export type AsideMessage = TakeBack | MakeOffer | Respond | Concede | Claim;

const KINDS: readonly string[] = ['take_back', 'offer', 'respond', 'concede', 'claim'] satisfies AsideMessage['type'][];

export const isAside = (message: { type: string }): message is AsideMessage => KINDS.includes(message.type);

export class Aside {
  /** The messages that wait for their result. */
  waiting = $state.raw<readonly AsideMessage[]>([]);
  /** The last refusal, until the next attempt. */
  refusal = $state.raw<{ readonly about: AsideMessage; readonly refused: Refused } | null>(null);

  /** `give` sends a message until there is a result. */
  constructor(private readonly give: (message: AsideMessage) => void) {}

  /** Whether a message of this type waits. */
  busy(type: AsideMessage['type']): boolean {
    return this.waiting.some((message) => message.type === type);
  }

  /**
   * Takes back one's last decision, or all since a frame of one's own: at once, or, where it needs that, when the others
   * consent.
   */
  takeBack(frame = -1): void {
    if (!this.busy('take_back')) this.tell({ type: 'take_back', id: newId(), frame });
  }

  offer(kind: Exclude<OfferKind, 'take_back' | 'hand_over'>, clock: ClockTerms | null = null): void {
    if (!this.busy('offer')) this.tell({ type: 'offer', id: newId(), kind, clock });
  }

  /** Offers that a program plays a seat ("": one's own) in its player's place; without a program, that one's own is taken back. */
  handOver(program: string, hand = ''): void {
    if (!this.busy('offer')) this.tell({ type: 'offer', id: newId(), kind: 'hand_over', hand, program });
  }

  respond(offer: string, accept: boolean): void {
    if (!this.waiting.some((message) => message.type === 'respond' && message.offer === offer)) {
      this.tell({ type: 'respond', id: newId(), offer, accept });
    }
  }

  concede(): void {
    if (!this.busy('concede')) this.tell({ type: 'concede', id: newId() });
  }

  claim(): void {
    if (!this.busy('claim')) this.tell({ type: 'claim', id: newId() });
  }

  /** What waited over a reload. */
  resume(messages: readonly AsideMessage[]): void {
    this.waiting = messages;
  }

  /** The server has said yes (no refusal) or no. */
  settle(message: AsideMessage, refused: Refused | null): void {
    this.waiting = this.waiting.filter((each) => each.id !== message.id);
    if (refused) this.refusal = { about: message, refused };
  }

  private tell(message: AsideMessage): void {
    this.refusal = null;
    this.waiting = [...this.waiting, message];
    this.give(message);
  }
}
