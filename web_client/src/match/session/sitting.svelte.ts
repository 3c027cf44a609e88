/**
 * Everything this browser holds at one match: a link for each of its seats (several: hot-seat), or one to watch. One of
 * them is in front; when another one is asked, the hand-over happens by itself.
 */
import type { Offer } from '../../lib/router.svelte';
import { holding } from '../../lib/storage';
import { WatchLink } from '../../lib/watch';
import { Planning } from '../../plan/planning.svelte';
import { Draft } from '../../table/draft.svelte';
import { MatchState } from './match.svelte';
import { Orders } from './orders.svelte';

/** Long enough to see the effect of one's own answer (figures walk for 400 ms), short enough not to feel like waiting (ms). */
const HAND_OVER = 600;

/** A seat of this browser: what it sees, what it is about to answer, and what it plans. */
export interface Place {
  seat: string;
  match: MatchState;
  orders: Orders;
  planning: Planning;
}

function place(match: string, seat: string, token: string, offer: Offer | null = null): Place {
  return placed(new MatchState(match, seat, token, undefined, offer));
}

/** The place of those who watch. */
function watching(match: string): Place {
  const state: MatchState = new MatchState(match, '', '', undefined, null, (options) => {
    return new WatchLink(match, { ...options, up: (up) => state.upTime.begin(up) });
  });
  return placed(state);
}

function placed(state: MatchState): Place {
  const draft = new Draft(
    () => state.view!,
    () => state.ground!,
  );
  return { seat: state.seat, match: state, orders: new Orders(state, draft), planning: new Planning(state) };
}

export class Sitting {
  readonly places: readonly Place[];
  private at = $state(0);
  /** The seat that has to look at the screen next; nothing of the match is shown until its player says so. */
  passing = $state<string | null>(null);
  /** The seat whose player has said to be alone at the screen. */
  private alone = '';
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** The place at the seat that a link offers. */
  private readonly offered: Place | undefined;

  /** With `offer`, its token is tried for its seat; what this browser keeps for that seat is left as it is meanwhile. */
  constructor(
    readonly id: string,
    offer: Offer | null = null,
  ) {
    const others = Object.entries(holding(id).tokens).filter(([seat]) => seat !== offer?.seat);
    const places = others.map(([seat, token]) => place(id, seat, token));
    if (offer) this.offered = place(id, offer.seat, offer.token, offer);
    if (this.offered) places.push(this.offered);
    this.places = places.length > 0 ? places : [watching(id)];
  }

  /** Whether the server has let in the token of the link, if a link has brought one, or has turned it away. */
  get settled(): boolean {
    return !this.offered || this.offered.match.view !== null || this.refused !== '';
  }

  /** Why the server refused the link's token; "" if it has not refused it. */
  get refused(): string {
    return this.offered?.match.turnedAway ?? '';
  }

  get now(): Place {
    return this.places[this.at]!;
  }

  /** The side of the one seat that is played here; "" for those who watch, or play several. */
  get own(): string {
    const { seat, match } = this.now;
    return this.places.length === 1 ? (match.view?.seats[seat]?.side ?? '') : '';
  }

  /** Whether the seats of this browser have secrets from each other, so that each player has to look alone. */
  private get secret(): boolean {
    return this.places.some(({ match }) => match.prompt?.sealed);
  }

  /** Puts a seat in front; over a screen that hides the table, while seats have secrets from each other. */
  show(seat: string): void {
    clearTimeout(this.timer);
    const at = this.places.findIndex((each) => each.seat === seat);
    if (at < 0 || at === this.at) return;
    this.at = at;
    this.cover();
  }

  /** The next player has taken the device. */
  taken(): void {
    this.alone = this.now.seat;
    this.passing = null;
  }

  /** Hides the table, while seats have secrets, until the next player says that they have the device. */
  private cover(): void {
    if (this.places.length > 1 && this.secret && this.alone !== this.now.seat) this.passing = this.now.seat;
    else this.passing = null;
  }

  /** Whether all that this browser's seats have left to set down may be set down at once. */
  get placesAll(): boolean {
    return this.places.length > 1 && !this.secret;
  }

  /** Sets all units of all seats of this browser down where it is suggested. */
  placeAll(): void {
    for (const { orders } of this.places) orders.placeRest();
  }

  /** Hands over to the seat that is asked, if the one in front is not. To be called whenever prompts change. */
  handOver(): void {
    clearTimeout(this.timer);
    const asked = ({ match, orders }: Place): boolean => match.prompt !== null && !orders.waiting;
    const next = asked(this.now) ? undefined : this.places.find(asked);
    if (!next) return this.cover();
    const wait = this.now.match.view === null || this.secret || next.orders.placing ? 0 : HAND_OVER;
    this.timer = setTimeout(() => this.show(next.seat), wait);
  }

  close(): void {
    clearTimeout(this.timer);
    for (const { match } of this.places) match.close();
  }
}
