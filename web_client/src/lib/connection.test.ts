import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEAD_AFTER, FIRST_WAIT, Link, LONGEST_WAIT, PING_EVERY, type LinkReport } from './connection';
import { sockets } from './link.fixture';
import type { ServerMessage } from './protocol';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function link(random = 1) {
  const net = sockets();
  const reports: LinkReport[] = [];
  const heard: ServerMessage[] = [];
  let online = true;
  const made = new Link({
    url: 'ws://here/ws',
    first: () => ({ type: 'enter_lobby', protocol: 1 }),
    receive: (message) => heard.push(message),
    report: (report) => reports.push(report),
    open: net.open,
    random: () => random,
    online: () => online,
  });
  return { made, net, reports, heard, state: () => made.report.state, network: (on: boolean) => (online = on) };
}

describe('a link', () => {
  it('is live when the server has let it in, and not before', () => {
    const { made, net, state } = link();
    expect(made.send({ type: 'ping', id: 'x' })).toBe(false);
    net.last().onopen?.();
    expect(net.last().sent).toEqual([{ type: 'enter_lobby', protocol: 1 }]);
    expect(state()).toBe('connecting');
    net.last().enter();
    expect(state()).toBe('live');
    expect(made.send({ type: 'ping', id: 'x' })).toBe(true);
  });

  it('waits longer after each loss, up to a bound, and from the start once it was live', () => {
    const { net, state } = link();
    const waits: number[] = [];
    for (let i = 0; i < 8; i++) {
      net.last().onclose?.();
      const before = Date.now();
      const count = net.all.length;
      while (net.all.length === count) vi.advanceTimersByTime(10);
      waits.push(Date.now() - before);
    }
    expect(waits).toEqual([FIRST_WAIT, 500, 1000, 2000, 4000, 8000, LONGEST_WAIT, LONGEST_WAIT]);
    expect(state()).toBe('reconnecting');
    net.last().enter();
    net.last().onclose?.();
    const count = net.all.length;
    vi.advanceTimersByTime(FIRST_WAIT);
    expect(net.all.length).toBe(count + 1);
  });

  it('spreads its tries over the whole wait', () => {
    const { net } = link(0);
    net.last().onclose?.();
    vi.advanceTimersByTime(0);
    expect(net.all.length).toBe(2);
  });

  it('says since when it is lost, over all tries, and whether the device is offline', () => {
    const { made, net, network } = link();
    net.last().enter();
    network(false);
    net.last().onclose?.();
    const lost = Date.now();
    expect(made.report).toMatchObject({ state: 'offline', since: lost });
    vi.advanceTimersByTime(FIRST_WAIT);
    network(true);
    net.last().onclose?.();
    expect(made.report).toMatchObject({ state: 'reconnecting', since: lost });
  });

  it('pings, and takes a link without any frame for dead within ten seconds', () => {
    const { net, state } = link();
    const first = net.last();
    first.enter();
    vi.advanceTimersByTime(PING_EVERY);
    expect(first.of('ping')).toHaveLength(1);
    first.hear({ type: 'pong', up: 0, id: first.of('ping')[0]!.id, now: 0 });
    vi.advanceTimersByTime(DEAD_AFTER - 1);
    expect(state()).toBe('live');
    vi.advanceTimersByTime(1);
    expect(state()).toBe('reconnecting');
    expect(first.closed).toBe(true);
    expect(first.onmessage).toBeNull();
  });

  it('also gives up a websocket that never opens', () => {
    const { net, state } = link();
    vi.advanceTimersByTime(DEAD_AFTER + PING_EVERY);
    expect(state()).toBe('reconnecting');
    expect(net.all[0]!.closed).toBe(true);
  });

  it('ends for good when the server says so, and reconnects when it says that', () => {
    const ended = link();
    ended.net.last().enter();
    ended.net.last().hear({ type: 'goodbye', code: 'reload', sentence: 'Reload the page.', again: false });
    expect(ended.made.report).toMatchObject({ state: 'ended', code: 'reload', sentence: 'Reload the page.' });
    vi.advanceTimersByTime(60_000);
    expect(ended.net.all).toHaveLength(1);

    const restarting = link();
    restarting.net.last().enter();
    restarting.net.last().hear({ type: 'goodbye', code: 'restart', sentence: '', again: true });
    restarting.net.last().onclose?.();
    vi.advanceTimersByTime(FIRST_WAIT);
    expect(restarting.net.all).toHaveLength(2);
  });

  it('shows why it was sent away, as long as the server says so', () => {
    const { net, made } = link();
    net.last().hear({ type: 'goodbye', code: 'database_away', sentence: 'The database is away.', again: true });
    net.last().onclose?.();
    expect(made.report).toMatchObject({ state: 'reconnecting', sentence: 'The database is away.' });
    vi.advanceTimersByTime(FIRST_WAIT);
    net.last().onclose?.();
    expect(made.report).toMatchObject({ state: 'reconnecting', sentence: '' });
  });

  it('ignores frames that it cannot read', () => {
    const { net, heard, state } = link();
    net.last().enter();
    net.last().onmessage?.({ data: new Uint8Array([0xc1]).buffer });
    net.last().onmessage?.({ data: 'text' });
    expect(heard.map((message) => message.type)).toEqual(['welcome']);
    expect(state()).toBe('live');
  });
});
