/** The keys of planning, wherever the focus is, unless one is typing. */
import { typing } from '../table/keys';
import type { Planning } from './planning.svelte';

/** Do what a key means to the plan. Returns whether it meant anything; nothing while one measures. */
export function planKey(event: KeyboardEvent, planning: Planning, measuring: boolean): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return false;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (key === 'p') {
    planning.toggle();
    return true;
  }
  if (!planning.on || measuring) return false;
  switch (key) {
    case 'r':
      planning.turn(event.shiftKey ? -1500 : 1500);
      return true;
    case 'f':
      planning.move(planning.mode === 'formation' ? 'figure' : 'formation');
      return true;
    case 'Escape':
      if (planning.mode === 'figure') planning.move('formation');
      else if (planning.target !== null) planning.target = null;
      else planning.toggle();
      return true;
    // These keys edit the draft of an answer; a plan does not use them.
    case 'w':
    case 'k':
    case 'Backspace':
      return true;
    default:
      return false;
  }
}
