/** One audience of one match: its view, its prompt, the messages it has sent, and its link to the server. */
import { Link, type LinkOptions, type LinkReport, type Wire } from '../../lib/connection';
import { patchView } from '../../lib/merge';
import {
  PROTOCOL,
  type Accepted,
  type Advice,
  type Answer,
  type Channel,
  type ClientMessage,
  type Exported,
  type GhostPlaces,
  type History,
  type WhatIf,
  type Order,
  type Preview,
  type ProgramInfo,
  type Prompt,
  type Refused,
  type ReplayPart,
  type RevealRandomness,
  type ServerMessage,
  type Sight,
  type Snapshot,
  type Status,
  type Story,
  type TableView,
  type Update,
  type Value,
  type View,
  type Word,
} from '../../lib/protocol';
import { passing, Requests } from '../../lib/requests';
import type { Offer } from '../../lib/router.svelte';
import { fromHex, hex, newId } from '../../lib/wire';
import { changes, type Changes } from '../../table/changes';
import { wholeTable } from '../../table/world';
import { Aside, isAside } from './aside.svelte';
import { nextStep, taken } from './dice';
import { HeadWatch } from './headWatch.svelte';
import { accept } from './offer';
import { Outbox, type Kept } from './outbox';
import { StoryLog, type Entry } from './story';
import { UpTime } from './uptime';
import { watching } from './watching.svelte';

/** The parts of an answer, as the draft gives them. */
export interface Picked {
  choice: string;
  values: Value[];
}

/** How long to wait before sending again what was refused only for the moment (ms). */
const ONCE_MORE = 2_000;
/** How many lines of story the page keeps at most. */
const LONGEST_STORY = 10_000;

export class MatchState {
  view = $state.raw<View | null>(null);
  table = $state.raw<TableView | null>(null);
  words = $state.raw<Record<string, Word>>({});
  /** The standing orders that units can be given, by key; none: empty. */
  orders = $state.raw<Record<string, Word>>({});
  edition = $state('');
  /** Where the match comes from, in a sentence, unless it was begun from a scenario: "". */
  origin = $state('');
  /** The programs that can play seats of this server's matches. */
  programs = $state.raw<readonly ProgramInfo[]>([]);
  link = $state.raw<LinkReport>({ state: 'connecting', since: Date.now(), sentence: '', code: '' });
  status = $state.raw<Status | null>(null);
  /** Since when the server accepts no answers, by this machine's clock. */
  readOnlySince = $state(0);
  entries = $state.raw<readonly Entry[]>([]);
  /** What the last frame changed on the table in which anything did, since this page was opened. */
  changes = $state.raw<Changes | null>(null);
  /** Whether earlier lines than those in `entries` can be recalled. */
  more = $state(false);
  committed = $state.raw<readonly string[]>([]);
  revealed = $state.raw<readonly string[]>([]);
  /** The answer that waits for its result. */
  sending = $state.raw<Answer | null>(null);
  /** The last answer's refusal, until the next attempt. */
  refusal = $state.raw<Refused | null>(null);
  /** Standing orders that wait for their result. */
  ordering = $state.raw<readonly Order[]>([]);
  /** The last standing order that was refused, until the next attempt. */
  orderRefusal = $state.raw<{ readonly unit: string; readonly refused: Refused } | null>(null);
  /** What was wrong with the last line of chat. */
  chatRefusal = $state('');
  /** The token was not accepted: the seat is not ours. */
  turnedAway = $state('');
  /** The operator's policy for stalled matches without a clock, in a sentence. */
  abandoned = $state('');
  /** What the seat does on the desk. */
  readonly aside = new Aside((message) => this.give(message));
  /** The server's up-time, by which clocks run. */
  readonly upTime = new UpTime();
  /** Whether the server's log is the one that this browser has seen. */
  readonly heads: HeadWatch;

  /** What the seat is asked. */
  private open = $state.raw<Prompt | null>(null);
  private seq = -1;
  private recalling = false;
  private stepsTaken = new Set<string>();
  /** The share of the dice that waits for its result. */
  private revealing: RevealRandomness | null = null;
  /** Shares of the dice that the server did not take. */
  private sharesRefused: string[] = [];
  private readonly story = new StoryLog();
  private readonly outbox: Outbox;
  private readonly requests = new Requests();
  private readonly wire: Wire;

