/** What a thumbnail shows, for those who do not see it. */
import { measured } from '../lib/measure.svelte';
import type { TableView, View } from '../lib/protocol';

/** A list in words: `a hedge, 2 woods and a road`. */
function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${last}` : last;
}

/** How often each name comes, in the order in which they first do: `3 × Woods`. */
function counted(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count > 1 ? `${count} × ${name}` : name));
}

/** On which side of the table an outline lies: `in the south`, or `in the middle`. */
function where(outline: readonly (readonly [number, number])[], width: number, height: number): string {
  const mean = (i: 0 | 1) => outline.reduce((sum, spot) => sum + spot[i], 0) / outline.length;
  const east = mean(0) / width - 0.5;
  const north = mean(1) / height - 0.5;
  if (Math.max(Math.abs(east), Math.abs(north)) < 0.15) return 'in the middle';
  if (Math.abs(north) >= Math.abs(east)) return north > 0 ? 'in the north' : 'in the south';
  return east > 0 ? 'in the east' : 'in the west';
}

export function mapInWords(view: View, table: TableView): string {
  const { width, height, terrain } = table;
  const said = [`A table of ${measured(width)} by ${measured(height)}`];
  if (terrain.length > 0) said.push(`with ${listed(counted(terrain.map((piece) => piece.name)))}`);
  const zones = Object.values(view.sides).filter((side) => side.zone.length > 2);
  if (zones.length > 0) {
    said.push(listed(zones.map((side) => `${side.name} begins ${where(side.zone, width, height)}`)));
  }
  const objectives = Object.values(view.objectives).map((objective) => objective.name);
  if (objectives.length > 0) said.push(`${objectives.length > 1 ? 'objectives' : 'objective'}: ${listed(objectives)}`);
  return `${said.join('; ')}.`;
}
