/** What a tap or a drag on the table does to the position that is being set up. */
import { contains, direction, distance, turnFrom, type Spot } from '../lib/geometry';
import type { View } from '../lib/protocol';
import type { Editing } from '../library/editing.svelte';
import type { Camera } from '../table/camera.svelte';
import type { GestureHost, Hold } from '../table/gestures';
import type { Ruler } from '../table/ruler.svelte';
import { figureAt } from '../table/world';
import type { Choosing, Chosen } from './choosing.svelte';
import { addCorner, outlineOf, pieceAt, putCorner, type Bounded } from './edit';
import { spot } from './places';
import type { Piece, Setup } from './setup';
import { nameOf, putThing, shift, spin, whereIs } from './things';
import { face, figuresOf, putFigure, unitOf } from './units';

const REACH_MOUSE = 6;
const REACH_TOUCH = 16;
/** What is dragged goes by tenths of an inch. */
const GRAIN = 100;
const FLAG = 1000;

export interface BoardContext {
  readonly camera: Camera;
  readonly ruler: Ruler;
  readonly choosing: Choosing;
  readonly editing: Editing<Setup>;
  view(): View;
  linear(piece: Piece): boolean;
}

const grained = (length: number): number => Math.round(length / GRAIN) * GRAIN;

export class BoardHand implements GestureHost {
  constructor(private readonly on: BoardContext) {}

  pan(dx: number, dy: number): void {
    this.on.camera.pan(dx, dy);
  }

  zoom(factor: number, px: number, py: number): void {
    this.on.camera.zoom(factor, px, py);
  }

  hover(at: readonly [number, number] | null): void {
    const { camera, ruler } = this.on;
    if (ruler.on) ruler.point(at && camera.toTable(at[0], at[1]), REACH_MOUSE * camera.unit);
  }

  hold(px: number, py: number, event: PointerEvent): Hold | null {
    const { camera, ruler, choosing, editing } = this.on;
    if (ruler.on || choosing.tapping) return null;
    const p = camera.toTable(px, py);
    const thing = choosing.thing;
    const begun = editing.now;
    const corner = marked(event, 'data-corner');
    const edge = marked(event, 'data-edge');
    if (thing && bounded(thing) && corner !== null) {
      return this.#drag((to) => putCorner(begun, thing, Number(corner), grain(to)), 'Moved a corner.');
    }
    if (thing && bounded(thing) && edge !== null) {
      return this.#drag((to) => addCorner(begun, thing, Number(edge), grain(to)), 'Added a corner.');
    }
    if (thing && marked(event, 'data-turn') !== null) return this.#turn(thing, p);
    const figure = choosing.tab === 'terrain' ? null : figureAt(this.on.view(), p, this.#reach(event));
    if (figure && unitOf(begun, figure.unit)) return this.#holdFigure(figure.unit, figure.figure, p, event.shiftKey);
    const objective = choosing.tab === 'terrain' ? null : this.#objectiveAt(p, this.#reach(event));
    if (objective) return this.#holdThing({ kind: 'objective', id: objective }, p);
    return thing && this.#covers(thing, p, this.#reach(event)) ? this.#holdThing(thing, p) : null;
  }

  tap(px: number, py: number, event: PointerEvent): void {
    const { camera, ruler, choosing, editing } = this.on;
    const p = camera.toTable(px, py);
    const reach = this.#reach(event);
    if (ruler.on) return ruler.lay(p, reach);
    if (choosing.tapping && choosing.thing) {
      const thing = choosing.thing;
      choosing.tapping = false;
      editing.change(putThing(editing.now, thing, grain(p)), `Put ${nameOf(editing.now, thing)} there.`);
      return;
    }
    if (['data-corner', 'data-edge', 'data-turn'].some((mark) => marked(event, mark) !== null)) return;
    const found = this.#thingAt(p, reach);
    const figure = found?.kind === 'unit' ? figureAt(this.on.view(), p, reach)?.figure : undefined;
    if (choosing.tab === 'sides' && !found) return;
    choosing.choose(found);
    if (figure && choosing.alone) choosing.figure = figure;
  }

  /** What lies under a place; what the open tab is about comes first. */
  #thingAt(p: Spot, reach: number): Chosen | null {
    const setup = this.on.editing.now;
    const figure = figureAt(this.on.view(), p, reach);
    const unit: Chosen | null = figure && unitOf(setup, figure.unit) ? { kind: 'unit', id: figure.unit } : null;
    const objective = this.#objectiveAt(p, reach);
    const piece = pieceAt(setup, p, reach, this.on.linear);
    const ground: Chosen | null = piece ? { kind: 'terrain', id: piece.id } : null;
    if (this.on.choosing.tab === 'terrain' && ground) return ground;
    return unit ?? (objective ? { kind: 'objective', id: objective } : ground);
  }

