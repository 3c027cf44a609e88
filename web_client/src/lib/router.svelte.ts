/** The address of a page, in the hash: browsers never send it to a server, so it may hold secrets for a moment. */

/** A seat that a link offers to this browser. */
export interface Offer {
  seat: string;
  token: string;
  /** The seat's share of the dice, in hexadecimal; "" for none. */
  share: string;
}

export type Route =
  | { page: 'start'; edition?: string; pick?: string }
  | { page: 'forces' }
  | { page: 'force'; id: string }
  | { page: 'shared'; packed: string }
  | { page: 'match'; match: string; offer?: Offer }
  | { page: 'join'; match: string; seat: string; invite: string }
  | { page: 'replay'; match: string; view: string | null; frame: number | null }
  | { page: 'end'; match: string }
  | { page: 'fork'; match: string; view: string; frame: number }
  | { page: 'positions' }
  | { page: 'position'; id: string }
  | { page: 'about' }
  | { page: 'leagues'; making: boolean }
  | { page: 'league'; league: string; invite: string }
  | { page: 'roster'; league: string; player: string }
  | { page: 'me'; seed: string }
  | { page: 'player'; key: string }
  | { page: 'rules'; edition: string; rule: string }
  | { page: 'unknown' };

/** The page that a hash names. Reading it changes nothing: a link may come from anybody. */
export function route(hash: string): Route {
  const packed = packedIn(hash);
  if (packed !== null) return { page: 'shared', packed };
  const parts = hash
    .replace(/^#?\/?/, '')
    .split('/')
    .map(decode);
  const [first, second = '', third = '', fourth = '', fifth = '', sixth = ''] = parts;
  if (first === '') return { page: 'start' };
  if (first === 'play' && second !== '') return { page: 'start', edition: second, pick: third };
  if (first === 'forces' && second === '') return { page: 'forces' };
  if (first === 'force' && second !== '') return { page: 'force', id: second };
  if (first === 'm' && second !== '') {
    if (third === 'join' && fourth !== '') return { page: 'join', match: second, seat: fourth, invite: fifth };
    if (third === 'seat' && fourth !== '' && fifth !== '') {
      return { page: 'match', match: second, offer: { seat: fourth, token: fifth, share: sixth } };
    }
    if (third === 'replay') {
      return { page: 'replay', match: second, view: fourth === '' ? null : viewCalled(fourth), frame: number(fifth) };
    }
    if (third === 'end') return { page: 'end', match: second };
    if (third === '') return { page: 'match', match: second };
  }
  if (first === 'fork' && second !== '' && third !== '') {
    const frame = number(fourth);
    if (frame !== null) return { page: 'fork', match: second, view: viewCalled(third), frame };
  }
  if (first === 'positions' && second === '') return { page: 'positions' };
  if (first === 'position' && second !== '') return { page: 'position', id: second };
  if (first === 'leagues' && (second === '' || second === 'new')) return { page: 'leagues', making: second === 'new' };
  if (first === 'league' && second !== '' && third === 'roster' && fourth !== '') {
    return { page: 'roster', league: second, player: fourth };
  }
  if (first === 'league' && second !== '') return { page: 'league', league: second, invite: third };
  if (first === 'me') return { page: 'me', seed: second };
  if (first === 'player' && second !== '') return { page: 'player', key: second };
  if (first === 'about' && second === '') return { page: 'about' };
  // A rule's id holds slashes itself.
  if (first === 'rules' && second !== '') return { page: 'rules', edition: second, rule: parts.slice(2).join('/') };
  return { page: 'unknown' };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** What stands for the force in a whole link, or in the part of one that was pasted; null when it is no such link. */
export function packedIn(link: string): string | null {
  return /[#/]force\?f=([\w-]+)/.exec(link)?.[1] ?? null;
}

/** A whole number that is not negative; null for anything else. */
const number = (part: string): number | null => (/^\d{1,9}$/.test(part) ? Number(part) : null);

// A link names its audience in words: the wire's names for audiences without a seat ("", "*") can hardly be read.
const VIEWS: Readonly<Record<string, string>> = { '': 'spectators', '*': 'all' };
const viewCalled = (word: string): string => Object.keys(VIEWS).find((view) => VIEWS[view] === word) ?? word;
const viewWord = (view: string): string => VIEWS[view] ?? view;

const e = encodeURIComponent;
export const paths = {
  start: '#/',
  about: '#/about',
  leagues: '#/leagues',
  newLeague: '#/leagues/new',
  /** A league, with the invite that lets players join one that is not listed. */
  roster: (league: string, player: string) => `#/league/${e(league)}/roster/${e(player)}`,
  league: (league: string, invite = '') => `#/league/${e(league)}${invite && '/' + e(invite)}`,
  /** The page of this browser's player. */
  me: '#/me',
  /** The link that brings a player's key to another device: who has it is that player. */
  recover: (seed: string) => `#/me/${e(seed)}`,
  player: (key: string) => `#/player/${e(key)}`,
  /** The start page with a force in hand (see `forces/picks.ts`). */
  play: (edition: string, pick: string) => `#/play/${e(edition)}/${e(pick)}`,
  forces: '#/forces',
  force: (id: string) => `#/force/${e(id)}`,
  shared: (packed: string) => `#/force?f=${packed}`,
  match: (match: string) => `#/m/${e(match)}`,
  join: (match: string, seat: string, invite = '') => `#/m/${e(match)}/join/${e(seat)}${invite && '/' + e(invite)}`,
  seat: (match: string, seat: string, token: string, bytes = '') =>
    `#/m/${e(match)}/seat/${e(seat)}/${e(token)}${bytes && '/' + bytes}`,
  /** The replay of a match: as `view` saw it (a seat, "" for who watches, "*" for everything), after a frame of that view. */
  replay: (match: string, view?: string, frame?: number) =>
    `#/m/${e(match)}/replay${view === undefined ? '' : '/' + e(viewWord(view))}` +
    (view === undefined || frame === undefined ? '' : `/${frame}`),
  end: (match: string) => `#/m/${e(match)}/end`,
  /** A new match from that moment of a replay. */
  fork: (match: string, view: string, frame: number) => `#/fork/${e(match)}/${e(viewWord(view))}/${frame}`,
  positions: '#/positions',
  position: (id: string) => `#/position/${e(id)}`,
  rules: (edition: string, rule = '') => `#/rules/${e(edition)}${rule && '/' + rule.split('/').map(e).join('/')}`,
};

/** A link that works on another machine. */
export const whole = (path: string): string => `${location.origin}${location.pathname}${path}`;

class Router {
  /** Null until the address has been read. */
  now = $state.raw<Route | null>(null);

  start(): () => void {
    const read = (): void => {
      this.now = route(location.hash);
    };
    read();
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }

  /**
   * Takes the token of a seat's link out of the address, once the server has said yes or no to it: it must not stay where
   * it can be read over a shoulder, or in the history. Until then it is there for a reload.
   */
  tidy(): void {
    const there = this.now;
    if (there?.page === 'match' && location.hash !== paths.match(there.match)) {
      history.replaceState(null, '', paths.match(there.match));
    }
  }

  go(path: string): void {
    location.hash = path;
  }

  /** Goes there without leaving where one is in the history. */
  replace(path: string): void {
    if (location.hash === path) return;
    history.replaceState(null, '', path);
    this.now = route(path);
  }
}

export const router = new Router();
