import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FIRST_WAIT } from '../lib/connection';
import { snapshot, sockets, VIEW } from '../lib/link.fixture';
import type { ReplayFrame, View } from '../lib/protocol';
import { keepToken } from '../lib/storage';
import { ALL, FetchedReplay } from './fetched.svelte';
import { viewChoices } from './views';

vi.mock('../ui/clock.svelte', () => ({ ago: String }));

const made: FetchedReplay[] = [];
const OVER: View = { ...VIEW, result: { winner: 'blue', reason: 'Because.', rule: '', how: 'rules' } };

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('location', { protocol: 'http:', host: 'here' });
});
afterEach(() => {
  made.splice(0).forEach((replay) => replay.close());
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const frames = (from: number, to: number): ReplayFrame[] =>
  Array.from({ length: to - from }, (_, i) => ({ seq: from + i + 1, at: 0, turn: 1, patch: { turn: from + i + 1 } }));

function replay(match: string, view: string | null) {
  const net = sockets();
  const grown = vi.fn();
  const one = new FetchedReplay(match, view, grown, net.open);
  made.push(one);
  net.last().enter();
  /** Answers the last question for frames. */
  const tell = async (from: number, to: number, last: number): Promise<void> => {
    const asked = net.last().of('replay').at(-1)!;
    expect(asked.after).toBe(from === 0 ? -1 : from);
    net.last().hear({
      type: 'replay_part',
      id: asked.id,
      frames: frames(from, to),
      last,
      more: to < last,
      start: from === 0 ? snapshot(0) : null,
    });
    await vi.advanceTimersByTimeAsync(0);
  };
  return { one, net, grown, tell };
}

describe('a replay', () => {
  it('fetches a match part by part, and then what follows', async () => {
    const { one, net, grown, tell } = replay('parts', '');
    expect(net.last().of('enter_match')[0]).toMatchObject({ match: 'parts', token: '', since: -1 });
    net.last().hear(snapshot(5, { seat: '' }));
    await tell(0, 3, 5);
    expect([one.known, one.last, one.whole]).toEqual([3, 5, false]);
    await tell(3, 5, 5);
    expect([one.known, one.whole]).toEqual([5, true]);
    expect(one.timeline!.at(5).turn).toBe(5);
    expect(grown).toHaveBeenCalledTimes(2);
    expect(net.last().of('replay')).toHaveLength(2);
    // Two updates while one question is open make one more.
    net.last().hear({ type: 'update', seq: 6 });
    net.last().hear({ type: 'update', seq: 7 });
    await tell(5, 6, 6);
    await tell(6, 7, 7);
    expect(one.known).toBe(7);
    expect(net.last().of('replay')).toHaveLength(4);
  });

  it('asks for a step of its view as a case', async () => {
    const { one, net, tell } = replay('cases', '');
    net.last().hear(snapshot(3, { seat: '' }));
    await tell(0, 3, 3);
    const saving = one.exportCase(2);
    const [asked] = net.last().of('export_case');
    expect(asked).toMatchObject({ view: '', frame: 2 });
    net.last().hear({ type: 'exported', id: asked!.id, filename: 'm-case-2.json', text: '{}' });
    await expect(saving).resolves.toMatchObject({ filename: 'm-case-2.json' });
  });

  it('goes on where it was when the link was lost', async () => {
    const { one, net, tell } = replay('lost', '');
    net.last().hear(snapshot(5, { seat: '' }));
    await tell(0, 3, 5);
    net.last().onclose?.();
    await vi.advanceTimersByTimeAsync(FIRST_WAIT);
    net.last().enter();
    expect(one.fault).toBe('');
    net.last().hear(snapshot(5, { seat: '' }));
    await tell(3, 5, 5);
    expect([one.known, one.fault]).toEqual([5, '']);
  });

  it('looks through one’s own eyes; through all where one has none and the match is over', () => {
    keepToken('own', 'b', 'secret');
    const own = replay('own', null);
    expect(own.net.last().of('enter_match')[0]).toMatchObject({ token: 'secret' });
    own.net.last().hear(snapshot(5, { view: OVER }));
    expect(own.net.last().of('replay')[0]).toMatchObject({ view: 'b' });
    const guest = replay('guest', null);
    guest.net.last().hear(snapshot(5, { seat: '', view: OVER }));
    expect(guest.net.last().of('replay')[0]).toMatchObject({ view: ALL });
    const early = replay('early', null);
    early.net.last().hear(snapshot(5, { seat: '' }));
    expect(early.net.last().of('replay')[0]).toMatchObject({ view: '' });
    const watching = replay('own', '');
    expect(watching.net.last().of('enter_match')[0]).toMatchObject({ token: '' });
  });

  it('says why it may not look, and looks when the match is over', async () => {
    const { one, net, tell } = replay('closed', ALL);
    net.last().hear(snapshot(5, { seat: '' }));
    const { id } = net.last().of('replay')[0]!;
    const refused = {
      type: 'refused',
      id,
      code: 'not_over',
      sentence: 'Not yet.',
      rule: '',
      where: null,
      figure: '',
      match: '',
    } as const;
    net.last().hear(refused);
    await vi.advanceTimersByTimeAsync(0);
    expect([one.fault, one.over]).toEqual(['Not yet.', false]);
    net.last().hear({ type: 'update', seq: 6, patch: { result: OVER.result } });
    await tell(0, 6, 6);
    expect([one.fault, one.over, one.known]).toEqual(['', true, 6]);
  });

  it('asks again when the server is busy', async () => {
    const { one, net, tell } = replay('busy', '');
    net.last().hear(snapshot(2, { seat: '' }));
    const { id } = net.last().of('replay')[0]!;
    net.last().hear({
      type: 'refused',
      id,
      code: 'rate',
      sentence: 'Slow down.',
      rule: '',
      where: null,
      figure: '',
      match: '',
    });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(one.fault).toBe('');
    await tell(0, 2, 2);
    expect(one.whole).toBe(true);
  });
});

describe('the eyes one may look through', () => {
  const closed = (...args: Parameters<typeof viewChoices>): string[] =>
    viewChoices(...args).flatMap(({ view, why }) => (why ? [view] : []));

  it('are one’s own until the match is over', () => {
    expect(closed(VIEW, ['b'], false)).toEqual(['r', '', '*']);
    expect(closed(VIEW, ['b', 'r'], false)).toEqual(['', '*']);
    expect(closed(VIEW, [], false)).toEqual(['b', 'r', '*']);
    expect(closed(VIEW, ['b'], true)).toEqual([]);
  });
});
