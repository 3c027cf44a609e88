/** The table's keys that work wherever the focus is, unless one is typing. */
import { steps } from '../lib/measure.svelte';
import type { Camera } from './camera.svelte';
import type { Draft } from './draft.svelte';
import type { Ruler } from './ruler.svelte';

export interface KeyTargets {
  readonly camera: Camera;
  readonly ruler: Ruler;
  readonly draft: Draft;
  rings(): void;
  turn(): void;
}

/** The keys and what they do, for the help page. */
export const tableKeys = (): readonly (readonly [string, string])[] => [
  ['Tab', 'go from unit to unit, or from figure to figure while a path is drawn'],
  ['Arrow keys', `move what has the focus by ${steps().words}; else move the view`],
  ['W', 'set a way-point where the unit stands now'],
  ['Backspace', 'take the last way-point back'],
  ['R', 'turn the formation, or the vehicle by 15 degrees; with Shift the other way'],
  ['K', 'close up a unit that would end too far apart'],
  ['F', 'move the whole unit, or one figure'],
  ['Escape', 'take back what is drawn; once more to leave the choice'],
  ['M', 'ruler: tap points or figures, or use arrow keys and Enter'],
  ['P', 'plan: move ghosts of your units, and see what would be seen and done from there'],
  ['G', 'range rings round the selected unit'],
  ['+ and -', 'zoom'],
  ['Z', 'show the whole table'],
  ['X', 'turn the table round'],
];

/** Do what a key means to the table. Returns whether it meant anything. */
export function tableKey(event: KeyboardEvent, on: KeyTargets): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return false;
  const part = on.draft.part;
  const formation = part?.kind === 'path' || part?.kind === 'placement' ? part : null;
  switch (event.key.length === 1 ? event.key.toLowerCase() : event.key) {
    case 'm':
      on.ruler.toggle();
      return true;
    case 'g':
      on.rings();
      return true;
    case 'z':
      on.camera.fit();
      return true;
    case 'x':
      on.turn();
      return true;
    case '+':
    case '=':
      on.camera.zoom(1.4);
      return true;
    case '-':
      on.camera.zoom(1 / 1.4);
      return true;
    case 'w':
      if (part?.kind !== 'path' || !part.moved) return false;
      part.addWayPoint();
      return true;
    case 'Backspace':
      if (part?.kind !== 'path' || !part.moved) return false;
      part.removeWayPoint();
      return true;
    case 'k':
      if (part?.kind !== 'path' || !part.scattered) return false;
      part.closeUp();
      return true;
    case 'r':
      formation?.turn(event.shiftKey ? -1500 : 1500);
      return formation !== null;
    case 'f':
      if (!formation || (formation.kind === 'path' ? formation.hull !== null : formation.drives())) return false;
      formation.mode = formation.mode === 'formation' ? 'figure' : 'formation';
      return true;
    case 'Escape':
      return escape(on, part);
    default:
      return false;
  }
}

function escape(on: KeyTargets, part: Draft['part']): boolean {
  if (on.ruler.on) {
    if (on.ruler.marks.length > 0) on.ruler.clear();
    else on.ruler.toggle();
    return true;
  }
  if (part?.kind !== 'path' || !part.moved) return false;
  part.reset();
  return true;
}

/** Whether a key goes into a field (or a list) instead of to the table. */
export function typing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit'].includes(target.type);
}
