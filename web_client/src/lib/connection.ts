/**
 * A link to the server that mends itself: one websocket at a time, a ping when it is quiet, an end to it when nothing
 * comes back, and a new one after a random wait (full jitter, so that a thousand tabs do not come back at once).
 */
import type { ClientMessage, ServerMessage } from './protocol';
import { newId, pack, unpack } from './wire';

export const PING_EVERY = 2_500;
/** A link that was silent for so long is dead, even if the browser holds it open (ms). */
export const DEAD_AFTER = 9_000;
export const FIRST_WAIT = 250;
export const LONGEST_WAIT = 10_000;

export type LinkState = 'connecting' | 'live' | 'reconnecting' | 'offline' | 'ended';

/** The state of the link, for people: since when (ms of this machine's clock), and the server's last sentence. */
export interface LinkReport {
  state: LinkState;
  since: number;
  sentence: string;
  code: string;
}

/** The part of a websocket that a link uses. */
export interface Socket {
  binaryType: string;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
  send(data: Uint8Array<ArrayBuffer>): void;
  close(): void;
}

/** What carries the messages of one place at a match. */
export interface Wire {
  /** Whether there is a link to the server, so that a question costs no new one. */
  readonly direct: boolean;
  /** Sends a message to the server; says whether it went out. */
  send(message: ClientMessage): boolean;
  /** Begins again at once, with a new first message. */
  again(): void;
  /** Ends it for good. */
  close(): void;
}

export interface LinkOptions {
  /** The first message on each new websocket, made anew each time: it says where to go on. */
  first: () => ClientMessage;
  receive: (message: ServerMessage) => void;
  report: (report: LinkReport) => void;
  /** Called when a new websocket was let in, before anything else that comes. */
  entered?: () => void;
  url?: string;
  open?: (url: string) => Socket;
  random?: () => number;
  online?: () => boolean;
}

const address = (): string => `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`;

export class Link implements Wire {
  readonly direct = true;
  report: LinkReport = { state: 'connecting', since: Date.now(), sentence: '', code: '' };
  private socket: Socket | null = null;
  private tries = 0;
  /** Why the server ended this websocket, though one is to come back; nothing if it did not say. */
  private parting = '';
  private heard = 0;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private pulse: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly options: LinkOptions) {
    if (typeof window !== 'undefined') {
      window.addEventListener('online', this.hurry);
      window.addEventListener('offline', this.offline);
      document.addEventListener('visibilitychange', this.hurry);
    }
    this.connect();
  }

  /** Sends a message if the link is live; says whether it went out (not whether it arrived: see `Outbox`). */
  send(message: ClientMessage): boolean {
    if (this.report.state !== 'live' || !this.socket) return false;
    this.socket.send(pack(message));
    return true;
  }

  /** Ends the link for good. */
  close(): void {
    this.drop();
    clearTimeout(this.retry);
    if (typeof window !== 'undefined') {
      window.removeEventListener('online', this.hurry);
      window.removeEventListener('offline', this.offline);
      document.removeEventListener('visibilitychange', this.hurry);
    }
  }

  /** Begins again at once, with a new first message. */
  again(): void {
    this.drop();
    this.tries = 0;
    this.connect();
  }

  private connect(): void {
    clearTimeout(this.retry);
    this.retry = undefined;
    const open = this.options.open ?? ((url: string): Socket => new WebSocket(url) as unknown as Socket);
    const socket = open(this.options.url ?? address());
    this.socket = socket;
    this.listened();
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => socket.send(pack(this.options.first()));
    socket.onmessage = ({ data }) => this.heardFrom(data);
    socket.onclose = () => this.lost();
    this.pulse = setInterval(() => this.beat(), PING_EVERY);
  }

  private heardFrom(data: unknown): void {
    this.listened();
    if (!(data instanceof ArrayBuffer)) return;
    const message = unpack(data);
    if (!message) return;
    if (message.type === 'goodbye') {
      if (message.again) {
        this.parting = message.sentence;
      } else {
        this.drop();
        this.say('ended', message.sentence, message.code);
      }
    } else if (message.type === 'welcome') {
      this.tries = 0;
      this.say('live');
      this.options.entered?.();
    }
    this.options.receive(message);
  }

  /** Something came (or a new websocket begins): from now on silence is counted anew. */
  private listened(): void {
    this.heard = Date.now();
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.lost(), DEAD_AFTER);
  }

  private beat(): void {
    // A page that was suspended has missed its timers.
    if (Date.now() - this.heard >= DEAD_AFTER) this.lost();
    else this.send({ type: 'ping', id: newId() });
  }

  private lost(): void {
    this.drop();
    this.say(this.online() ? 'reconnecting' : 'offline', this.parting);
    this.parting = '';
    const longest = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.tries);
    this.tries = Math.min(this.tries + 1, 12);
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.connect(), longest * (this.options.random ?? Math.random)());
  }

  /** Forgets the websocket without waiting for its end: a dead one takes minutes to close. */
  private drop(): void {
    clearInterval(this.pulse);
    clearTimeout(this.silence);
    if (!this.socket) return;
    this.socket.onopen = this.socket.onmessage = this.socket.onclose = null;
    this.socket.close();
    this.socket = null;
  }

  private say(state: LinkState, sentence = '', code = ''): void {
    // "Reconnecting since" counts from the loss, not from the last try.
    const waiting = (s: LinkState): boolean => s === 'reconnecting' || s === 'offline';
    const since = waiting(state) && waiting(this.report.state) ? this.report.since : Date.now();
    this.report = { state, since, sentence, code };
    this.options.report(this.report);
  }

  private online(): boolean {
    return (this.options.online ?? (() => typeof navigator === 'undefined' || navigator.onLine !== false))();
  }

  /** The network is back, or the page is visible again: try again at once. */
  private readonly hurry = (): void => {
    if (typeof document !== 'undefined' && document.visibilityState === 'hidden') return;
    if (this.retry !== undefined && !this.socket) this.connect();
    else if (this.socket) this.beat();
  };

  private readonly offline = (): void => {
    if (this.socket && this.report.state !== 'ended') this.lost();
  };
}
