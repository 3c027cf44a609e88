/** The replay's own keys; the table has taken those that it could use before (see table/keys.ts). */
import type { Player } from './player.svelte';

/** The keys and what they do, for people. */
export const REPLAY_KEYS: readonly (readonly [string, string])[] = [
  ['Space', 'play or pause'],
  ['← and →', 'a step back or on'],
  ['Shift and ← or →', 'a turn back or on'],
  ['Home and End', 'the beginning and the end'],
];

/** Does what a key means to the player. */
export function replayKey(event: KeyboardEvent, player: Player): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
  if (by !== 0) {
    if (event.shiftKey) player.turn(by);
    else player.step(by);
  } else if (event.key === 'Home') player.home();
  else if (event.key === 'End') player.toEnd();
  else if (event.key === ' ' && !pressable(event.target)) player.toggle();
  else return;
  event.preventDefault();
}

/** Whether a key belongs to the field that has the focus. The scrubber's own keys are the player's. */
function typing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.closest('dialog, textarea, select')) return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'range'].includes(target.type);
}

/** Whether a space already presses something where the focus is. */
function pressable(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('button, a, summary, input, [role="button"]') !== null;
}