  constructor(
    readonly match: string,
    readonly seat: string,
    token: string,
    open?: ConstructorParameters<typeof Link>[0]['open'],
    /** The link that brought the token, until the server has let it in as that seat's. */
    private offer: Offer | null = null,
    wiring: (options: LinkOptions) => Wire = (options) => new Link(options),
  ) {
    this.heads = new HeadWatch(match, (head) => this.checkHead(head));
    this.outbox = new Outbox(`outbox/${match}/${seat}`);
    this.sending = this.waitingAnswer();
    this.ordering = this.waitingOrders();
    this.aside.resume(this.outbox.all.filter(isAside));
    this.wire = wiring({
      first: () => ({ type: 'enter_match', protocol: PROTOCOL, match, token, since: this.seq, name: this.called }),
      receive: (message) => this.receive(message),
      report: (report) => this.hear(report),
      entered: () => {
        this.heads.begin();
        this.sendAll();
      },
      ...(open ? { open } : {}),
    });
  }

  /** What the player is asked: nothing while a program plays the seat. */
  get prompt(): Prompt | null {
    return this.lent ? null : this.open;
  }

  /** Whether a program plays the seat in its player's place. */
  get lent(): boolean {
    return (this.view?.seats[this.seat]?.program ?? '') !== '';
  }

  /** The table with all terrain on it, that which came about in play included. */
  get ground(): TableView | null {
    return this.table && this.view ? wholeTable(this.table, this.view) : this.table;
  }

  /** The name that a spectator has chosen; a seat has its own. */
  private get called(): string {
    return this.seat === '' ? watching.name : '';
  }

  /** Enters again under the name that a spectator has chosen. */
  rename(): void {
    this.wire.again();
  }

  close(): void {
    this.heads.close();
    this.wire.close();
    this.requests.abandon();
  }

  /** Asks something that is answered once. Rejects with a sentence. */
  request<Reply extends ServerMessage = Accepted>(message: ClientMessage & { id: string }): Promise<Reply> {
    return this.requests.ask<Reply>(message.id, () => this.wire.send(message));
  }

  /** Gives an answer to the open prompt; it is sent again until the server has said yes or no. */
  answer(prompt: Prompt, picked: Picked): void {
    if (this.sending) return;
    const answer: Answer = { type: 'answer', id: newId(), prompt: prompt.id, ...picked };
    this.refusal = null;
    this.sending = answer;
    this.give(answer);
  }

  say(text: string, channel: Channel = 'table'): void {
    this.chatRefusal = '';
    this.give({ type: 'say', id: newId(), text, channel });
  }

  /** Sends a message, again with each new connection, until there is a result. */
  private give(message: Kept): void {
    this.outbox.put(message);
    this.wire.send(message);
  }

  /** Sends what has no result yet; over a token that may be another seat's nothing is said. */
  private sendAll(): void {
    if (!this.offer) this.outbox.all.forEach((message) => this.wire.send(message));
  }

  /** Gives a unit of one's own a standing order. */
  order(unit: string, order: string): void {
    this.orderRefusal = null;
    this.give({ type: 'order', id: newId(), unit, order });
    this.ordering = this.waitingOrders();
  }

  preview(prompt: Prompt, picked: Picked): Promise<Preview> {
    const id = newId();
    return this.requests.ask(id, () => this.wire.send({ type: 'ask_preview', id, prompt: prompt.id, ...picked }));
  }

  /** What the computer would answer to the prompt, and why. No other audience hears of it. */
  advice(prompt: Prompt): Promise<Advice> {
    const id = newId();
    return this.requests.ask(id, () => this.wire.send({ type: 'ask_advice', id, prompt: prompt.id }));
  }

  look(unit: string, target: string): Promise<Sight> {
    const id = newId();
    return this.requests.ask(id, () => this.wire.send({ type: 'look', id, unit, target }));
  }

