import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import written from '../../../tests/vectors/dice.json';
import { fromHex, hex } from '../lib/wire';
import { check, made, type Progress, type Report } from './check';
import { derive, diceContext, hmac } from './die';
import { bodies, file, renewed, SECRET, SHARES } from './fixture';

function run(bytes: Uint8Array): Report & { seen: Progress[] } {
  const work = check(bytes);
  const seen: Progress[] = [];
  for (;;) {
    const step = work.next();
    if (step.done) return { ...step.value, seen };
    seen.push(step.value);
  }
}

/** The fault found in a file of which a body was changed and the whole chain computed again. */
function forged(change: (body: Record<string, unknown>) => void, at: number): Report {
  const all = structuredClone(bodies());
  change(all[at]!);
  return run(file(all));
}

const kind = (type: string): number =>
  bodies().findIndex((body) => body.type === type || (body.facts as { type: string }[])?.[0]?.type === type);

/** What the server's own function gives: stream, number, sides, face. */
const PYTHON: [string, number, number, number][] = [
  ['', 0, 6, 3],
  ['', 1, 6, 2],
  ['', 999, 6, 3],
  ['hidden:red', 0, 6, 4],
  ['', 5, 10, 3],
  ['', 6, 20, 2],
  ['', 7, 100, 87],
  ['', 8, 3, 2],
];

interface DieVector {
  secret: string;
  match: string;
  shares: Record<string, string>;
  stream: string;
  number: number;
  sides: number;
  message: string;
  digest: string;
  passed: number;
  face: number;
}

/** The dice of the vectors that docs/dice.md links to. */
const VECTORS = written.filter(({ kind }) => kind === 'die') as unknown as DieVector[];

describe('HMAC-SHA256', () => {
  it.each([0, 1, 32, 64, 65, 200])('with a key of %i bytes is what Node says', (length) => {
    const key = Uint8Array.from({ length }, (_, i) => (i * 7 + length) % 256);
    const message = new TextEncoder().encode(`message ${length}`.repeat(length));
    expect(hex(hmac(key, message))).toBe(createHmac('sha256', key).update(message).digest('hex'));
  });
});

describe('a die', () => {
  const context = diceContext('m1', new Map(Object.entries(SHARES)));

  it('depends on the match and the shares of the seats, in the order of their names', () => {
    expect(context).toBe(`m1|blue=${SHARES.blue}|red=${SHARES.red}`);
  });

  it.each(PYTHON)('falls as it does on the server: %s %i of a D%i', (stream, number, sides, face) => {
    expect(derive(fromHex(SECRET), context, stream, number, sides).face).toBe(face);
  });

  it('has vectors to run', () => expect(VECTORS.length).toBeGreaterThan(25));

  it.each(VECTORS)('falls as docs/dice.md has it: $stream $number of a D$sides', (vector) => {
    const { secret, match, shares, stream, number, sides } = vector;
    const context = diceContext(match, new Map(Object.entries(shares)));
    const { face, blocks } = derive(fromHex(secret), context, stream, number, sides);
    expect(face).toBe(vector.face);
    const [block] = blocks;
    expect(hex(new TextEncoder().encode(block!.message))).toBe(vector.message);
    expect([hex(block!.digest), block!.passed]).toEqual([vector.digest, vector.passed]);
  });

  it('passes over bytes that would make a face likelier', () => {
    const passing = Array.from({ length: 400 }, (_, number) => derive(fromHex(SECRET), context, '', number, 6));
    const passed = passing.filter(({ blocks }) => blocks[0]!.passed > 0);
    expect(passed.length).toBeGreaterThan(0);
    for (const { blocks } of passed) {
      expect([...blocks[0]!.digest.slice(0, blocks[0]!.passed)].every((byte) => byte >= 252)).toBe(true);
    }
  });
});

