/**
 * The link of a spectator: frames come from the public feed where there is one, so that those who watch cost the server nothing,
 * and from the server where there is none, or while it is away. What is asked of the server goes to the server.
 */
import { Link, type LinkOptions, type LinkReport, type Wire } from './connection';
import { feedAddress, openFeed, type Feed, type FeedAddress, type FeedEvents } from './feed';
import { PROTOCOL, type ClientMessage, type ServerMessage, type Snapshot, type Update } from './protocol';

/** How long the feed may take before the server is asked (ms). */
export const PATIENCE = 3_000;
/** How long after it was subscribed to what the feed retains of a match must have come (ms). */
export const RETAINED = 500;
/** How long a link to the server is kept after the last question, while the feed is in step (ms). */
export const IDLE = 30_000;
/** How many steps are kept that came too early. */
const MOST_EARLY = 256;
/** When the feed is lost, those who watch come to the server one after the other (ms). */
export const SPREAD = 500;

export interface WatchOptions extends LinkOptions {
  /** For tests: where the feed is, and how it is opened. */
  address?: () => Promise<FeedAddress | null>;
  feed?: (address: FeedAddress, match: string, events: FeedEvents) => Promise<Feed>;
  /** Tells the server's up-time (ms). */
  up: (up: number) => void;
}

export class WatchLink implements Wire {
  private server: Link | null = null;
  private feed: Feed | null = null;
  /** The last frame that was passed on; -1 for none. */
  private seq = -1;
  /** Whether the feed has brought all up to the last frame. */
  private inStep = false;
  /** The newest step that the feed has brought; -1 for none. */
  private newest = -1;
  /** Steps that came before those that precede them, by their numbers. */
  private readonly early = new Map<number, Update>();
  private ended = false;
  private waiting: ClientMessage[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private idle: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly match: string,
    private readonly options: WatchOptions,
  ) {
    void this.begin();
  }

  get direct(): boolean {
    return this.server !== null;
  }

  send(message: ClientMessage): boolean {
    if (this.ended) return false;
    if (this.server?.send(message)) {
      // Who asked may send it again when the link stands, before we do.
      this.waiting = this.waiting.filter((one) => one !== message);
      this.rest();
      return true;
    }
    if (!this.inStep) return false;
    // There is no link to the server, or not yet: it goes out when the server has let us in.
    this.waiting.push(message);
    this.toServer();
    return true;
  }

  again(): void {
    this.server?.again();
  }

  close(): void {
    this.ended = true;
    clearTimeout(this.timer);
    clearTimeout(this.idle);
    this.feed?.close();
    this.server?.close();
  }

  private async begin(): Promise<void> {
    const address = await (this.options.address ?? feedAddress)();
    if (this.ended) return;
    if (!address?.url || address.protocol !== PROTOCOL) return this.toServer();
    this.options.up(address.up);
    this.timer = setTimeout(() => this.toServer(), PATIENCE);
    try {
      const feed = await (this.options.feed ?? openFeed)(address, this.match, {
        subscribed: () => this.subscribed(),
        snapshot: (snapshot) => this.snapshot(snapshot),
        step: (step) => this.step(step),
        lost: () => this.lost(),
      });
      if (this.ended) feed.close();
      else this.feed = feed;
    } catch {
      this.toServer();
    }
  }

  /** The match may not be published at all: it is unlisted, or was over long ago. */
  private subscribed(): void {
    if (this.inStep) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.toServer(), RETAINED);
  }

  private snapshot(snapshot: Snapshot): void {
    if (snapshot.seq < this.seq || (this.inStep && snapshot.seq === this.seq)) return;
    if (snapshot.seq > this.seq) this.pass(snapshot);
    this.goOn();
    // One that is older than steps that have come is followed by another.
    if (this.seq >= this.newest) this.caughtUp();
  }

  private step(step: Update): void {
    this.newest = Math.max(this.newest, step.seq);
    // The server may have been faster while it had to be asked.
    if (step.seq < this.seq) return;
    if (step.seq > this.seq) this.keep(step);
    if (this.seq < 0) return;
    this.goOn();
    if (this.seq >= this.newest) return this.caughtUp();
    // Steps are missing: what is retained has them.
    if (!this.inStep) return;
    this.inStep = false;
    this.feed?.refresh();
    this.timer = setTimeout(() => this.toServer(), PATIENCE);
  }

  private keep(step: Update): void {
    this.early.set(step.seq, step);
    for (const oldest of this.early.keys()) {
      if (this.early.size <= MOST_EARLY) break;
      this.early.delete(oldest);
    }
  }

  /** Passes on the steps that follow the last frame without a gap. */
  private goOn(): void {
    for (let next = this.early.get(this.seq + 1); next; next = this.early.get(this.seq + 1)) this.pass(next);
    for (const seq of this.early.keys()) if (seq <= this.seq) this.early.delete(seq);
  }

  /** The feed has brought the last frame: the server is needed for questions only. */
  private caughtUp(): void {
    clearTimeout(this.timer);
    if (this.inStep) return;
    this.inStep = true;
    this.feed?.rest();
    this.options.report({ state: 'live', since: Date.now(), sentence: '', code: '' });
    this.rest();
  }

  private lost(): void {
    if (this.ended || (!this.inStep && this.server)) return;
    this.inStep = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.toServer(), (this.options.random ?? Math.random)() * SPREAD);
  }

  /** Lets go of the server after a while without a question, while the feed is in step. */
  private rest(): void {
    clearTimeout(this.idle);
    if (!this.server || !this.inStep) return;
    this.idle = setTimeout(() => this.leaveServer(), IDLE);
  }

  private leaveServer(): void {
    if (!this.inStep) return;
    this.server?.close();
    this.server = null;
  }

  private toServer(): void {
    clearTimeout(this.timer);
    if (this.server || this.ended) return;
    this.server = new Link({
      ...this.options,
      receive: (message) => this.fromServer(message),
      report: (report) => this.serverReports(report),
      entered: () => {
        this.options.entered?.();
        for (const message of this.waiting.splice(0)) this.server?.send(message);
        this.rest();
      },
    });
  }

  private fromServer(message: ServerMessage): void {
    if (message.type === 'welcome') this.options.up(message.up);
    if (message.type === 'snapshot' || message.type === 'update') {
      // The feed may have been faster.
      if (message.seq > this.seq || (message.type === 'snapshot' && !this.inStep)) this.pass(message);
      return;
    }
    this.options.receive(message);
  }

  private serverReports(report: LinkReport): void {
    if (report.state === 'ended') {
      // Whatever the feed still brings: the server has the last word.
      this.inStep = false;
      this.feed?.close();
      this.feed = null;
    } else if (this.inStep && report.state !== 'live' && this.waiting.length === 0) {
      // Frames go on to come; what was asked over this link is not answered any more.
      this.options.report(report);
      this.options.report({ state: 'live', since: Date.now(), sentence: '', code: '' });
      void this.readUp();
      return;
    } else if (this.inStep) return;
    this.options.report(report);
  }

  /** Reads the up-time anew: whether it has gone on is not known after a loss. */
  private async readUp(): Promise<void> {
    const address = await (this.options.address ?? feedAddress)();
    if (address && !this.ended) this.options.up(address.up);
  }

  private pass(message: Snapshot | Update): void {
    this.seq = message.seq;
    this.options.receive(message);
  }
}
