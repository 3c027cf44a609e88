/**
 * The folders of the client, and which may import which.
 *
 * Imports go one way: `lib` and `ui` know nothing of a match, `table` knows nothing of a plan, and pages put everything
 * together. Types count as imports too, and tests keep to the same as what they test.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const BASE = ['lib', 'ui'];
const SESSION = [...BASE, 'match/session'];
const PANELS = ['match/log', 'match/chat', 'match/clocks', 'match/units', 'match/prompt', 'match/agreements'];
const RESULTS = ['match/results', 'sound'];
const AROUND = ['replay', 'end', 'library', 'forces', 'start', 'positions', 'league', 'roster', 'campaign'];

/** Each folder with those that it imports. "." holds what is started first. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  ui: ['lib'],
  table: BASE,
  plan: [...BASE, 'table'],
  'match/session': [...BASE, 'table', 'plan'],
  'match/log': SESSION,
  'match/chat': SESSION,
  'match/clocks': SESSION,
  'match/units': [...SESSION, 'table'],
  'match/prompt': [...SESSION, 'table'],
  'match/agreements': [...SESSION, 'match/clocks'],
  sound: BASE,
  'match/results': [...SESSION, 'table', 'sound'],
  match: [...SESSION, 'player', 'table', 'plan', ...PANELS, ...RESULTS],
  replay: [...SESSION, 'match/log'],
  end: BASE,
  library: BASE,
  forces: [...BASE, 'library'],
  player: BASE,
  start: [...BASE, 'table', 'forces', 'player'],
  campaign: ['lib'],
  league: [...BASE, 'forces', 'player', 'start', 'campaign'],
  roster: BASE,
  positions: [...BASE, 'table', 'library', 'start'],
  pages: [...SESSION, 'player', 'table', 'match', 'match/log', 'match/units', 'match/agreements', ...AROUND],
  '.': [...BASE, 'pages'],
};

interface Import {
  readonly from: string;
  readonly to: string;
  /** What is said of it where it is not allowed. */
  readonly words: string;
}

/** What a file of the client imports of the client's own. */
function importsOf(file: string, text: string): Import[] {
  const scripts = file.endsWith('.svelte')
    ? [...text.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map(([, script]) => script!)
    : [text];
  return scripts
    .flatMap((script) => ts.preProcessFile(script, true, true).importedFiles)
    .filter(({ fileName }) => /^[./]/.test(fileName))
    .map(({ fileName }) => ({ file: fileName, to: fileName.startsWith('/') ? '/' : join(dirname(file), fileName) }))
    .filter(({ to }) => !to.startsWith('../'))
    .map(({ file: named, to }) => ({ from: dirname(file), to: dirname(to), words: `${file} imports ${named}` }));
}

/** The folders that import each other in a circle, one circle of them, as it is walked; none: empty. */
function circle(rooms: Readonly<Record<string, readonly string[]>>): string[] {
  const done = new Set<string>();
  function walk(room: string, way: readonly string[]): string[] {
    if (way.includes(room)) return [...way.slice(way.indexOf(room)), room];
    if (done.has(room)) return [];
    for (const next of rooms[room] ?? []) {
      const found = walk(next, [...way, room]);
      if (found.length > 0) return found;
    }
    done.add(room);
    return [];
  }
  for (const room of Object.keys(rooms)) {
    const found = walk(room, []);
    if (found.length > 0) return found;
  }
  return [];
}

const ROOT = fileURLToPath(new URL('.', import.meta.url));
const files = readdirSync(ROOT, { recursive: true, encoding: 'utf-8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.(ts|svelte)$/.test(file));
const across = files
  .flatMap((file) => importsOf(file, readFileSync(join(ROOT, file), 'utf-8')))
  .filter(({ from, to }) => from !== to);

describe('the folders of the client', () => {
  it('are all named here', () => {
    expect([...new Set(files.map((file) => dirname(file)))].sort()).toEqual(Object.keys(ROOMS).sort());
  });

  it.each(Object.keys(ROOMS))('import only what they may: %s', (room) => {
    const forbidden = across.filter(({ from, to }) => from === room && !ROOMS[room]!.includes(to));
    expect(forbidden.map(({ words }) => words)).toEqual([]);
  });

  it.each(Object.entries(ROOMS))('are allowed no import that they do not need: %s', (room, allowed) => {
    const imported = new Set(across.filter(({ from }) => from === room).map(({ to }) => to));
    expect(allowed.filter((other) => !imported.has(other))).toEqual([]);
  });

  it('form no circle', () => {
    const imported = Object.keys(ROOMS).map((room) => [
      room,
      across.filter(({ from }) => from === room).map(({ to }) => to),
    ]);
    expect(circle(Object.fromEntries(imported) as Record<string, string[]>)).toEqual([]);
  });
});

describe('what looks for imports', () => {
  it('finds those of values, of types, of pages that are loaded later, and of styles', () => {
    const text = `<script lang="ts" module>
        import { one, type Two } from '../lib/one';
        import './Table.css';
      </script>
      <script lang="ts">
        import { tick } from 'svelte';
        import type { Three } from '../ui/three';
        export { four } from '../match/session/four';
        const five = () => import('/src/plan/five');
      </script>
      <p>import six from '../end/six';</p>`;
    expect(importsOf('table/Table.svelte', text).map(({ to }) => to)).toEqual([
      'lib',
      'table',
      'ui',
      'match/session',
      '/',
    ]);
  });

  it('finds a circle, however long', () => {
    expect(circle({ a: ['b'], b: ['c', 'd'], c: [], d: ['b'] })).toEqual(['b', 'd', 'b']);
    expect(circle({ a: ['b', 'c'], b: ['c'], c: [] })).toEqual([]);
  });
});
