/** For tests: match files, written here byte by byte as a server writes them. */
import { encode } from '@msgpack/msgpack';
import { sha256 } from '../lib/sha256';
import { fromHex, hex } from '../lib/wire';
import { FORMAT } from './archive';
import { derive, diceContext } from './die';

type Body = Record<string, unknown>;

const digest = (text: string): string => hex(sha256(fromHex(text)));
export const SECRET = '5e'.repeat(32);
export const SHARES = { red: 'ab'.repeat(32), blue: 'cd'.repeat(32) };

/** The facts of the desk before the first die: seats, commitments, shares. */
function shares(all: Record<string, string>): Body[] {
  const seats = Object.entries(all);
  const aside = (seat: string, fact: Body): Body => ({ type: 'aside', seat, facts: [{ seat, ...fact }] });
  return [
    ...seats.map(([seat, share]) => aside(seat, { type: 'committed', digest: digest(share) })),
    ...seats.map(([seat, randomness]) => aside(seat, { type: 'randomness', randomness })),
  ];
}

/** Steps with rolls of so many six-sided dice each, the third one on a stream of its own. */
export function steps(secret: string, all: Record<string, string>, counts: readonly number[], from = 0): Body[] {
  const context = diceContext('m1', new Map(Object.entries(all)));
  const next = new Map<string, number>([['', from]]);
  return counts.map((count, i) => {
    const stream = i % 3 === 2 ? 'hidden:red' : '';
    const first = next.get(stream) ?? 0;
    next.set(stream, first + count);
    const faces = Array.from({ length: count }, (_, k) => derive(fromHex(secret), context, stream, first + k, 6).face);
    return { type: 'step', seat: 'red', rolls: count ? [[stream, first, 6, faces]] : [], facts: [] };
  });
}

/** The bodies of a whole match of a few steps. */
export function bodies(): Body[] {
  return [
    { type: 'opened', match: 'm1', title: 'A match', edition: 'toy', commitment: digest(SECRET), listed: true },
    ...shares(SHARES),
    ...steps(SECRET, SHARES, [4, 1, 2, 0, 7]),
    { type: 'aside', facts: [{ type: 'said', seat: 'red', name: '', text: 'Well played.' }] },
    { type: 'taken_back', seat: 'red' },
    { type: 'aside', facts: [{ type: 'secret', secret: SECRET }] },
  ];
}

/** A match that another server has taken over: other dice from there on; it does not know the first secret. */
export function renewed(): Body[] {
  const [second, share] = ['77'.repeat(32), { red: '01'.repeat(32), blue: '02'.repeat(32) }];
  return [
    ...bodies().slice(0, -1),
    { type: 'aside', facts: [{ type: 'dice_renewed', commitment: digest(second) }] },
    ...shares(share),
    ...steps(second, share, [3], 12),
    { type: 'aside', facts: [{ type: 'secret', secret: second }] },
  ];
}

/** The file of a match with these bodies, its chain in order. */
export function file(all: readonly Body[], secret = SECRET): Uint8Array {
  const entries: Uint8Array[] = [];
  let prev: Uint8Array = new Uint8Array(32);
  for (const [i, body] of all.entries()) {
    const entry = encode([i + 1, i, 1000 + i, new Uint8Array(16).fill(i), prev, body]);
    entries.push(entry);
    prev = sha256(entry);
  }
  return encode({ entries, format: FORMAT, head: prev, secret });
}
