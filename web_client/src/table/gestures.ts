/** Pointers on the table told apart: a tap, a drag of something, a drag of the ground (pan), two fingers (zoom). */

/** What follows a pointer that took hold of something. */
export interface Hold {
  move(px: number, py: number): void;
  drop(): void;
  cancel(): void;
}

/** What the gestures act on. Pixels are relative to the element. */
export interface GestureHost {
  /** Take hold of what is under the pointer; null for the ground. */
  hold(px: number, py: number, event: PointerEvent): Hold | null;
  tap(px: number, py: number, event: PointerEvent): void;
  pan(dx: number, dy: number): void;
  zoom(factor: number, px: number, py: number): void;
  /** The mouse is over this place, or over nothing. */
  hover(at: readonly [number, number] | null): void;
}

interface Finger {
  x: number;
  y: number;
  startX: number;
  startY: number;
}

const SLACK_MOUSE = 4;
const SLACK_TOUCH = 10;

/** Attach to the element; the result detaches. */
export function gestures(element: SVGSVGElement, host: GestureHost): () => void {
  const fingers = new Map<number, Finger>();
  let held: Hold | null = null;
  let offered: Hold | null = null;
  let dragging = false;
  let several = false;

  const place = (event: { clientX: number; clientY: number }): [number, number] => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  function down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const [x, y] = place(event);
    fingers.set(event.pointerId, { x, y, startX: x, startY: y });
    if (fingers.size === 1) {
      dragging = false;
      several = false;
      offered = host.hold(x, y, event);
    } else {
      // A second finger turns a drag that has begun into a zoom.
      several = true;
      held?.cancel();
      held = null;
      offered = null;
    }
  }

  function move(event: PointerEvent): void {
    const finger = fingers.get(event.pointerId);
    const [x, y] = place(event);
    if (!finger) {
      if (event.pointerType === 'mouse') host.hover([x, y]);
      return;
    }
    if (fingers.size > 1) {
      pinch(finger, x, y);
      return;
    }
    const slack = event.pointerType === 'mouse' ? SLACK_MOUSE : SLACK_TOUCH;
    if (!dragging && Math.hypot(x - finger.startX, y - finger.startY) < slack) return;
    if (!dragging) {
      dragging = true;
      held = offered;
      element.setPointerCapture(event.pointerId);
    }
    if (held) held.move(x, y);
    else host.pan(x - finger.x, y - finger.y);
    finger.x = x;
    finger.y = y;
  }

  function pinch(finger: Finger, x: number, y: number): void {
    const other = [...fingers.values()].find((one) => one !== finger);
    if (!other) return;
    const before = Math.hypot(finger.x - other.x, finger.y - other.y);
    const after = Math.hypot(x - other.x, y - other.y);
    host.pan((x - finger.x) / 2, (y - finger.y) / 2);
    if (before > 10 && after > 10) host.zoom(after / before, (x + other.x) / 2, (y + other.y) / 2);
    finger.x = x;
    finger.y = y;
  }

  function up(event: PointerEvent): void {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    fingers.delete(event.pointerId);
    if (held) held.drop();
    else if (!dragging && !several && event.type === 'pointerup') host.tap(...place(event), event);
    held = null;
    offered = null;
  }

  function lost(event: PointerEvent): void {
    fingers.delete(event.pointerId);
    held?.cancel();
    held = null;
    offered = null;
  }

  function leave(event: PointerEvent): void {
    if (event.pointerType === 'mouse' && fingers.size === 0) host.hover(null);
  }

  function wheel(event: WheelEvent): void {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    host.zoom(Math.exp(-event.deltaY * lines * 0.0015), ...place(event));
  }

  const listening = new AbortController();
  const { signal } = listening;
  element.addEventListener('pointerdown', down, { signal });
  element.addEventListener('pointermove', move, { signal });
  element.addEventListener('pointerup', up, { signal });
  element.addEventListener('pointercancel', lost, { signal });
  element.addEventListener('pointerleave', leave, { signal });
  element.addEventListener('wheel', wheel, { signal, passive: false });
  return () => listening.abort();
}
