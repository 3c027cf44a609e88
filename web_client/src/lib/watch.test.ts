import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PING_EVERY, type LinkReport } from './connection';
import type { FeedEvents } from './feed';
import { snapshot, sockets } from './link.fixture';
import { PROTOCOL, type ServerMessage, type Update } from './protocol';
import { IDLE, PATIENCE, RETAINED, SPREAD, WatchLink } from './watch';

const ADDRESS = { url: 'wss://broker/mqtt', root: 'underfire', protocol: PROTOCOL, up: 5_000 };
const LOOK = { type: 'look', id: 'look-1', unit: 'u1', target: 'u2' } as const;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const step = (seq: number): Update => ({ type: 'update', seq, patch: {}, story: [] }) as unknown as Update;

/** Time passes in which the server answers pings. */
function idle(net: ReturnType<typeof sockets>, ms: number): void {
  for (let passed = 0; passed < ms; passed += PING_EVERY) {
    if (!net.last().closed) net.last().hear({ type: 'pong', id: 'x', now: 0, up: 0 });
    vi.advanceTimersByTime(PING_EVERY);
  }
}

/** Someone who watches, with a feed in the hand of the test. */
async function watch(address: typeof ADDRESS | null = ADDRESS, entered?: (wire: WatchLink) => void) {
  const net = sockets();
  const heard: ServerMessage[] = [];
  const reports: LinkReport[] = [];
  const done: string[] = [];
  const ups: number[] = [];
  const opened: { events: FeedEvents | null } = { events: null };
  const link: WatchLink = new WatchLink('m', {
    url: 'ws://here/ws',
    first: () => ({ type: 'enter_match', protocol: PROTOCOL, match: 'm', token: '', since: seen(), name: '' }),
    receive: (message) => heard.push(message),
    report: (report) => reports.push(report),
    entered: () => entered?.(link),
    open: net.open,
    random: () => 1,
    address: () => Promise.resolve(address),
    up: (up) => ups.push(up),
    feed: (_address, _match, events) => {
      opened.events = events;
      return Promise.resolve({
        refresh: () => done.push('refresh'),
        rest: () => done.push('rest'),
        close: () => done.push('close'),
      });
    },
  });
  const seen = (): number => Math.max(-1, ...heard.map((message) => ('seq' in message ? (message.seq as number) : -1)));
  await vi.advanceTimersByTimeAsync(0);
  const state = (): string => reports.at(-1)?.state ?? 'none';
  return { link, net, heard, reports, done, ups, seen, state, feed: opened };
}

