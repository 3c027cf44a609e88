import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
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
    // Whatever kind of match it is, a change in the middle of its log is found.
    bytes[bytes.length >> 1]! ^= 1;
    expect(run(bytes).fault).not.toBeNull();
  });
});