  /** What `unit` would see and could do if one's own units stood at `ghosts`. No other audience hears of it. */
  whatIf(unit: string, ghosts: Readonly<Record<string, GhostPlaces>>): Promise<WhatIf> {
    const id = newId();
    return this.requests.ask(id, () => this.wire.send({ type: 'ask_what_if', id, unit, ghosts }));
  }

  /** Whether an entry of the server's log has this hash. */
  private checkHead(head: string): Promise<Accepted> {
    const id = newId();
    return this.requests.ask(id, () => this.wire.send({ type: 'check_head', id, head: fromHex(head) }));
  }

  exportSetup(): Promise<Exported> {
    const id = newId();
    return this.requests.ask(id, () => this.wire.send({ type: 'export_setup', id }));
  }

  /** The match so far as a text to read. */
  exportText(): Promise<Exported> {
    const id = newId();
    return this.requests.ask(id, () => this.wire.send({ type: 'export_text', id }));
  }

  /** Reports the chat of a frame to the server's operator. */
  report(frame: number, reason: string): Promise<Accepted> {
    const id = newId();
    return this.requests.ask(id, () => this.wire.send({ type: 'report', id, frame, reason }));
  }

  /** Asks for the story before what is known; nothing happens while that is under way. */
  async recall(): Promise<void> {
    if (this.recalling || !this.story.more) return;
    this.recalling = true;
    const [id, before] = [newId(), this.story.from];
    try {
      const history = await this.requests.ask<History>(id, () => this.wire.send({ type: 'recall', id, before }));
      if (before === this.story.from) {
        this.story.recall(history.frames, history.more);
        for (const { seq, story } of history.frames) void this.unwind(seq, story);
      }
      this.showStory();
    } catch {
      // It is asked for again when the link is back, or when the player scrolls up again.
    } finally {
      this.recalling = false;
    }
  }

  /** Marks what a frame took back, if it did; only the replay says how far back it goes. */
  private async unwind(seq: number, story: readonly Story[]): Promise<void> {
    if (!this.wire.direct || !story.some(({ kind }) => kind === 'back')) return;
    const id = newId();
    try {
      const ask = { type: 'replay', id, view: this.seat, after: seq - 1 } as const;
      const part = await this.requests.ask<ReplayPart>(id, () => this.wire.send(ask));
      const back = part.frames.find((frame) => frame.seq === seq)?.back ?? -1;
      if (back < 0) return;
      this.story.undo(back, seq);
      this.showStory();
    } catch {
      // Without an answer the log says only that something was taken back.
    }
  }

  private hear(report: LinkReport): void {
    this.link = report;
    if (report.state === 'live') return;
    this.upTime.stop();
    this.status = null;
    this.stepsTaken.clear();
    this.requests.abandon();
  }

  private receive(message: ServerMessage): void {
    switch (message.type) {
      case 'welcome':
        this.abandoned = message.abandoned;
        this.programs = message.programs ?? [];
        return this.upTime.begin(message.up);
      case 'pong':
        return this.upTime.hear(message.up);
      case 'snapshot':
        return this.begin(message);
      case 'update':
        return this.advance(message);
      case 'status':
        if (message.state !== this.status?.state) this.readOnlySince = Date.now();
        this.status = message;
        return;
      case 'goodbye':
        if (message.code === 'wrong_token') this.turnedAway = message.sentence;
        return;
      case 'accepted':
      case 'refused':
        if (!this.settle(message)) this.requests.settle(message);
        return;
      default:
        this.requests.settle(message);
    }
  }

  /** The server has let in the token of a link. Says whether it is for the seat that the link says. */
  private welcomed(offer: Offer, seat: string): boolean {
    if (seat !== offer.seat) {
      this.turnedAway = 'This link is not for the seat that it names.';
      this.close();
      return false;
    }
    accept(this.match, offer);
    this.offer = null;
    this.sendAll();
    return true;
  }

