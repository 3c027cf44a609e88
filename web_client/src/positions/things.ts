/** What can be done alike with whatever is chosen: told its name, moved, put somewhere, turned, taken away. */
import type { Spot } from '../lib/geometry';
import type { Chosen } from './choosing.svelte';
import {
  changeObjective,
  objectiveOf,
  outlineOf,
  pieceOf,
  putOutline,
  removeObjective,
  removePiece,
  shiftOutline,
  sideOf,
  spinOutline,
} from './edit';
import { middleOf, place, spot } from './places';
import type { Setup } from './setup';
import { middleOfUnit, putUnit, removeUnit, shiftUnit, spinUnit, unitOf } from './units';

/** Whether the setup still has it. */
export function there(setup: Setup, { kind, id }: Chosen): boolean {
  const found = { terrain: pieceOf, unit: unitOf, objective: objectiveOf, side: sideOf }[kind](setup, id);
  return found !== undefined;
}

export function nameOf(setup: Setup, { kind, id }: Chosen): string {
  if (kind === 'terrain') return pieceOf(setup, id)?.name || pieceOf(setup, id)?.kind || 'the piece';
  if (kind === 'unit') return unitOf(setup, id)?.name ?? 'the unit';
  if (kind === 'objective') return objectiveOf(setup, id)?.name ?? 'the objective';
  return `the zone of ${sideOf(setup, id)?.name ?? 'the side'}`;
}

/** Where it is (mil); null when it is on no place. */
export function whereIs(setup: Setup, thing: Chosen): [number, number] | null {
  if (thing.kind === 'unit') {
    const unit = unitOf(setup, thing.id);
    return unit ? middleOfUnit(unit) : null;
  }
  if (thing.kind === 'objective') {
    const objective = objectiveOf(setup, thing.id);
    return objective ? spot(objective.at) : null;
  }
  const outline = outlineOf(setup, { kind: thing.kind, id: thing.id });
  return outline.length > 0 ? middleOf(outline) : null;
}

/** Moves it by `by` (mil). */
export function shift(setup: Setup, thing: Chosen, by: Spot): Setup {
  if (thing.kind === 'unit') return shiftUnit(setup, thing.id, by);
  if (thing.kind !== 'objective') return shiftOutline(setup, { kind: thing.kind, id: thing.id }, by);
  const objective = objectiveOf(setup, thing.id);
  if (!objective) return setup;
  const [x, y] = spot(objective.at);
  return changeObjective(setup, thing.id, { at: place([x + by[0], y + by[1]]) });
}

/** Puts its middle to a place (mil): exactly, or (a unit) where there is room near it. */
export function putThing(setup: Setup, thing: Chosen, to: Spot, exact = false): Setup {
  if (thing.kind === 'objective') return changeObjective(setup, thing.id, { at: place(to) });
  if (thing.kind !== 'unit') return putOutline(setup, { kind: thing.kind, id: thing.id }, to);
  const now = whereIs(setup, thing);
  return exact && now ? shiftUnit(setup, thing.id, [to[0] - now[0], to[1] - now[1]]) : putUnit(setup, thing.id, to);
}

/** Turns it by degrees; what is round stays as it is. */
export function spin(setup: Setup, thing: Chosen, degrees: number): Setup {
  if (thing.kind === 'unit') return spinUnit(setup, thing.id, degrees);
  if (thing.kind === 'objective') return setup;
  return spinOutline(setup, { kind: thing.kind, id: thing.id }, degrees * 100);
}

/** Takes it away. A side goes by its own button alone. */
export function removeThing(setup: Setup, { kind, id }: Chosen): Setup {
  if (kind === 'terrain') return removePiece(setup, id);
  if (kind === 'unit') return removeUnit(setup, id);
  return kind === 'objective' ? removeObjective(setup, id) : setup;
}
