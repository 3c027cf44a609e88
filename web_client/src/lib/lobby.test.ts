import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sockets, type FakeSocket } from './link.fixture';
import { Lobby } from './lobby.svelte';
import type { MatchSummary } from './protocol';
import { Unanswered } from './requests';
import { dropToken, keepPasses, keepToken, mine } from './storage';
import { PART } from './upload';

beforeEach(() => {
  vi.useFakeTimers({ now: 50_000 });
  vi.stubGlobal('location', { protocol: 'http:', host: 'here' });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const info = (match: string): MatchSummary => ({
  match,
  title: match,
  edition: 'x',
  state: 'running',
  turn: 1,
  made_at: 0,
  seats: [],
  deciding: [],
  result: null,
  since: 0,
  score: [],
  clock: null,
  spectators: 0,
  turn_limit: 0,
});

function entered(): { lobby: Lobby; socket: FakeSocket } {
  const net = sockets();
  const lobby = new Lobby(net.open);
  net.last().enter();
  return { lobby, socket: net.last() };
}

/** The server takes every part that comes, until nothing comes any more. */
async function receive(socket: FakeSocket): Promise<void> {
  for (let taken = 0; taken < socket.of('upload').length;) {
    const part = socket.of('upload')[taken++]!;
    socket.hear({ type: 'accepted', id: part.id, seq: -1 });
    await vi.advanceTimersByTimeAsync(0);
  }
}

describe('the lobby', () => {
  it('tells the server which matches are ours, and shows those that are not listed first', () => {
    keepToken('hidden', 'blue', 't');
    const { lobby, socket } = entered();
    expect(socket.of('enter_lobby')).toMatchObject([{ matches: ['hidden'] }]);
    expect(lobby.matches).toBeNull();
    socket.hear({ type: 'matches', matches: [info('listed')], mine: [info('hidden')], more: false });
    expect(lobby.matches?.map(({ match }) => match)).toEqual(['hidden', 'listed']);
    socket.hear({ type: 'matches_changed', changed: [info('new')], gone: ['listed'], mine: [], more: false });
    expect(lobby.matches?.map(({ match }) => match)).toEqual(['hidden', 'new']);
    lobby.close();
    dropToken('hidden', 'blue');
  });

  it('asks for one page more where the last one ends', async () => {
    const { lobby, socket } = entered();
    socket.hear({ type: 'matches', matches: [info('listed')], mine: [], more: true });
    expect(lobby.more).toBe(true);
    const shown = lobby.showMore();
    const [wish] = socket.of('more_matches');
    expect(wish).toMatchObject({ state: 'running', made_at: 0, match: 'listed' });
    socket.hear({ type: 'match_page', id: wish!.id, matches: [info('older')], more: false });
    await shown;
    expect(lobby.matches?.map(({ match }) => match)).toEqual(['listed', 'older']);
    expect(lobby.more).toBe(false);
    lobby.close();
  });

  it('knows how far the clock of the server is ahead', () => {
    const { lobby, socket } = entered();
    socket.hear({
      type: 'welcome',
      protocol: 1,
      version: '',
      now: 53_000,
      editions: [],
      up: 0,
      abandoned: '',
      programs: [],
    });
    expect(lobby.ahead).toBe(3_000);
    lobby.close();
  });

  it('brings in a match by its file, and keeps the ways into it', async () => {
    const { lobby, socket } = entered();
    const shares: number[] = [];
    const made = lobby.import(new Uint8Array(PART * 2 + 1), (share) => shares.push(share));
    await receive(socket);
    const [wish] = socket.of('import_match');
    expect(wish?.upload).toBe(socket.of('upload')[0]?.upload);
    expect(socket.of('upload').map(({ part, of }) => [part, of])).toEqual([
      [0, 3],
      [1, 3],
      [2, 3],
    ]);
    const passes = [
      { seat: 'blue', token: '', invite: 'i' },
      { seat: 'red', token: 't', invite: '' },
    ];
    socket.hear({ type: 'match_made', id: wish!.id, match: 'new', passes });
    keepPasses((await made).match, (await made).passes);
    expect(shares.at(-1)).toBe(1);
    expect(mine()).toEqual(['new']);
    lobby.close();
  });

  it('says what is wrong with a file', async () => {
    const { lobby, socket } = entered();
    const made = lobby.import(new Uint8Array(1));
    const failed = expect(made).rejects.toThrow('no match');
    await receive(socket);
    socket.hear({
      type: 'refused',
      id: socket.of('import_match')[0]!.id,
      code: 'no_match',
      sentence: 'That is no match.',
      rule: '',
      where: null,
      figure: '',
      match: '',
    });
    await failed;
    lobby.close();
  });

  it('does not send what the server would not read', async () => {
    const { lobby, socket } = entered();
    const rows = Array.from({ length: 2_000 }, (_, i) => [`option ${i}`, i] as const);
    const wish = { edition: 'x', scenario: 's', name: 'Ann', mine: [], options: Object.fromEntries(rows) };
    await expect(lobby.make(wish)).rejects.toThrow(Unanswered);
    expect(socket.of('make_match')).toEqual([]);
    lobby.close();
  });
});