  private begin(snapshot: Snapshot): void {
    if (this.offer && !this.welcomed(this.offer, snapshot.seat)) return;
    this.seq = snapshot.seq;
    this.view = snapshot.view;
    this.changes = null;
    this.table = snapshot.table;
    this.words = snapshot.words;
    this.orders = snapshot.orders;
    this.edition = snapshot.edition;
    this.origin = snapshot.origin ?? '';
    this.open = snapshot.prompt;
    this.committed = snapshot.committed;
    this.revealed = snapshot.revealed;
    this.heads.hear(hex(snapshot.head));
    this.passed();
    this.story.restart(snapshot.seq);
    this.showStory();
    // Those who watch the public feed ask for it when they want it.
    if (this.wire.direct) void this.recall();
    this.doDice();
  }

  private advance(update: Update): void {
    if (!this.view || update.seq <= this.seq) return;
    if (update.seq !== this.seq + 1) {
      // A frame is missing: ask for everything since the last whole one.
      this.wire.again();
      return;
    }
    this.seq = update.seq;
    if (update.patch) {
      const before = this.view;
      this.view = patchView(before, update.patch);
      this.changes = changes(before, this.view, update.seq) ?? this.changes;
    }
    if (update.head) this.heads.hear(hex(update.head));
    this.passed();
    if (update.story) {
      this.story.add(update.seq, update.story, Date.now());
      void this.unwind(update.seq, update.story);
    }
    if (update.closed) this.open = null;
    if (update.prompt) {
      this.open = update.prompt;
      this.refusal = null;
    }
    this.committed = update.committed ?? this.committed;
    this.revealed = update.revealed ?? this.revealed;
    this.showStory();
    this.doDice();
  }

  /** The clocks were read at a moment that is over by now. */
  private passed(): void {
    if (this.view?.clock) this.upTime.passed(this.view.clock.at);
  }

  private settle(result: Accepted | Refused): boolean {
    if (this.revealing?.id === result.id) {
      this.shared(this.revealing.randomness, result);
      return true;
    }
    const kept = this.outbox.all.find((message) => message.id === result.id);
    if (kept && result.type === 'refused' && passing(result)) {
      setTimeout(() => this.outbox.all.includes(kept) && this.wire.send(kept), ONCE_MORE);
      return true;
    }
    const settled = this.outbox.settle(result.id);
    if (!settled) return false;
    if (settled.type === 'answer') {
      this.sending = this.waitingAnswer();
      if (result.type === 'refused') this.refusal = result;
    } else if (settled.type === 'order') {
      this.ordering = this.waitingOrders();
      if (result.type === 'refused') this.orderRefusal = { unit: settled.unit, refused: result };
    } else if (isAside(settled)) {
      this.aside.settle(settled, result.type === 'refused' ? result : null);
    } else if (result.type === 'refused') {
      this.chatRefusal = result.sentence;
    }
    return true;
  }

  private waitingAnswer(): Answer | null {
    return this.outbox.all.find((message) => message.type === 'answer') ?? null;
  }

  private waitingOrders(): readonly Order[] {
    return this.outbox.all.filter((message) => message.type === 'order');
  }

  private doDice(): void {
    // Programs have no share in the dice.
    const seats = Object.entries(this.view?.seats ?? {}).flatMap(([seat, { program }]) => (program ? [] : [seat]));
    const step = nextStep(this.match, this.seat, seats, this.committed, this.revealed, this.sharesRefused);
    if (!step || this.stepsTaken.has(step.type)) return;
    // Once a connection: if it got lost on the way, the next snapshot shows it missing still.
    if (!this.wire.send(step)) return;
    this.stepsTaken.add(step.type);
    if (step.type === 'reveal') this.revealing = step;
  }

  /** The server has taken a share of the dice, or wants another one than that. */
  private shared(randomness: string, result: Accepted | Refused): void {
    this.revealing = null;
    if (result.type === 'accepted') return taken(this.match, this.seat, randomness);
    if (result.code !== 'wrong_randomness') return;
    this.sharesRefused.push(randomness);
    this.stepsTaken.delete('reveal');
    this.doDice();
  }

  private showStory(): void {
    this.entries = this.story.entries;
    this.more = this.story.more && this.entries.length < LONGEST_STORY;
  }
}
