/** The start page's link: what can be played here, and the matches that are listed. */
import { Link, type LinkReport } from './connection';
import {
  PROTOCOL,
  type MakeMatch,
  type MatchInfo,
  type MatchMade,
  type SeatTaken,
  type Status,
  type TakeSeat,
  type Welcome,
} from './protocol';
import { Requests } from './requests';
import { newId } from './wire';

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

  make(wish: Omit<MakeMatch, 'type' | 'id'>): Promise<MatchMade> {
    const id = newId();
    return this.requests.ask(id, () => this.wire.send({ type: 'make_match', id, ...wish }));
  }

  take(wish: Omit<TakeSeat, 'type' | 'id'>): Promise<SeatTaken> {
    const id = newId();
    return this.requests.ask(id, () => this.wire.send({ type: 'take_seat', id, ...wish }));
  }
}
