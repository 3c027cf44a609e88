/** For tests: a websocket in the hand of the test, and what a server says. */
import { decode, encode } from '@msgpack/msgpack';
import type { Socket } from './connection';
import type { ClientMessage, ServerMessage, Snapshot, View } from './protocol';

export class FakeSocket implements Socket {
  binaryType = '';
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: (() => void) | null = null;
  readonly sent: ClientMessage[] = [];
  closed = false;

  send(data: Uint8Array<ArrayBuffer>): void {
    this.sent.push(decode(data) as ClientMessage);
  }

  close(): void {
    this.closed = true;
  }

  /** The server says something. */
  hear(message: ServerMessage): void {
    const bytes = encode(message);
    this.onmessage?.({ data: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) });
  }

  /** The connection is made, and the server lets us in. */
  enter(): void {
    this.onopen?.();
    this.hear({ type: 'welcome', protocol: 1, version: '0', now: 0, editions: [], up: 0, abandoned: '', programs: [] });
  }

  /** What was sent of one kind. */
  of<Type extends ClientMessage['type']>(type: Type): Extract<ClientMessage, { type: Type }>[] {
    return this.sent.filter((message): message is Extract<ClientMessage, { type: Type }> => message.type === type);
  }
}

/** Opens websockets for a link, and keeps them for the test. */
export function sockets(): { all: FakeSocket[]; last: () => FakeSocket; open: () => FakeSocket } {
  const all: FakeSocket[] = [];
  return {
    all,
    last: () => all[all.length - 1]!,
    open: () => {
      const socket = new FakeSocket();
      all.push(socket);
      return socket;
    },
  };
}

export const VIEW: View = {
  title: 'A match',
  turn: 1,
  turn_limit: 6,
  phase: 'activations',
  active_side: '',
  active_unit: '',
  sides: {
    blue: { name: 'Blue', letter: 'B', shape: 'circle', seat: 'b', zone: [], assets: {} },
    red: { name: 'Red', letter: 'R', shape: 'square', seat: 'r', zone: [], assets: {} },
  },
  seats: {
    b: {
      side: 'blue',
      name: 'Ann',
      ready: false,
      asked: false,
      sealed: false,
      force: '',
      brings: [],
      take_back: '',
      conceded: false,
      program: '',
      lent: '',
      key: '',
    },
    r: {
      side: 'red',
      name: 'Ben',
      ready: false,
      asked: false,
      sealed: false,
      force: '',
      brings: [],
      take_back: '',
      conceded: false,
      program: '',
      lent: '',
      key: '',
    },
  },
  units: {
    u1: {
      side: 'blue',
      name: '1st Squad',
      number: 1,
      figures: {
        f1: { at: [1000, 2000], radius: 500, role: '', sign: '', fallen: false, conditions: [], hull: null, facing: 0 },
        f2: { at: [3000, 2000], radius: 500, role: '', sign: '', fallen: false, conditions: [], hull: null, facing: 0 },
      },
      card: {},
      conditions: [],
      activated: false,
      left: '',
      mounts: {},
      aboard: '',
      order: '',
      attached: '',
    },
  },
  terrain: {},
  gone: [],
  objectives: {},
  result: null,
  clock: null,
  offers: {},
  deck: null,
  impact: null,
  special_cards: null,
  advice: false,
  aim: null,
  next: null,
  concludes: 0,
  league: '',
};

export function snapshot(seq: number, more: Partial<Snapshot> = {}): Snapshot {
  return {
    type: 'snapshot',
    head: new Uint8Array(),
    seq,
    match: 'm',
    seat: 'b',
    edition: 'x',
    view: VIEW,
    table: { width: 48000, height: 48000, terrain: [] },
    words: {},
    commitment: '0'.repeat(64),
    prompt: null,
    committed: ['b', 'r'],
    revealed: ['b', 'r'],
    orders: {},
    origin: '',
    ...more,
  };
}