describe('checking a match file', () => {
  it('finds nothing wrong in an honest one, and says how far it is', () => {
    const report = run(file(bodies()));
    expect(report.fault).toBeNull();
    expect(report).toMatchObject({ match: 'm1', title: 'A match', entries: 13, right: 14, open: 0 });
    expect(report.rolls.map((roll) => [roll.entry, roll.stream, roll.faces.length])).toEqual([
      [6, '', 4],
      [7, '', 1],
      [8, 'hidden:red', 2],
      [10, '', 7],
    ]);
    expect(report.seen.filter(({ stage }) => stage === 'entries')).toHaveLength(13);
    expect(report.seen.at(-1)).toEqual({ stage: 'dice', done: 14, of: 14 });
    const roll = report.rolls[3]!;
    expect(roll.faces.map((_, place) => made(roll, place).face)).toEqual(roll.faces);
  });

  it('finds any changed byte', () => {
    const honest = file(bodies());
    for (let at = 0; at < honest.length; at += 1) {
      const bytes = honest.slice();
      bytes[at]! ^= 1 << (at % 8);
      expect(run(bytes).fault, `byte ${at}`).not.toBeNull();
    }
  }, 60_000);

  it('names the entry that was changed', () => {
    const all = bodies();
    const honest = file(all);
    const text = new TextEncoder().encode('Well played');
    const at = honest.findIndex((_, i) => text.every((byte, k) => honest[i + k] === byte));
    const bytes = honest.slice();
    bytes[at]! ^= 1;
    expect(run(bytes).fault).toMatchObject({ entry: kind('said') + 1 });
    expect(run(honest.slice(0, -3)).fault).toMatchObject({ entry: 0 });
  });

  it('names a changed die even when the whole chain was computed again', () => {
    const { fault, right } = forged((body) => {
      const [roll] = body.rolls as [string, number, number, number[]][];
      roll![3][2] = (roll![3][2]! % 6) + 1;
    }, 5);
    expect(fault).toMatchObject({ entry: 6, die: 2, stream: '' });
    expect(fault!.message).toMatch(/^Entry 6, die 2: it shows \d, but the secret gives \d\.$/);
    expect(right).toBe(2);
  });

  it.each<[string, number, (body: { facts: object[]; rolls: unknown[][] }) => void]>([
    ['another secret', kind('secret'), ({ facts }) => Object.assign(facts[0]!, { secret: '00'.repeat(32) })],
    ['another commitment', 0, (body) => Object.assign(body, { commitment: '00'.repeat(32) })],
    ['another share', kind('randomness'), ({ facts }) => Object.assign(facts[0]!, { randomness: '00'.repeat(32) })],
    ['a share to which no seat committed', 1, ({ facts }) => Object.assign(facts[0]!, { seat: 'green' })],
    ['a commitment after a share', 4, ({ facts }) => Object.assign(facts[0]!, { type: 'committed' })],
    ['a die out of its turn', 6, ({ rolls }) => (rolls[0]![1] = 9)],
  ])('finds %s', (_what, at, change) => {
    expect(forged(change as never, at).fault).not.toBeNull();
  });

  it('says what it cannot check while the secret is not published', () => {
    const report = run(file(bodies().slice(0, -1), ''));
    expect(report).toMatchObject({ fault: null, right: 0, open: 14 });
  });

  it('checks the dice of a match that was taken over by the secrets that are known', () => {
    const report = run(file(renewed(), '77'.repeat(32)));
    expect(report).toMatchObject({ fault: null, right: 3, open: 14 });
    expect(report.sources).toHaveLength(2);
  });

  it('counts the dice of the match that this one goes on from, and checks its own', () => {
    const [opened, ...rest] = bodies();
    const since = [
      { type: 'step', rolls: [['', 7, 6, [1, 1, 1]]] },
      { type: 'aside', facts: [] },
    ];
    expect(run(file([{ ...opened!, since }, ...rest]))).toMatchObject({ fault: null, right: 14, inherited: 3 });
  });

  it('checks logs of the forms that it knows, and no other', () => {
    const [opened, ...rest] = bodies();
    expect(run(file([{ ...opened!, form: 2 }, ...rest]))).toMatchObject({ fault: null, right: 14 });
    expect(run(file([{ ...opened!, form: 3 }, ...rest])).fault).toMatchObject({ entry: 1 });
  });

  it('refuses anything that is not a match file', () => {
    for (const bytes of [new Uint8Array(), new TextEncoder().encode('<html>'), new Uint8Array([0x80])]) {
      expect(run(bytes).fault).toMatchObject({ entry: 0 });
    }
  });
});
