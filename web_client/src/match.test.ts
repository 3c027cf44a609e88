import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FIRST_WAIT } from './connection';
import { snapshot, sockets } from './fixture';
import { MatchState } from './match.svelte';
import type { Prompt } from './protocol';
import { WRECK } from './table/vehicles.fixture';

const PROMPT: Prompt = {
  id: 'p4',
  seat: 'b',
  title: 'Activate a unit',
  choices: [],
  default: { choice: 'hold', values: [] },
  rule: '',
  unit: '',
  sealed: false,
  answered: false,
};
const made: MatchState[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('location', { protocol: 'http:', host: 'here' });
});
afterEach(() => {
  made.splice(0).forEach((match) => match.close());
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function sit(name: string, seat = 'b') {
  const net = sockets();
  const match = new MatchState(name, seat, seat && 'token', net.open);
  made.push(match);
  return { match, net };
}

/** Loses the link and lets it come back. */
function comeBack(net: ReturnType<typeof sockets>): void {
  net.last().onclose?.();
  vi.advanceTimersByTime(FIRST_WAIT);
  net.last().enter();
}

describe('a seat at a match', () => {
  it('takes a snapshot, then patches, and goes on where it was after a loss', () => {
    const { match, net } = sit('resume');
    net.last().enter();
    expect(net.last().of('enter_match')[0]).toMatchObject({ match: 'resume', token: 'token', since: -1 });
    net.last().hear(snapshot(3, { prompt: PROMPT }));
    net.last().hear({ type: 'update', seq: 4, patch: { turn: 2 }, story: [{ kind: 'turn', text: 'Turn 2' }] });
    expect(match.view?.turn).toBe(2);
    expect(match.prompt?.id).toBe('p4');
    expect(match.entries.map((entry) => entry.story.text)).toEqual(['Turn 2']);
    net.last().hear({ type: 'update', seq: 5, closed: true });
    expect(match.prompt).toBeNull();
    comeBack(net);
    expect(net.last().of('enter_match')[0]).toMatchObject({ since: 5 });
  });

  it('hears a frame twice as once, and asks anew when one is missing', () => {
    const { match, net } = sit('gap');
    net.last().enter();
    net.last().hear(snapshot(3));
    net.last().hear({ type: 'update', seq: 4, patch: { turn: 2 } });
    net.last().hear({ type: 'update', seq: 4, patch: { turn: 9 } });
    expect(match.view?.turn).toBe(2);
    net.last().hear({ type: 'update', seq: 6, patch: { turn: 9 } });
    expect(match.view?.turn).toBe(2);
    expect(net.all).toHaveLength(2);
    net.last().onopen?.();
    expect(net.last().of('enter_match')[0]).toMatchObject({ since: 4 });
  });

  it('sends an answer again under its id until there is a result', () => {
    const { match, net } = sit('again');
    net.last().enter();
    net.last().hear(snapshot(3, { prompt: PROMPT }));
    match.answer(PROMPT, { choice: 'hold', values: [] });
    match.answer(PROMPT, { choice: 'other', values: [] });
    const [answer, second] = net.last().of('answer');
    expect(second).toBeUndefined();
    comeBack(net);
    expect(net.last().of('answer')).toEqual([answer]);
    net.last().hear({ type: 'accepted', id: answer!.id, seq: 4 });
    expect(match.sending).toBeNull();
    comeBack(net);
    expect(net.last().of('answer')).toEqual([]);
  });

  it('keeps an answer over a reload', () => {
    const first = sit('reload');
    first.net.last().enter();
    first.net.last().hear(snapshot(3, { prompt: PROMPT }));
    first.match.answer(PROMPT, { choice: 'hold', values: [] });
    const [answer] = first.net.last().of('answer');
    const second = sit('reload');
    expect(second.match.sending?.id).toBe(answer!.id);
    second.net.last().enter();
    expect(second.net.last().of('answer')).toEqual([answer]);
    second.net
      .last()
      .hear({ type: 'refused', id: answer!.id, code: 'x', sentence: 'No.', rule: '', where: null, figure: '' });
    expect(second.match.refusal?.sentence).toBe('No.');
    expect(second.match.sending).toBeNull();
  });

  it('gives a standing order, and says what was wrong with it', () => {
    const { match, net } = sit('orders');
    net.last().enter();
    const hold = { label: 'Hold', text: 'Wait.', rule: '' };
    net.last().hear(snapshot(3, { orders: { hold } }));
    expect(match.orders).toEqual({ hold });
    match.order('u1', 'hold');
    const [order] = net.last().of('order');
    expect(order).toMatchObject({ unit: 'u1', order: 'hold' });
    expect(match.ordering).toEqual([order]);
    comeBack(net);
    expect(net.last().of('order')).toEqual([order]);
    net.last().hear({
      type: 'refused',
      id: order!.id,
      code: 'x',
      sentence: 'Not now.',
      rule: '',
      where: null,
      figure: '',
    });
    expect(match.ordering).toEqual([]);
    expect(match.orderRefusal).toMatchObject({ unit: 'u1', refused: { sentence: 'Not now.' } });
  });

  it('adds to the table what came about in play', () => {
    const { match, net } = sit('ground');
    net.last().enter();
    net.last().hear(snapshot(3));
    const before = match.ground;
    expect(before?.terrain).toEqual([]);
    net.last().hear({ type: 'update', seq: 4, patch: { terrain: { wreck: WRECK } } });
    expect(match.ground?.terrain).toEqual([WRECK]);
    const known = match.ground;
    net.last().hear({ type: 'update', seq: 5, patch: { turn: 2 } });
    expect(match.ground).toBe(known);
  });

  it('takes "not now" for no answer', () => {
    const { match, net } = sit('later');
    net.last().enter();
    net.last().hear(snapshot(3, { prompt: PROMPT }));
    match.answer(PROMPT, { choice: 'hold', values: [] });
    const id = match.sending!.id;
    net.last().hear({ type: 'refused', id, code: 'database_away', sentence: '', rule: '', where: null, figure: '' });
    expect(match.sending?.id).toBe(id);
    vi.advanceTimersByTime(2_000);
    expect(net.last().of('answer')).toHaveLength(2);
  });

  it('commits to its dice once a connection, and reveals when all have committed', () => {
    const { net } = sit('dice');
    net.last().enter();
    net.last().hear(snapshot(1, { committed: [], revealed: [] }));
    net.last().hear({ type: 'update', seq: 2, patch: { turn: 1 } });
    expect(net.last().of('commit')).toHaveLength(1);
    expect(net.last().of('commit')[0]!.digest).toMatch(/^[0-9a-f]{64}$/);
    net.last().hear({ type: 'update', seq: 3, committed: ['b'] });
    expect(net.last().of('reveal')).toHaveLength(0);
    net.last().hear({ type: 'update', seq: 4, committed: ['b', 'r'] });
    expect(net.last().of('reveal')).toHaveLength(1);
  });

  it('has no dice as a watcher', () => {
    const { net } = sit('watch', '');
    net.last().enter();
    net.last().hear(snapshot(1, { seat: '', committed: [], revealed: [] }));
    expect(net.last().of('commit')).toHaveLength(0);
  });

  it('recalls what was told before, and keeps it in order', async () => {
    const { match, net } = sit('recall');
    net.last().enter();
    net.last().hear(snapshot(3));
    const [recall] = net.last().of('recall');
    expect(recall!.before).toBe(4);
    net.last().hear({ type: 'update', seq: 4, story: [{ kind: 'move', text: 'new' }] });
    net.last().hear({
      type: 'history',
      id: recall!.id,
      frames: [{ seq: 2, story: [{ kind: 'move', text: 'old' }] }],
      more: false,
    });
    await vi.waitFor(() => expect(match.entries.map((entry) => entry.story.text)).toEqual(['old', 'new']));
  });

  it('leaves nobody waiting when the link is lost', async () => {
    const { match, net } = sit('lost');
    net.last().enter();
    net.last().hear(snapshot(3, { prompt: PROMPT }));
    const preview = match.inquire(PROMPT, { choice: 'hold', values: [] });
    net.last().onclose?.();
    await expect(preview).rejects.toThrow('connection');
  });
});
