/** The start page's link: what can be played here, and the matches that are listed. */
import { Link, type LinkReport } from './connection';
import {
  PROTOCOL,
  type Accepted,
  type ClientMessage,
  type Conversion,
  type Force,
  type ForceChecked,
  type ForceConverted,
  type ForceReport,
  type MakeMatch,
  type OptionValue,
  type MatchSummary,
  type MatchMade,
  type MatchPage,
  type SeatTaken,
  type ServerMessage,
  type Status,
  type TakeSeat,
  type Welcome,
} from './protocol';
import { Requests, Unanswered } from './requests';
import { mine, onOtherTab } from './storage';
import { changed, every, extended, last, told, type Told } from './told';
import { upload } from './upload';
import { LARGEST_FRAME, newId, pack } from './wire';

/** So many of one's own matches a server tells of. */
const MOST_OF_MINE = 100;

export class Lobby {
  welcome = $state.raw<Welcome | null>(null);
  /** The listed matches and one's own, each once. Null until the server has told. */
  get matches(): readonly MatchSummary[] | null {
    return this.known;
  }
  /** Whether the server lists more than it has told of. */
  get more(): boolean {
    return this.list?.more ?? false;
  }
  private list = $state.raw<Told | null>(null);
  private known = $derived(this.list && every(this.list));
  /** How far the server's time is ahead of this machine's, in milliseconds. */
  ahead = $state(0);
  link = $state.raw<LinkReport>({ state: 'connecting', since: Date.now(), sentence: '', code: '' });
  status = $state.raw<Status | null>(null);
  /** Since when the server accepts no answers, by this machine's clock. */
  readOnlySince = $state(0);
  private readonly requests = new Requests();
  private readonly wire: Link;
  private told: readonly string[] = [];
  private readonly forgetTabs: () => void;
  /** Questions that wait for their answer. */
  private waiting = 0;

  constructor(open?: ConstructorParameters<typeof Link>[0]['open']) {
    this.wire = new Link({
      first: () => {
        this.told = mine().slice(-MOST_OF_MINE);
        return { type: 'enter_lobby', protocol: PROTOCOL, matches: [...this.told] };
      },
      receive: (message) => {
        if (message.type === 'welcome') {
          this.welcome = message;
          this.ahead = message.now - Date.now();
        } else if (message.type === 'matches') this.list = told(message);
        else if (message.type === 'matches_changed') this.list = this.list && changed(this.list, message);
        else if (message.type === 'status') this.hear(message);
        else this.requests.settle(message);
      },
      report: (report) => {
        this.link = report;
        if (report.state === 'live') return;
        this.status = null;
        this.requests.abandon();
      },
      ...(open ? { open } : {}),
    });
    this.forgetTabs = onOtherTab(() => this.tellMine());
  }

  /** Tells the server anew which matches are ours, when another tab has taken a seat. */
  private tellMine(): void {
    const now = mine().slice(-MOST_OF_MINE);
    // Open questions must not be lost for that: the next connection tells it anyway.
    if (this.waiting > 0 || this.link.state !== 'live' || now.join() === [...this.told].join()) return;
    this.wire.again();
  }

  private hear(status: Status): void {
    if (status.state !== this.status?.state) this.readOnlySince = Date.now();
    this.status = status;
  }

  close(): void {
    this.forgetTabs();
    this.wire.close();
    this.requests.abandon();
  }

  /** Asks something that is answered once. What is larger than the server would read is not sent. */
  async ask<Reply extends ServerMessage>(
    message: ClientMessage & { id: string },
    tooLarge = 'These forces are together larger than the server accepts: choose smaller ones.',
  ): Promise<Reply> {
    if (pack(message).length > LARGEST_FRAME) throw new Unanswered(tooLarge);
    this.waiting += 1;
    try {
      return await this.requests.ask<Reply>(message.id, () => this.wire.send(message));
    } finally {
      this.waiting -= 1;
    }
  }

  /** Sends something large; the name by which the server knows it while this link lives. */
  upload(data: Uint8Array, progress?: (share: number) => void): Promise<string> {
    return upload(data, (part) => this.ask<Accepted>(part), progress);
  }

  /** Has the server tell of one page more of its list. */
  async showMore(): Promise<void> {
    const from = this.list && last(this.list);
    if (!from) return;
    const { state, made_at, match } = from;
    const page = await this.ask<MatchPage>({ type: 'more_matches', id: newId(), state, made_at, match });
    this.list = this.list && extended(this.list, page);
  }

  /** Brings in the file of a match; `progress` hears which share of it has arrived. */
  async import(data: Uint8Array, progress?: (share: number) => void): Promise<MatchMade> {
    const name = await this.upload(data, progress);
    return this.ask({ type: 'import_match', id: newId(), upload: name });
  }

  make(wish: Omit<MakeMatch, 'type' | 'id'>): Promise<MatchMade> {
    return this.ask({ type: 'make_match', id: newId(), ...wish });
  }

  take(wish: Omit<TakeSeat, 'type' | 'id'>): Promise<SeatTaken> {
    return this.ask({ type: 'take_seat', id: newId(), ...wish });
  }

  /** A force made into one for another edition, or why it cannot be. */
  async convert(force: Force, edition: string): Promise<Conversion> {
    return (await this.ask<ForceConverted>({ type: 'convert_force', id: newId(), force, edition })).conversion;
  }

  /** What the rules say of a force, under the options of a match. */
  async check(force: Force, options: Record<string, OptionValue>): Promise<ForceReport> {
    return (await this.ask<ForceChecked>({ type: 'check_force', id: newId(), force, options })).report;
  }
}
