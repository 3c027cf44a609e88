/** A plan in words. */
import { length, measured } from '../lib/measure.svelte';
import type { WhatIf, Sight, View } from '../lib/protocol';
import type { Displacement } from './ghosts';

/** How far a ghost is from its unit: `5.3″`, `5.3″, turned by 45°`; "" where it is where the unit is. */
export function wayWords({ far, turn }: Displacement): string {
  const parts = [];
  if (far > 0) parts.push(measured(far, true));
  if (turn >= 50) parts.push(`turned by ${Math.round(turn / 100)}°`);
  return parts.join(', ');
}

/** Whether two units see each other: lines of sight run both ways. */
export function sightWords(sight: Sight): string {
  const clear = sight.rays.filter((ray) => ray.clear);
  if (clear.length === 0) return 'out of sight';
  return clear.every((ray) => ray.cover !== '') ? 'in sight, in cover' : 'in sight';
}

/** What there is to hear of an answer: who is in sight, how near the nearest enemy is. */
export function answerWords(answer: WhatIf, view: View): string {
  const side = view.units[answer.unit]?.side;
  const enemies = answer.targets.filter(({ target }) => view.units[target] && view.units[target].side !== side);
  if (enemies.length === 0) return 'No enemy is known to be on the table.';
  const seen = enemies.filter(({ sight }) => sight.rays.some((ray) => ray.clear)).length;
  const nearest = Math.min(...enemies.map(({ sight }) => sight.distance));
  const many = enemies.length === 1 ? 'The only enemy is' : `${seen} of ${enemies.length} enemies are`;
  const sighted = enemies.length === 1 ? (seen ? ' in sight' : ' out of sight') : ' in sight';
  return `${many}${sighted}, the nearest at ${nearest > 0 ? measured(nearest) : length(0)}.`;
}