describe('the link of a spectator', () => {
  it('asks the server where there is no feed', async () => {
    const { net, state } = await watch(null);
    net.last().enter();
    expect(state()).toBe('live');
    expect(net.last().of('enter_match')).toHaveLength(1);
  });

  it('needs no server while the feed brings everything', async () => {
    const { net, feed, heard, done, ups, state } = await watch();
    feed.events?.snapshot(snapshot(7));
    feed.events?.subscribed();
    feed.events?.step(step(8));
    vi.advanceTimersByTime(10 * IDLE);
    expect(net.all).toHaveLength(0);
    expect(heard.map(({ type }) => type)).toEqual(['snapshot', 'update']);
    expect(state()).toBe('live');
    // Snapshots come no longer, and clocks run by the server's up-time.
    expect(done).toEqual(['rest']);
    expect(ups).toEqual([5_000]);
  });

  it('goes to the server when the feed has nothing of the match, or cannot be reached', async () => {
    const unlisted = await watch();
    unlisted.feed.events?.subscribed();
    vi.advanceTimersByTime(RETAINED);
    expect(unlisted.net.all).toHaveLength(1);
    const away = await watch();
    vi.advanceTimersByTime(PATIENCE);
    expect(away.net.all).toHaveLength(1);
  });

  it('falls back to the server when the feed is lost, and goes on where it was', async () => {
    const { net, feed, heard, state } = await watch();
    feed.events?.snapshot(snapshot(7));
    feed.events?.lost();
    vi.advanceTimersByTime(SPREAD);
    net.last().enter();
    expect(net.last().of('enter_match')[0]?.since).toBe(7);
    net.last().hear(step(8));
    expect(heard.at(-1)).toMatchObject({ seq: 8 });
    expect(state()).toBe('live');
  });

  it('comes back to the feed when that is in step again, and then lets go of the server', async () => {
    const { net, feed, heard } = await watch();
    feed.events?.snapshot(snapshot(7));
    feed.events?.lost();
    vi.advanceTimersByTime(SPREAD);
    net.last().enter();
    net.last().hear(step(8));
    // The feed brings what the server has brought, and from then on what is new.
    feed.events?.snapshot(snapshot(6));
    feed.events?.step(step(8));
    feed.events?.step(step(9));
    net.last().hear(step(9));
    expect(heard.map((message) => ('seq' in message ? message.seq : null))).toEqual([7, null, 8, 9]);
    idle(net, IDLE);
    expect(net.last().closed).toBe(true);
    idle(net, IDLE);
    expect(net.all).toHaveLength(1);
  });

  it('has missing steps brought by what is retained, else by the server', async () => {
    const { net, feed, heard, done } = await watch();
    feed.events?.snapshot(snapshot(7));
    feed.events?.step(step(10));
    expect(done).toEqual(['rest', 'refresh']);
    feed.events?.snapshot(snapshot(10));
    feed.events?.step(step(11));
    expect(heard.map((message) => ('seq' in message ? message.seq : null))).toEqual([7, 10, 11]);
    feed.events?.step(step(13));
    vi.advanceTimersByTime(PATIENCE);
    expect(net.all).toHaveLength(1);
  });

  it('waits for a newer snapshot when what is retained is older than steps that have come', async () => {
    const { net, feed, seen, done } = await watch();
    feed.events?.snapshot(snapshot(7));
    feed.events?.step(step(12));
    feed.events?.snapshot(snapshot(9));
    expect(seen()).toBe(9);
    expect(done).toEqual(['rest', 'refresh']);
    feed.events?.snapshot(snapshot(12));
    expect(seen()).toBe(12);
    expect(done).toEqual(['rest', 'refresh', 'rest']);
    vi.advanceTimersByTime(PATIENCE);
    expect(net.all).toHaveLength(0);
  });

  it('asks the server when no newer snapshot comes', async () => {
    const { net, feed } = await watch();
    feed.events?.snapshot(snapshot(7));
    feed.events?.step(step(12));
    feed.events?.snapshot(snapshot(9));
    vi.advanceTimersByTime(PATIENCE);
    expect(net.all).toHaveLength(1);
  });

  it('keeps steps that come before the snapshot that they follow', async () => {
    const { net, feed, heard, done } = await watch();
    for (const seq of [9, 10]) feed.events?.step(step(seq));
    feed.events?.snapshot(snapshot(8));
    expect(heard.map((message) => ('seq' in message ? message.seq : null))).toEqual([8, 9, 10]);
    feed.events?.step(step(12));
    feed.events?.step(step(13));
    feed.events?.snapshot(snapshot(11));
    expect(heard.map((message) => ('seq' in message ? message.seq : null))).toEqual([8, 9, 10, 11, 12, 13]);
    expect(done).toEqual(['rest', 'refresh', 'rest']);
    vi.advanceTimersByTime(PATIENCE);
    expect(net.all).toHaveLength(0);
  });

  it('opens a link for a question, sends it there, and lets go of it afterwards', async () => {
    const { link, net, feed, heard } = await watch();
    expect(link.send(LOOK)).toBe(false);
    feed.events?.snapshot(snapshot(7));
    expect(link.direct).toBe(false);
    expect(link.send(LOOK)).toBe(true);
    expect(link.direct).toBe(true);
    net.last().enter();
    expect(net.last().of('look')).toEqual([LOOK]);
    net.last().hear({ type: 'accepted', id: 'look-1', seq: 7 });
    expect(heard.at(-1)).toMatchObject({ id: 'look-1' });
    idle(net, IDLE);
    expect(net.last().closed).toBe(true);
    expect(link.send(LOOK)).toBe(true);
    expect(net.all).toHaveLength(2);
  });

  it('sends once what its sender sends again when the server lets us in', async () => {
    const { link, net, feed } = await watch(ADDRESS, (wire) => void wire.send(LOOK));
    feed.events?.snapshot(snapshot(7));
    expect(link.send(LOOK)).toBe(true);
    net.last().enter();
    expect(net.last().of('look')).toHaveLength(1);
  });

  it('is ended by the server, whatever the feed says', async () => {
    const { link, net, feed, state, done } = await watch();
    feed.events?.snapshot(snapshot(7));
    link.send(LOOK);
    net.last().enter();
    net.last().hear({ type: 'goodbye', code: 'removed', sentence: 'Removed.', again: false });
    expect(state()).toBe('ended');
    expect(done.at(-1)).toBe('close');
  });

  it('closes both', async () => {
    const { link, net, feed, done } = await watch();
    feed.events?.snapshot(snapshot(7));
    link.send(LOOK);
    link.close();
    expect(net.last().closed).toBe(true);
    expect(done.at(-1)).toBe('close');
    expect(link.send(LOOK)).toBe(false);
  });
});
