/** The start page's link: what can be played here, and the matches that are listed. */
import { Link, type LinkReport } from './connection';
import {
  PROTOCOL,
  type ClientMessage,
  type Force,
  type ForceChecked,
  type ForceReport,
  type MakeMatch,
  type OptionValue,
  type MatchInfo,
  type MatchMade,
  type SeatTaken,
  type ServerMessage,
  type Status,
  type TakeSeat,
  type Welcome,
} from './protocol';
import { Requests, Unanswered } from './requests';
import { LARGEST_FRAME, newId, pack } from './wire';

export class Lobby {
  welcome = $state.raw<Welcome | null>(null);
  /** Null until the server has told. */
  matches = $state.raw<readonly MatchInfo[] | null>(null);
  link = $state.raw<LinkReport>({ state: 'connecting', since: Date.now(), sentence: '', code: '' });
  status = $state.raw<Status | null>(null);
  /** Since when the server takes no orders, by this machine's clock. */
  readOnlySince = $state(0);
  private readonly requests = new Requests();
  private readonly wire: Link;

  constructor(open?: ConstructorParameters<typeof Link>[0]['open']) {
    this.wire = new Link({
      first: () => ({ type: 'enter_lobby', protocol: PROTOCOL }),
      receive: (message) => {
        if (message.type === 'welcome') this.welcome = message;
        else if (message.type === 'matches') this.matches = message.matches;
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
  }

  private hear(status: Status): void {
    if (status.state !== this.status?.state) this.readOnlySince = Date.now();
    this.status = status;
  }

  close(): void {
    this.wire.close();
    this.requests.abandon();
  }

  /** Asks something that may carry a force: what the server would not read is not sent. */
  private ask<Reply extends ServerMessage>(message: ClientMessage & { id: string }): Promise<Reply> {
    if (pack(message).length > LARGEST_FRAME) {
      return Promise.reject(new Unanswered('That is more than the server reads at once: take smaller forces.'));
    }
    return this.requests.ask<Reply>(message.id, () => this.wire.send(message));
  }

  make(wish: Omit<MakeMatch, 'type' | 'id'>): Promise<MatchMade> {
    return this.ask({ type: 'make_match', id: newId(), ...wish });
  }

  take(wish: Omit<TakeSeat, 'type' | 'id'>): Promise<SeatTaken> {
    return this.ask({ type: 'take_seat', id: newId(), ...wish });
  }

  /** What the rules say of a force, under the options of a match. */
  async check(force: Force, options: Record<string, OptionValue>): Promise<ForceReport> {
    return (await this.ask<ForceChecked>({ type: 'check_force', id: newId(), force, options })).report;
  }
}
