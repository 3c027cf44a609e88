/** A match being replayed: the frames of one audience as they are fetched, and, while it goes on, those that follow. */
import { Link, type LinkReport } from '../lib/connection';
import { PROTOCOL, type Exported, type LuckReport, type ReplayPart, type ServerMessage } from '../lib/protocol';
import type { Snapshot, Status } from '../lib/protocol';
import { notNow, Requests, Unanswered } from '../lib/requests';
import { holding } from '../lib/storage';
import { newId } from '../lib/wire';
import { Timeline } from './timeline';

/** How long to wait before one asks again what was refused only for the moment (milliseconds). */
const ONCE_MORE = 2_000;

/** Everything there is, as a view; told only once a match is over. */
export const ALL = '*';

export class FetchedReplay {
  /** The match as it stands now, for this connection's audience. */
  now = $state.raw<Snapshot | null>(null);
  /** Whose view is shown: a seat, "" for spectators, "*" for everything; null until that can be decided. */
  view = $state<string | null>(null);
  over = $state(false);
  /** How many frames there are so far; `timeline` has them. */
  known = $state(0);
  /** The number of the last frame, as far as the server has said. */
  last = $state(-1);
  /** Everything that was there when it was asked for has come. */
  whole = $state(false);
  timeline = $state.raw<Timeline | null>(null);
  /** How the match began, with its table and its words. */
  start = $state.raw<Snapshot | null>(null);
  link = $state.raw<LinkReport>({ state: 'connecting', since: Date.now(), sentence: '', code: '' });
  status = $state.raw<Status | null>(null);
  readOnlySince = $state(0);
  /** Why the replay cannot be shown. */
  fault = $state('');

  private fetching = false;
  private more = false;
  private again: ReturnType<typeof setTimeout> | undefined;
  private readonly requests = new Requests();
  private readonly wire: Link;

  /**
   * @param match which match
   * @param view whose view; null: one's own, and everything where one has none and the match is over
   * @param grown is called whenever frames have come
   * @param open opens a websocket, for tests
   */
  constructor(
    readonly match: string,
    view: string | null,
    private readonly grown: () => void = () => undefined,
    open?: ConstructorParameters<typeof Link>[0]['open'],
  ) {
    this.view = view;
    const { tokens } = holding(match);
    const token = tokens[view ?? ''] ?? (view === '' ? '' : (Object.values(tokens)[0] ?? ''));
    this.wire = new Link({
      first: () => ({ type: 'enter_match', protocol: PROTOCOL, match, token, since: -1 }),
      receive: (message) => this.receive(message),
      report: (report) => this.hear(report),
      ...(open ? { open } : {}),
    });
  }

  close(): void {
    clearTimeout(this.again);
    this.wire.close();
    this.requests.abandon();
  }

  /** The match so far as a text to read. */
  exportText(): Promise<Exported> {
    const id = newId();
    return this.requests.ask(id, () => this.wire.send({ type: 'export_text', id }));
  }

  /** The last step up to a frame as a case, which runs without a server. */
  exportCase(frame: number): Promise<Exported> {
    const id = newId();
    return this.requests.ask(id, () => this.wire.send({ type: 'export_case', id, view: this.view ?? '', frame }));
  }

  /** What luck each roll had; refused while the match goes on. */
  luckReport(): Promise<LuckReport> {
    const id = newId();
    return this.requests.ask(id, () => this.wire.send({ type: 'ask_luck_report', id }));
  }

  private hear(report: LinkReport): void {
    this.link = report;
    if (report.state === 'live') return;
    this.status = null;
    this.requests.abandon();
  }

  private receive(message: ServerMessage): void {
    switch (message.type) {
      case 'snapshot':
        this.now = message;
        this.over = message.view.result !== null;
        this.view ??= message.seat === '' && this.over ? ALL : message.seat;
        void this.fetch();
        return;
      case 'update':
        if (message.patch && 'result' in message.patch) this.over = message.patch.result !== null;
        this.last = Math.max(this.last, this.ownView ? message.seq : this.last);
        void this.fetch();
        return;
      case 'status':
        if (message.state !== this.status?.state) this.readOnlySince = Date.now();
        this.status = message;
        return;
      case 'goodbye':
        if (!message.again) this.fault = message.sentence;
        return;
      default:
        this.requests.settle(message);
    }
  }

  /** Whether what is shown is what the connection's updates are about. */
  private get ownView(): boolean {
    return this.view === this.now?.seat;
  }

  /** Fetches whatever is not here yet. */
  private async fetch(): Promise<void> {
    this.more = true;
    if (this.fetching || this.view === null) return;
    this.fetching = true;
    clearTimeout(this.again);
    try {
      while (this.more) {
        this.more = false;
        this.take(await this.ask(this.view));
      }
    } catch (reason) {
      this.stop(reason);
    } finally {
      this.fetching = false;
    }
  }

  private ask(view: string): Promise<ReplayPart> {
    const [id, after] = [newId(), this.timeline?.last ?? -1];
    return this.requests.ask(id, () => this.wire.send({ type: 'replay', id, view, after }));
  }

  private take(part: ReplayPart): void {
    if (!this.timeline) {
      if (!part.start) throw new Unanswered('The server did not say how the match began.');
      this.start = part.start;
      this.timeline = new Timeline(part.start.view, part.start.seq);
    }
    this.timeline.add(part.frames);
    this.known = this.timeline.end;
    this.last = Math.max(this.last, part.last);
    this.more ||= part.more && part.frames.length > 0;
    this.whole ||= !part.more;
    this.fault = '';
    this.grown();
  }

  private stop(reason: unknown): void {
    const refusal = reason instanceof Unanswered ? reason.refusal : null;
    if (notNow(reason)) {
      this.again = setTimeout(() => void this.fetch(), ONCE_MORE);
    } else if (refusal || !(reason instanceof Unanswered)) {
      this.fault = refusal?.sentence ?? String(reason);
    } else if (this.link.state === 'live') {
      this.fault = reason.message;
    }
    // Else the link is lost: the next snapshot asks again.
  }
}
