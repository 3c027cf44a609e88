import { encode } from '@msgpack/msgpack';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import written from '../../../tests/vectors/dice.json';
import { check, type Report } from './check';

const ARCHIVE = fileURLToPath(new URL('../../../tests/archive/', import.meta.url));
const FILES = readdirSync(ARCHIVE, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.underfire'));

function run(bytes: Uint8Array): Report {
  const work = check(bytes);
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

describe('recorded games', () => {
  it('are there', () => expect(FILES.length).toBeGreaterThan(2));

  it.each(FILES)('%s has nothing wrong in it, and dice that fell', (name) => {
    const bytes = new Uint8Array(readFileSync(join(ARCHIVE, name)));
    const report = run(bytes);
    expect(report.fault).toBeNull();
    expect(report.right + report.open + report.inherited).toBeGreaterThan(0);
    // A change in the middle of the log is found in every kind of match.
    bytes[bytes.length >> 1]! ^= 1;
    expect(run(bytes).fault).not.toBeNull();
  });
});

describe('a signed file', () => {
  it('says who has signed what, and gives the hash of each entry', () => {
    const name = fileURLToPath(new URL('../../../tests/vectors/signed.underfire', import.meta.url));
    const bytes = new Uint8Array(readFileSync(name));
    const report = run(bytes);
    const vector = written.find(({ kind }) => kind === 'signed');
    expect(report.fault).toBeNull();
    expect(report.signatures).toEqual(vector?.signatures);
    expect(report.hashes).toHaveLength(report.entries);
    expect(report.hashes.at(-1)).toBe(report.head);
  });

  it('has the format that goes with that', () => {
    const named = (format: string, fields: object): Uint8Array => encode({ format, entries: [], ...fields });
    const fields = { head: new Uint8Array(32), secret: '', entries: [new Uint8Array(1)] };
    const one = { key: new Uint8Array(32), first: 1, last: 1 };
    for (const bytes of [
      named('underfire match 2', fields),
      named('underfire match 1', { ...fields, signatures: [one] }),
      named('underfire match 2', { ...fields, signatures: ['x'] }),
      named('underfire match 3', { ...fields, signatures: [one] }),
    ]) {
      expect(run(bytes).fault?.entry).toBe(0);
    }
  });
});