  #objectiveAt(p: Spot, reach: number): string | null {
    const found = this.on.editing.now.objective?.find(({ at }) => {
      const [x, y] = spot(at);
      // Its flag is taken hold of, not the ground round it.
      return Math.min(distance([x, y - FLAG / 2], p), distance([x, y + FLAG / 2], p)) <= FLAG / 2 + reach;
    });
    return found?.id ?? null;
  }

  #covers(thing: Chosen, p: Spot, reach: number): boolean {
    const setup = this.on.editing.now;
    if (thing.kind === 'terrain') {
      const piece = setup.terrain?.find((each) => each.id === thing.id);
      return piece !== undefined && pieceAt({ ...setup, terrain: [piece] }, p, reach, this.on.linear) !== undefined;
    }
    if (thing.kind !== 'side') return false;
    const outline = outlineOf(setup, { kind: 'side', id: thing.id }).map(spot);
    return outline.length > 2 && contains(outline, p);
  }

  #holdThing(thing: Chosen, from: Spot): Hold {
    const { editing, choosing } = this.on;
    const begun = editing.now;
    return this.#drag(
      (to) => shift(begun, thing, [grained(to[0] - from[0]), grained(to[1] - from[1])]),
      `Moved ${nameOf(begun, thing)}.`,
      () => choosing.choose(thing),
    );
  }

  #holdFigure(unit: string, figure: string, from: Spot, alone: boolean): Hold {
    const { editing, choosing } = this.on;
    const begun = editing.now;
    const thing = { kind: 'unit', id: unit } as const;
    const row = figuresOf(unitOf(begun, unit)!).find((each) => each.id === figure);
    if (!row?.at || !(alone || (choosing.alone && choosing.is('unit', unit)))) return this.#holdThing(thing, from);
    const [x, y] = spot(row.at);
    return this.#drag(
      (to) => putFigure(begun, unit, figure, [x + grained(to[0] - from[0]), y + grained(to[1] - from[1])]),
      `Moved a figure of ${nameOf(begun, thing)}.`,
      () => {
        choosing.choose(thing);
        choosing.alone = true;
        choosing.figure = figure;
      },
    );
  }

  /** The turning handle: a vehicle looks to where it is dragged, everything else turns as far as it is. */
  #turn(thing: Chosen, from: Spot): Hold | null {
    const begun = this.on.editing.now;
    const middle = whereIs(begun, thing);
    if (!middle) return null;
    const unit = thing.kind === 'unit' ? unitOf(begun, thing.id) : undefined;
    const hull = unit && figuresOf(unit).find((row) => row.hull && row.at);
    const done = `Turned ${nameOf(begun, thing)}.`;
    if (unit && hull) {
      return this.#drag((to) => face(begun, unit.id, hull.id, Math.round(direction(spot(hull.at!), to) / 100)), done);
    }
    const start = direction(middle, from);
    return this.#drag((to) => spin(begun, thing, Math.round(turnFrom(start, direction(middle, to)) / 100)), done);
  }

  #drag(change: (to: Spot) => Setup, done: string, begin: () => void = () => undefined): Hold {
    const { camera, editing } = this.on;
    let begun = false;
    return {
      move: (px, py) => {
        if (!begun) begin();
        begun = true;
        editing.drag(change(camera.toTable(px, py)));
      },
      drop: () => editing.drop(done),
      cancel: () => editing.cancel(),
    };
  }

  #reach(event: PointerEvent): number {
    return (event.pointerType === 'mouse' ? REACH_MOUSE : REACH_TOUCH) * this.on.camera.unit;
  }
}

const grain = ([x, y]: Spot): Spot => [grained(x), grained(y)];

/** Whether a thing has corners. */
function bounded(thing: Chosen): thing is Chosen & Bounded {
  return thing.kind === 'terrain' || thing.kind === 'side';
}

function marked(event: PointerEvent, mark: string): string | null {
  const element = event.target instanceof Element ? event.target.closest(`[${mark}]`) : null;
  return element?.getAttribute(mark) ?? null;
}
