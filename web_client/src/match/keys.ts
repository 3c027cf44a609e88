/** The page's own keys; the table has taken those that it could use before (see table/keys.ts). */
import type { Orders } from './session/orders.svelte';

export interface KeyTargets {
  orders: Orders;
  go: (where: 'orders' | 'units' | 'chat') => void;
  help: () => void;
  /** Takes back one's last decision, if that can be. */
  back: () => void;
  /** The player plans: no key gives an answer. */
  planning?: boolean;
}

/** Whether a key belongs to the field that has the focus. */
function typing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'range'].includes(target.type);
}

/** Whether Enter already means something where the focus is; on what is chosen already it means that the answer is given. */
function pressable(target: EventTarget | null): boolean {
  if (!(target instanceof Element) || target.closest('.prompt [aria-pressed="true"]')) return false;
  return target.closest('button, a, summary, dialog, [role="button"]') !== null;
}

/** Does what a key means to the page. */
export function pageKey(event: KeyboardEvent, { orders, go, help, back, planning = false }: KeyTargets): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  if (planning && /^([1-9]|Enter|Escape)$/.test(event.key)) return;
  const does = (): void => event.preventDefault();
  if (/^[1-9]$/.test(event.key)) {
    const place = Number(event.key) - 1;
    const { draft } = orders;
    if (orders.waiting) return;
    if (draft.choice === null) {
      const choice = orders.prompt?.choices[place];
      if (!choice) return;
      does();
      return orders.choose(choice);
    }
    if (draft.part?.kind !== 'unit') return;
    const candidate = draft.part.parameter.candidates[place];
    if (!candidate || candidate.why) return;
    does();
    return draft.setUnit(draft.active, candidate.unit);
  }
  switch (event.key) {
    case 'Enter':
      if (pressable(event.target) || !orders.canSend) return;
      does();
      return orders.send();
    case 'Escape':
      if (orders.draft.choice === null || orders.match.sending) return;
      does();
      return orders.cancel();
    case 'o':
    case 'u':
    case 'c':
      does();
      return go(({ o: 'orders', u: 'units', c: 'chat' } as const)[event.key]);
    case 'a':
      if (!orders.coached) return;
      does();
      return void orders.askAdvice();
    case 't':
      does();
      return back();
    case '?':
      does();
      return help();
  }
}
