/** What a tap or a drag on the table does while one plans; while one does not, it goes on to the table's own hand. */
import type { Spot } from '../lib/geometry';
import type { Camera } from '../table/camera.svelte';
import type { Hold } from '../table/gestures';
import type { OverlayContext, TableHand } from '../table/overlay';
import { figureAt } from '../table/world';
import { ghostKey, ghostsUnit, haunted } from './ghosts';
import type { Planning } from './planning.svelte';

/** How far from a thing a touch may land and still mean it, in pixels. */
const REACH_MOUSE = 6;
const REACH_TOUCH = 16;

export class PlanHand implements TableHand {
  constructor(
    private readonly on: OverlayContext,
    private readonly plan: Planning,
  ) {}

  pan(dx: number, dy: number): void {
    this.on.table.pan(dx, dy);
  }

  zoom(factor: number, px: number, py: number): void {
    this.on.table.zoom(factor, px, py);
  }

  hover(at: readonly [number, number] | null): void {
    this.on.table.hover(at);
  }

  hold(px: number, py: number, event: PointerEvent): Hold | null {
    const planning = this.#planning;
    if (!planning) return this.on.table.hold(px, py, event);
    const p = this.on.camera.toTable(px, py);
    if (marked(event, 'data-turn') !== null) {
      let begun = false;
      return this.#follow(planning, (to) => {
        if (!begun) planning.grab();
        begun = true;
        planning.face(to);
      });
    }
    const handle = marked(event, 'data-handle');
    const taken = handle === null ? this.#ghostAt(planning, p, reach(event, this.on.camera)) : null;
    const unit = handle === null ? taken?.unit : planning.own[Number(handle)]?.[0];
    if (unit === undefined) return null;
    let at: Spot | null = null;
    return this.#follow(planning, (to) => {
      if (at === null) {
        const alone = taken !== null && (event.shiftKey || (planning.mode === 'figure' && planning.unit === unit));
        this.on.select(unit);
        planning.choose(unit);
        if (alone) planning.move('figure', taken.figure);
        else planning.move('formation');
        planning.grab();
        const start = planning.mode === 'figure' ? planning.ghost(unit)?.places[taken!.figure] : undefined;
        at = start ? [start[0] - p[0], start[1] - p[1]] : [0, 0];
      }
      if (planning.mode === 'figure') planning.place(taken!.figure, [to[0] + at[0], to[1] + at[1]]);
      else planning.shift([to[0] - p[0], to[1] - p[1]]);
    });
  }

  tap(px: number, py: number, event: PointerEvent): void {
    const planning = this.#planning;
    if (!planning) {
      this.on.table.tap(px, py, event);
      return;
    }
    if (marked(event, 'data-turn') !== null) return;
    const p = this.on.camera.toTable(px, py);
    const near = reach(event, this.on.camera);
    const handle = marked(event, 'data-handle');
    const ghost = this.#ghostAt(planning, p, near);
    if (ghost) {
      if (planning.unit === ghost.unit && planning.mode === 'figure') planning.move('figure', ghost.figure);
      else this.unit(ghost.unit);
      return;
    }
    const other = figureAt(this.on.view(), p, near);
    // A handle covers the ground next to its unit, where the player may want to go.
    const held = handle === null ? undefined : planning.own[Number(handle)]?.[0];
    if (held !== undefined && held !== planning.unit) this.unit(held);
    else if (other && other.unit !== planning.unit) this.unit(other.unit);
    else if (!other) planning.go(p);
  }

  /** A unit was tapped, or chosen by the keyboard: one's own is moved from now on, to others one looks. */
  unit(unit: string): void {
    const planning = this.#planning;
    if (!planning) this.on.table.unit(unit);
    else if (planning.has(unit)) {
      this.on.select(unit);
      planning.choose(unit);
    } else planning.aim(unit);
  }

  /** What is planned with, unless one measures: the ruler is the table's own. */
  get #planning(): Planning | null {
    return this.plan.on && !this.on.ruler.on ? this.plan : null;
  }

  /** The figure of one's own that can be taken hold of at `p`: a ghost's, or one of a unit that has no ghost. */
  #ghostAt(planning: Planning, p: Spot, near: number): { unit: string; figure: string } | null {
    const view = haunted(this.on.view(), planning.ghosts);
    const own = new Set(planning.own.map(([id]) => (planning.ghosts[id] ? ghostKey(id) : id)));
    const found = figureAt(view, p, near, (unit) => own.has(unit));
    return found && { unit: ghostsUnit(found.unit) ?? found.unit, figure: found.figure };
  }

  #follow(planning: Planning, move: (to: Spot) => void): Hold {
    return {
      move: (px, py) => move(this.on.camera.toTable(px, py)),
      drop: () => planning.drop(),
      cancel: () => planning.undo(),
    };
  }
}

const reach = (event: PointerEvent, camera: Camera): number =>
  (event.pointerType === 'mouse' ? REACH_MOUSE : REACH_TOUCH) * camera.unit;

/** What the touched element says about itself under this name; null if it says nothing. */
function marked(event: PointerEvent, name: string): string | null {
  return event.target instanceof Element ? (event.target.closest(`[${name}]`)?.getAttribute(name) ?? null) : null;
}
