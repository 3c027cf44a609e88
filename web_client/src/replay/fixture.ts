/** For tests: matches of many frames, made up but always the same. */
import { VIEW } from '../lib/link.fixture';
import type { ReplayFrame, View } from '../lib/protocol';

/** Numbers that look random, the same for the same seed (mulberry32). */
export function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** A view of so many units of ten figures on each side. */
export function manyUnits(count: number): View {
  const pattern = VIEW.units.u1!;
  const units: View['units'] = {};
  for (let i = 0; i < 2 * count; i++) {
    const figures = Object.fromEntries(
      Array.from({ length: 10 }, (_, n) => [
        `u${i}f${n}`,
        { ...pattern.figures.f1!, at: [n * 1500 + 1000, i * 1500 + 1000] as [number, number] },
      ]),
    );
    units[`u${i}`] = { ...pattern, side: i % 2 ? 'red' : 'blue', number: i, figures };
  }
  return { ...VIEW, turn: 0, units };
}

/** Frames in which units move, figures fall and rise off the table, terrain comes and goes, and things are said. */
export function frames(start: View, count: number, seed = 1): ReplayFrame[] {
  const roll = dice(seed);
  const units = Object.entries(start.units);
  let turn = 0;
  return Array.from({ length: count }, (_, i): ReplayFrame => {
    const seq = i + 1;
    const at = 1000 * seq;
    if (i % 100 === 10) {
      turn++;
      return { seq, at, turn, patch: { turn }, story: [{ kind: 'turn', text: `Turn ${turn}` }] };
    }
    if (roll(9) === 0) return { seq, at, turn, story: [{ kind: 'chat', text: `line ${seq}`, speaker: 'b' }] };
    const [id, unit] = units[roll(units.length)]!;
    const figure = Object.keys(unit.figures)[roll(Object.keys(unit.figures).length)]!;
    const change = [
      { at: [roll(48000), roll(48000)] },
      { fallen: true },
      { at: null },
      { at: [roll(48000), roll(48000)], fallen: false, conditions: ['down'] },
    ][roll(4)]!;
    const patch: Record<string, unknown> = { active_unit: id, units: { [id]: { figures: { [figure]: change } } } };
    if (roll(20) === 0) patch.terrain = { [`t${roll(5)}`]: roll(2) ? null : { id: 'smoke' } };
    return {
      seq,
      at,
      turn,
      patch,
      story: [{ kind: 'fire', text: `step ${seq}`, units: [id], dice: [[6, 1 + roll(6), '']] }],
    };
  });
}
