/** A plan as an answer: which choices of the open prompt can take the ghost's places, and their drafts drawn so. */
import { centroid, distance, turnFrom, type Spot } from '../lib/geometry';
import type { Choice, Prompt } from '../lib/protocol';
import type { Draft } from '../table/draft.svelte';
import type { March } from '../table/march.svelte';
import type { Placing } from '../table/placing.svelte';
import { middleOf, type Ghost } from './ghosts';

/** What the seat is asked, and the draft of its answer. */
export interface Ordering {
  readonly prompt: Prompt | null;
  /** The answer is in, and nothing is to be done until the others have given theirs. */
  readonly waiting: boolean;
  readonly draft: Draft;
}

/** The choices by which `unit` would go or be put where one says. */
export function takers(prompt: Prompt | null, unit: string): Choice[] {
  return (prompt?.choices ?? []).filter(
    ({ why, parameters: [first, ...others] }) =>
      !why &&
      others.length === 0 &&
      ((first?.type === 'path' && first.unit === unit) || (first?.type === 'placement' && first.units.includes(unit))),
  );
}

/** Take the choice, and have `unit` go straight to its ghost as far as may be. */
export function draw(draft: Draft, choice: Choice, unit: string, ghost: Ghost): void {
  if (!draft.take(choice.key)) return;
  const part = draft.part;
  if (part?.kind === 'path') go(part, ghost);
  else if (part?.kind === 'placement') stand(part, unit, ghost);
}

function go(march: March, ghost: Ghost): void {
  march.reset();
  const starts = march.tracks.map(({ figure }) => ({ id: figure.id, at: figure.at }));
  if (march.hull) {
    march.go(middleOf(ghost));
    const [facing] = Object.values(ghost.facings);
    if (facing !== undefined) march.turn(turnFrom(march.pose.facing, facing));
    return;
  }
  const wished = inFront(starts, ghost);
  // Each figure that goes makes room for the next; those that found none find it in the second round.
  for (const { id, to } of [...wished, ...wished]) march.place(id, to);
}

function stand(placing: Placing, unit: string, ghost: Ghost): void {
  const placed = placing.units.find((one) => one.unit === unit);
  if (!placed) return;
  placing.choose(placed.index);
  if (placing.drives()) {
    placing.go(middleOf(ghost));
    const [facing, now] = [Object.values(ghost.facings)[0], placed.figures[0]?.facing];
    if (facing !== undefined && now !== undefined) placing.turn(turnFrom(now, facing));
    return;
  }
  // As a whole first: figures that are put one by one would be in each other's way.
  placing.go(middleOf(ghost));
  const wished = inFront(placed.figures, ghost);
  for (const { id, to } of [...wished, ...wished]) placing.place(id, to);
}

/** Where each figure goes, those first that stand farthest ahead on the way. */
function inFront(
  figures: readonly { readonly id: string; readonly at: Spot }[],
  ghost: Ghost,
): { id: string; to: Spot }[] {
  const from = centroid(figures.map(({ at }) => at));
  const to = middleOf(ghost);
  const ahead = (at: Spot): number => (at[0] - from[0]) * (to[0] - from[0]) + (at[1] - from[1]) * (to[1] - from[1]);
  return figures
    .filter(({ id, at }) => ghost.places[id] && distance(at, ghost.places[id]) > 0)
    .sort((a, b) => ahead(b.at) - ahead(a.at))
    .map(({ id }) => ({ id, to: ghost.places[id]! }));
}
