/**
 * The public feed of a match: what a broker has retained of it, and each step as it is published. See `docs/feed.md`.
 *
 * The library that speaks to the broker is fetched only where there is a feed.
 */
import type { MqttClient } from 'mqtt';
import type { ServerMessage, Snapshot, Update } from './protocol';
import { randomHex, unpack } from './wire';

/** Where the feed is ("" for nowhere), the protocol of its frames, and the server's up-time (ms), by which clocks run. */
export interface FeedAddress {
  readonly url: string;
  readonly root: string;
  readonly protocol: number;
  readonly up: number;
}

/** What comes of a feed. */
export interface FeedEvents {
  /** All that was retained of the match when one subscribed has come: it may be nothing. */
  subscribed: () => void;
  snapshot: (snapshot: Snapshot) => void;
  step: (step: Update) => void;
  /** Nothing more comes: the broker is away, the feed has ended, or the match is no longer published. */
  lost: () => void;
}

/** An open feed of one match. */
export interface Feed {
  /** Has the broker send the snapshot that it retains, and newer ones as they come. */
  refresh: () => void;
  /** Steps are enough from now on. */
  rest: () => void;
  close: () => void;
}

const VERSION = 1;
/** Between two attempts to reach the broker (ms). */
const RETRY = 5_000;
const PATIENCE = 5_000;
const KEEP_ALIVE = 20;

/** Where the server says that the feed is; null where there is none. */
export async function feedAddress(): Promise<FeedAddress | null> {
  try {
    const answer = await fetch('/feed.json', { cache: 'no-store' });
    return answer.ok ? ((await answer.json()) as FeedAddress) : null;
  } catch {
    return null;
  }
}

/** The feed of a match, as far as the broker can be reached. */
export async function openFeed(address: FeedAddress, match: string, events: FeedEvents): Promise<Feed> {
  const { default: mqtt } = await import('mqtt');
  const base = `${address.root}/${VERSION}`;
  const topics = {
    feed: `${base}/feed`,
    steps: `${base}/matches/${match}/steps`,
    now: `${base}/matches/${match}/snapshot`,
  };
  const client: MqttClient = mqtt.connect(address.url, {
    protocolVersion: 5,
    clientId: `watch-${randomHex(8)}`,
    clean: true,
    keepalive: KEEP_ALIVE,
    connectTimeout: PATIENCE,
    reconnectPeriod: RETRY,
    resubscribe: false,
    // Its other timers run in a worker that is made from a text, which our pages do not allow.
    timerVariant: 'native',
  });
  client.on('connect', () => {
    client.subscribe([topics.feed, topics.steps, topics.now], { qos: 1 }, (error) => {
      if (!error) events.subscribed();
    });
  });
  client.on('message', (topic, payload) => {
    if (topic === topics.feed) {
      if (!online(payload)) events.lost();
      return;
    }
    // What was retained is cleared: the match is no longer published.
    if (payload.length === 0) return events.lost();
    const message: ServerMessage | null = unpack(new Uint8Array(payload).buffer);
    if (message?.type === 'snapshot' && topic === topics.now) events.snapshot(message);
    else if (message?.type === 'update' && topic === topics.steps) events.step(message);
  });
  client.on('close', () => events.lost());
  client.on('error', () => events.lost());
  return {
    refresh: () => {
      client.unsubscribe(topics.now, () => client.subscribe(topics.now, { qos: 1 }));
    },
    rest: () => {
      client.unsubscribe(topics.now);
    },
    close: () => {
      client.end(true);
    },
  };
}

function online(payload: Uint8Array): boolean {
  try {
    return (JSON.parse(new TextDecoder().decode(payload)) as { state?: unknown }).state === 'online';
  } catch {
    return false;
  }
}
