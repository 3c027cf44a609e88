import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FIRST_WAIT } from '../../lib/connection';
import { keptHeads } from '../../lib/heads';
import { snapshot, sockets } from '../../lib/link.fixture';
import type { CheckHead, Prompt } from '../../lib/protocol';
import type { Offer } from '../../lib/router.svelte';
import { holding, keepToken } from '../../lib/storage';
import { WRECK } from '../../lib/vehicles.fixture';
import { fromHex, hex } from '../../lib/wire';
import { share } from './dice';
import { MatchState } from './match.svelte';
import { watching } from './watching.svelte';

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
const REFUSED = { type: 'refused', code: 'x', sentence: 'No.', rule: '', where: null, figure: '', match: '' } as const;
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

function sit(name: string, seat = 'b', offer: Offer | null = null) {
  const net = sockets();
  const match = new MatchState(name, seat, seat && (offer?.token ?? 'token'), net.open, offer);
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

  it('ignores a repeated frame, and asks again when one is missing', () => {
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
    second.net.last().hear({
      type: 'refused',
      id: answer!.id,
      code: 'x',
      sentence: 'No.',
      rule: '',
      where: null,
      figure: '',
      match: '',
    });
    expect(second.match.refusal?.sentence).toBe('No.');
    expect(second.match.sending).toBeNull();
  });

  it('gives a standing order, and says what was wrong with it', () => {
    const { match, net } = sit('orders');
    net.last().enter();
    const hold = { label: 'Hold', text: 'Wait.', rule: '', apart: false };
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
      match: '',
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

  it('sends an answer again that was refused only for the moment', () => {
    const { match, net } = sit('later');
    net.last().enter();
    net.last().hear(snapshot(3, { prompt: PROMPT }));
    match.answer(PROMPT, { choice: 'hold', values: [] });
    const id = match.sending!.id;
    net
      .last()
      .hear({ type: 'refused', id, code: 'database_away', sentence: '', rule: '', where: null, figure: '', match: '' });
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

  it('has no dice as a spectator', () => {
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

  it('sends what touches the desk again until there is a result', () => {
    const { match, net } = sit('aside');
    net.last().enter();
    net.last().hear(snapshot(3));
    match.aside.takeBack();
    match.aside.takeBack();
    match.aside.offer('draw');
    const [back, twice] = net.last().of('take_back');
    const [offer] = net.last().of('offer');
    expect(twice).toBeUndefined();
    expect(offer).toMatchObject({ kind: 'draw', clock: null });
    comeBack(net);
    expect(net.last().of('take_back')).toEqual([back]);
    net.last().hear({ type: 'accepted', id: back!.id, seq: 4 });
    net.last().hear({ ...REFUSED, id: offer!.id, sentence: 'There is one already.' });
    expect(match.aside.waiting).toEqual([]);
    expect(match.aside.refusal).toMatchObject({ about: offer, refused: { sentence: 'There is one already.' } });
    match.aside.offer('draw');
    expect(match.aside.refusal).toBeNull();
    // Waiting still, it waits after a reload too.
    expect(sit('aside').match.aside.busy('offer')).toBe(true);
  });

  it('answers an offer once, and other offers meanwhile', () => {
    const { match, net } = sit('offers');
    net.last().enter();
    net.last().hear(snapshot(3));
    match.aside.respond('o1', true);
    match.aside.respond('o1', false);
    match.aside.respond('o2', false);
    expect(net.last().of('respond')).toMatchObject([
      { offer: 'o1', accept: true },
      { offer: 'o2', accept: false },
    ]);
  });

  it('knows the up-time of the server, as long as the link is live', () => {
    const { match, net } = sit('up');
    net.last().onopen?.();
    net.last().hear({
      type: 'welcome',
      protocol: 1,
      version: '0',
      now: 0,
      editions: [],
      up: 50_000,
      abandoned: '',
      programs: [],
    });
    vi.advanceTimersByTime(1_000);
    expect(match.upTime.now).toBe(51_000);
    net.last().hear({ type: 'pong', id: 'x', now: 0, up: 51_200 });
    expect(match.upTime.now).toBe(51_200);
    const clock = {
      terms: { kind: 'live', bank: 60 },
      at: 52_000,
      remaining: {},
      allowance: {},
      away: [],
      up: [],
    } as const;
    net.last().hear(snapshot(3));
    net.last().hear({ type: 'update', seq: 4, patch: { clock: { ...clock, paused: false } } });
    expect(match.upTime.now).toBe(52_000);
    net.last().onclose?.();
    vi.advanceTimersByTime(200);
    expect([match.upTime.now, match.upTime.running]).toEqual([52_000, false]);
  });

  it('marks in the log what was taken back, once it knows how far', async () => {
    const { match, net } = sit('undo');
    net.last().enter();
    net.last().hear(snapshot(3));
    const told = (seq: number, kind: string) =>
      net.last().hear({ type: 'update', seq, story: [{ kind, text: `${kind} ${seq}` }] });
    told(4, 'move');
    told(5, 'move');
    told(6, 'chat');
    told(7, 'back');
    const [ask, more] = net.last().of('replay');
    expect([ask, more]).toMatchObject([{ view: 'b', after: 6 }, undefined]);
    told(8, 'move');
    const frames = [{ seq: 7, at: 0, turn: 1, patch: {}, story: [], back: 4 }];
    net.last().hear({ type: 'replay_part', id: ask!.id, frames, last: 8, more: false, start: null });
    const undone = () => match.entries.filter((entry) => entry.undone).map((entry) => entry.story.text);
    await vi.waitFor(() => expect(undone()).toEqual(['move 5']));
  });

  it('says in which channel it speaks, and as a spectator its name', () => {
    const { match, net } = sit('say');
    net.last().enter();
    net.last().hear(snapshot(3));
    match.say('hello');
    match.say('left flank', 'side');
    expect(net.last().of('say')).toMatchObject([{ channel: 'table' }, { channel: 'side' }]);
    const eve = sit('say', '');
    watching.name = 'Eve';
    eve.match.rename();
    eve.net.last().enter();
    expect(eve.net.last().of('enter_match')[0]).toMatchObject({ name: 'Eve', token: '' });
    expect(net.last().of('enter_match')[0]).toMatchObject({ name: '' });
    watching.name = '';
  });

  it('ends every open question when the link is lost', async () => {
    const { match, net } = sit('lost');
    net.last().enter();
    net.last().hear(snapshot(3, { prompt: PROMPT }));
    const preview = match.preview(PROMPT, { choice: 'hold', values: [] });
    net.last().onclose?.();
    await expect(preview).rejects.toThrow('connection');
  });
});

describe('a link that offers a seat', () => {
  const GIVEN = 'cd'.repeat(32);
  const offer: Offer = { seat: 'b', token: 'from a link', share: GIVEN };

  it('changes nothing that is kept when the server does not know its token', () => {
    keepToken('false', 'b', 'right');
    const own = share('false', 'b');
    const { match, net } = sit('false', 'b', offer);
    net.last().onopen?.();
    expect(net.last().of('enter_match')[0]).toMatchObject({ token: 'from a link' });
    net.last().hear({ ...REFUSED, id: '', code: 'wrong_token' });
    net.last().hear({ type: 'goodbye', code: 'wrong_token', sentence: 'This link gives no seat.', again: false });
    expect(match.turnedAway).toBe('This link gives no seat.');
    expect(holding('false').tokens).toEqual({ b: 'right' });
    expect(share('false', 'b')).toBe(own);
  });

  it('changes nothing when its token is another seat’s, and says nothing in its name', () => {
    keepToken('swapped', 'b', 'right');
    const kept = sit('swapped');
    kept.match.say('not sent yet');
    const { match, net } = sit('swapped', 'b', offer);
    net.last().enter();
    net.last().hear(snapshot(3, { seat: 'r' }));
    expect(match.turnedAway).not.toBe('');
    expect(match.view).toBeNull();
    expect(net.last().of('say')).toEqual([]);
    expect(net.last().closed).toBe(true);
    expect(holding('swapped').tokens).toEqual({ b: 'right' });
  });

  it('is kept once the server has let it in', () => {
    const { match, net } = sit('moved here', 'b', offer);
    match.say('not sent yet');
    net.last().enter();
    expect(holding('moved here').tokens).toEqual({});
    expect(net.last().of('say')).toEqual([]);
    net.last().hear(snapshot(3, { committed: ['b', 'r'], revealed: ['r'] }));
    expect(holding('moved here').tokens).toEqual({ b: 'from a link' });
    expect(net.last().of('say')).toHaveLength(1);
    expect(net.last().of('reveal')).toMatchObject([{ randomness: GIVEN }]);
    // From here on it is a seat like any other.
    comeBack(net);
    expect(net.last().of('say')).toHaveLength(1);
  });

  it('brings a share that is used when the server wants another one than that which is kept', () => {
    const own = share('two shares', 'b');
    const { net } = sit('two shares', 'b', offer);
    net.last().enter();
    net.last().hear(snapshot(3, { committed: ['b', 'r'], revealed: ['r'] }));
    const [first] = net.last().of('reveal');
    expect(first!.randomness).toBe(own);
    net.last().hear({ ...REFUSED, id: first!.id, code: 'wrong_randomness' });
    expect(share('two shares', 'b')).toBe(own);
    const second = net.last().of('reveal')[1]!;
    expect(second.randomness).toBe(GIVEN);
    net.last().hear({ type: 'accepted', id: second.id, seq: 4 });
    expect(share('two shares', 'b')).toBe(GIVEN);
  });

  it('brings a share that changes nothing when the server takes the one that is kept', () => {
    const own = share('one share', 'b');
    const { net } = sit('one share', 'b', offer);
    net.last().enter();
    net.last().hear(snapshot(3, { committed: ['b', 'r'], revealed: ['r'] }));
    net.last().hear({ type: 'accepted', id: net.last().of('reveal')[0]!.id, seq: 4 });
    expect(net.last().of('reveal')).toHaveLength(1);
    expect(share('one share', 'b')).toBe(own);
  });
});

describe('the hashes of a match', () => {
  const [FIRST, SECOND, THIRD] = ['a', 'b', 'c'].map((letter) => letter.repeat(64)) as [string, string, string];

  /** A browser that has seen the match up to the second hash comes back to it. */
  function back(name: string) {
    const before = sit(name);
    before.net.last().enter();
    before.net.last().hear(snapshot(3, { head: fromHex(FIRST) }));
    before.net.last().hear({ type: 'update', seq: 4, head: fromHex(SECOND) });
    before.match.close();
    expect(keptHeads(name)).toEqual([FIRST, SECOND]);
    const { match, net } = sit(name);
    net.last().enter();
    net.last().hear(snapshot(5, { head: fromHex(THIRD) }));
    const [{ id, head }] = net.last().of('check_head') as [CheckHead];
    expect(hex(head)).toBe(SECOND);
    return { match, net, id };
  }

  it('are kept, and asked after when one comes back', async () => {
    const { match, net, id } = back('kept');
    expect(keptHeads('kept')).toEqual([FIRST, SECOND]);
    net.last().hear({ type: 'accepted', id, seq: -1 });
    await vi.waitFor(() => expect(keptHeads('kept')).toEqual([FIRST, SECOND, THIRD]));
    expect(match.heads.lost).toBe('');
    expect(match.heads.head).toBe(THIRD);
  });

  it('that the server does not have are told, and stay as they are until the player believes the server', async () => {
    const { match, net, id } = back('lost');
    net.last().hear({ ...REFUSED, id, code: 'other_log' });
    await vi.waitFor(() => expect(match.heads.lost).toBe(SECOND));
    net.last().hear({ type: 'update', seq: 6, head: fromHex(FIRST) });
    expect(keptHeads('lost')).toEqual([FIRST, SECOND]);
    comeBack(net);
    expect(net.last().of('check_head')).toMatchObject([{ head: fromHex(SECOND) }]);
    match.heads.believe();
    expect(match.heads.lost).toBe('');
    expect(keptHeads('lost')).toEqual([FIRST]);
  });

  it('are asked after again when the server cannot say it now', async () => {
    const { match, net, id } = back('away');
    net.last().hear({ ...REFUSED, id, code: 'database_away' });
    await vi.waitFor(() => {
      vi.advanceTimersByTime(1_000);
      expect(net.last().of('check_head')).toHaveLength(2);
    });
    expect(match.heads.lost).toBe('');
    expect(keptHeads('away')).toEqual([FIRST, SECOND]);
  });
});
