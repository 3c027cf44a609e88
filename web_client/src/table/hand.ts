/** What a tap or a drag on the table does: to the draft while something is asked of the table, else to the selection. */
import { contains, direction, distance, distanceToOutline, type Spot } from '../lib/geometry';
import type { TableView, TerrainView, View } from '../lib/protocol';
import type { Aiming } from './aiming.svelte';
import type { Camera } from './camera.svelte';
import type { Draft } from './draft.svelte';
import type { GestureHost, Hold } from './gestures';
import type { March } from './march.svelte';
import type { Placing } from './placing.svelte';
import type { Ruler } from './ruler.svelte';
import type { Stopping } from './stopping.svelte';
import { distanceTo, figureAt, lying, middle, sideOf, standing } from './world';

/** How far from a thing a touch may land and still mean it, in pixels. */
const REACH_MOUSE = 6;
const REACH_TOUCH = 16;

export interface HandContext {
  readonly camera: Camera;
  readonly ruler: Ruler;
  draft(): Draft;
  view(): View;
  table(): TableView;
  seat(): string;
  /** The unit was chosen on the table, or none. */
  select(unit: string | null): void;
  /** The mouse is over this unit, or over none. */
  over(unit: string | null): void;
  /** The ground was tapped here: what lies there, if anything does. */
  ground(piece: TerrainView | null): void;
}

export class Hand implements GestureHost {
  constructor(private readonly on: HandContext) {}

  pan(dx: number, dy: number): void {
    this.on.camera.pan(dx, dy);
  }

  zoom(factor: number, px: number, py: number): void {
    this.on.camera.zoom(factor, px, py);
  }

  hover(at: readonly [number, number] | null): void {
    const { camera, ruler } = this.on;
    const p = at && camera.toTable(at[0], at[1]);
    if (ruler.on) {
      ruler.point(p, REACH_MOUSE * camera.unit);
      this.on.over(null);
      return;
    }
    this.on.over(p && (figureAt(this.on.view(), p, REACH_MOUSE * camera.unit)?.unit ?? null));
  }

  hold(px: number, py: number, event: PointerEvent): Hold | null {
    const p = this.on.camera.toTable(px, py);
    const reach = this.#reach(event);
    if (this.on.ruler.on) return this.#holdRuler(p, reach);
    const handle = handleOf(event);
    const draft = this.on.draft();
    const part = draft.part;
    const turned = turnOf(event);
    if (turned !== null && part?.kind === 'path') return this.#follow((to) => part.face(to));
    if (turned !== null && part?.kind === 'placement') return this.#follow((to) => part.face(turned, to));
    if (part?.kind === 'point') return this.#holdAim(part, p, reach, handle !== null);
    if (part?.kind === 'stop') return this.#holdStop(part, p, reach, handle !== null);
    if (part?.kind === 'path') return this.#holdMarch(part, p, reach, handle !== null, event.shiftKey);
    if (part?.kind === 'placement') return this.#holdPlacing(part, p, reach, handle, event.shiftKey);
    if (part?.kind === 'direction') {
      if (handle === null) return null;
      const from = middle(this.on.view().units[part.parameter.unit]);
      if (!from) return null;
      return this.#follow((to) => part.towards(direction(from, to)));
    }
    return draft.choice ? null : this.#holdUnit(p, reach);
  }

  tap(px: number, py: number, event: PointerEvent): void {
    const { camera, ruler } = this.on;
    const p = camera.toTable(px, py);
    const reach = this.#reach(event);
    if (ruler.on) {
      ruler.lay(p, reach);
      return;
    }
    const part = this.on.draft().part;
    const handle = missesHandle(event, part) ? null : handleOf(event);
    if (turnOf(event) !== null) return;
    if (part?.kind === 'assignment') {
      const { unit, rows } = part.parameter;
      const given = (one: string, figure: string) => one === unit && rows.some((row) => row.figure === figure);
      const found = figureAt(this.on.view(), p, reach, given);
      if (found) {
        part.cycle(found.figure);
        return;
      }
    }
    if (part?.kind === 'point') {
      if (handle === null || event.pointerType !== 'mouse') part.aim(p);
      return;
    }
    if (part?.kind === 'placement' && this.#tapPlacing(part, p, reach, handle)) return;
    if (part?.kind === 'path' && this.#tapMarch(part, p, reach, handle)) return;
    if (part?.kind === 'figures') {
      const { unit, figures } = part.parameter;
      const wanted = (one: string, figure: string) => one === unit && figures.includes(figure);
      const found = figureAt(this.on.view(), p, reach, wanted) ?? figureAt(this.on.view(), p, reach, wanted, lying);
      if (found) {
        part.toggle(found.figure);
        return;
      }
    }
    if (part?.kind === 'direction') {
      const from = middle(this.on.view().units[part.parameter.unit]);
      if (from && distance(from, p) > 500) part.towards(direction(from, p));
      return;
    }
    const found = figureAt(this.on.view(), p, reach);
    if (found) this.unit(found.unit);
    else {
      this.on.select(null);
      this.on.ground(this.#pieceAt(p, reach));
    }
  }

  /** A unit was tapped, or chosen by the keyboard. */
  unit(unit: string): void {
    const { ruler } = this.on;
    if (ruler.on) {
      ruler.layUnit(unit);
      return;
    }
    const draft = this.on.draft();
    this.on.select(unit);
    if (draft.part?.kind === 'unit') {
      const candidate = draft.part.parameter.candidates.find((one) => one.unit === unit);
      if (candidate && !candidate.why) draft.setUnit(draft.active, unit);
      return;
    }
    if (draft.choice) return;
    if (this.on.view().units[unit]?.side !== sideOf(this.on.view(), this.on.seat())) {
      const at = draft.choiceAt(unit);
      // What it names is to be seen before it is sent, odds or not.
      if (at && draft.take(at.key) && draft.parts[0]?.kind === 'unit') draft.parts[0].name(unit);
      return;
    }
    const choice = draft.choiceFor(unit);
    if (choice?.parameters[0]?.type === 'unit' && draft.take(choice.key)) draft.setUnit(0, unit);
  }

  #reach(event: PointerEvent): number {
    return (event.pointerType === 'mouse' ? REACH_MOUSE : REACH_TOUCH) * this.on.camera.unit;
  }

  /** A drag with the ruler measures from where it begins to where it ends. */
  #holdRuler(from: Spot, reach: number): Hold {
    const { ruler, camera } = this.on;
    let to: Spot | null = null;
    return {
      move: (px, py) => {
        if (to === null) {
          ruler.clear();
          ruler.lay(from, reach);
        }
        to = camera.toTable(px, py);
        ruler.point(to, reach);
      },
      drop: () => {
        if (to === null) return;
        ruler.lay(to, reach);
        ruler.end();
      },
      cancel: () => ruler.clear(),
    };
  }

  /** A drag that tells where the pointer is on the table. */
  #follow(move: (to: Spot) => void, undo: () => void = () => undefined): Hold {
    return {
      move: (px, py) => move(this.on.camera.toTable(px, py)),
      drop: () => undefined,
      cancel: undo,
    };
  }

  /** A drag of one's own unit takes the choice that moves it, if there is one. */
  #holdUnit(p: Spot, reach: number): Hold | null {
    const draft = this.on.draft();
    const found = figureAt(this.on.view(), p, reach);
    const choice = found && draft.choiceFor(found.unit);
    if (!found || choice?.parameters[0]?.type !== 'path') return null;
    let begun: Hold | null = null;
    return {
      move: (px, py) => {
        if (!begun && draft.take(choice.key) && draft.part?.kind === 'path') {
          begun = this.#holdMarch(draft.part, p, reach, false, false);
        }
        begun?.move(px, py);
      },
      drop: () => begun?.drop(),
      cancel: () => draft.cancel(),
    };
  }

  #holdMarch(march: March, p: Spot, reach: number, handle: boolean, alone: boolean): Hold | null {
    let nearest = reach;
    let taken: { id: string; at: Spot } | null = null;
    for (const { figure, points } of march.tracks) {
      // The figure where it stands can be grabbed as well as where it ends.
      const ends = [{ ...figure, at: points.at(-1)!, facing: march.pose.facing }, figure];
      for (const { at, ...size } of ends) {
        const off = distanceTo(p, { ...size, at });
        if (off <= nearest && !handle) {
          nearest = off;
          taken = { id: figure.id, at };
        }
      }
    }
    if (!taken && !handle) return null;
    if (taken && !march.hull && (alone || march.mode === 'figure')) {
      const { id, at } = taken;
      const off: Spot = [at[0] - p[0], at[1] - p[1]];
      return this.#follow((to) => {
        march.mode = 'figure';
        march.figure = id;
        march.place(id, [to[0] + off[0], to[1] + off[1]]);
      });
    }
    march.mode = 'formation';
    march.grab();
    return this.#follow((to) => march.shift([to[0] - p[0], to[1] - p[1]]));
  }

  /** The circle is dragged by its handle or by its middle; anywhere else the table is. */
  #holdAim(aiming: Aiming, p: Spot, reach: number, handle: boolean): Hold | null {
    const at = aiming.at;
    if (!at || (!handle && distance(p, at) > Math.max(reach, aiming.parameter.radius))) return null;
    const off: Spot = [at[0] - p[0], at[1] - p[1]];
    return this.#follow((to) => aiming.aim([to[0] + off[0], to[1] + off[1]]));
  }

  /** A unit on its way slides along it; each figure that is taken hold of on its own way. */
  #holdStop(stopping: Stopping, p: Spot, reach: number, handle: boolean): Hold | null {
    const moving = stopping.figures.filter((figure) => figure.points.length > 1);
    const taken = moving.find((figure) => distanceTo(p, figure) <= reach) ?? (handle ? moving[0] : undefined);
    if (!taken) return null;
    const off: Spot = [taken.at[0] - p[0], taken.at[1] - p[1]];
    return this.#follow((to) => stopping.towards(taken.id, [to[0] + off[0], to[1] + off[1]]));
  }

  #holdPlacing(placing: Placing, p: Spot, reach: number, handle: number | null, alone: boolean): Hold | null {
    const taken = handle === null ? this.#placedAt(placing, p, reach) : null;
    const index = handle ?? taken?.index;
    if (index === undefined) return null;
    const single =
      taken !== null && !placing.drives(index) && (alone || (placing.mode === 'figure' && placing.selected === index));
    let begun = false;
    return this.#follow((to) => {
      if (!begun) {
        begun = true;
        if (placing.selected !== index) placing.choose(index);
        if (single) {
          placing.mode = 'figure';
          placing.figure = taken.id;
        } else {
          placing.mode = 'formation';
          placing.grab();
        }
      }
      if (single) placing.place(taken.id, to);
      else placing.shift([to[0] - p[0], to[1] - p[1]]);
    });
  }

  #tapMarch(march: March, p: Spot, reach: number, handle: number | null): boolean {
    if (handle !== null) {
      march.mode = 'formation';
      return true;
    }
    if (march.mode === 'figure') {
      const found = march.tracks.find((t) => distance(p, t.points.at(-1)!) - t.figure.radius <= reach);
      if (found) {
        march.figure = found.figure.id;
        return true;
      }
    }
    const other = figureAt(this.on.view(), p, 0, (unit) => unit !== march.parameter.unit);
    const contact = march.parameter.ends.some((rule) =>
      rule.any_of.some((one) => one.type === 'touching' && one.units.includes(other?.unit ?? '')),
    );
    if (other && !contact) return false;
    march.go(p);
    return true;
  }

  #tapPlacing(placing: Placing, p: Spot, reach: number, handle: number | null): boolean {
    const taken = this.#placedAt(placing, p, reach);
    if (handle !== null) {
      placing.choose(handle);
      placing.mode = 'formation';
    } else if (taken && (taken.index !== placing.selected || placing.mode === 'figure')) {
      if (taken.index !== placing.selected) placing.choose(taken.index);
      placing.figure = placing.mode === 'figure' ? taken.id : null;
    } else if (figureAt(this.on.view(), p, 0)) {
      return false;
    } else {
      placing.go(p);
    }
    return true;
  }

  #placedAt(placing: Placing, p: Spot, reach: number): { index: number; id: string } | null {
    let nearest = reach;
    let found: { index: number; id: string } | null = null;
    for (const placed of placing.units) {
      for (const figure of placed.figures) {
        const off = distanceTo(p, figure);
        if (off <= nearest) {
          nearest = off;
          found = { index: placed.index, id: figure.id };
        }
      }
    }
    return found;
  }

  /** The piece of terrain under `p`, lines before areas, small ones before large. */
  #pieceAt(p: Spot, reach: number): TerrainView | null {
    const terrain = this.on.table().terrain;
    const line = terrain.find((piece) => piece.linear && distanceToOutline(p, piece.outline, true) <= reach);
    return line ?? terrain.findLast((piece) => !piece.linear && contains(piece.outline, p)) ?? null;
  }
}

/** The formation whose facing is taken hold of; null when none is. */
function turnOf(event: PointerEvent): number | null {
  const element = event.target instanceof Element ? event.target.closest('[data-turn]') : null;
  return element ? Number(element.getAttribute('data-turn')) : null;
}

function handleOf(event: PointerEvent): number | null {
  const element = event.target instanceof Element ? event.target.closest('[data-handle]') : null;
  return element ? Number(element.getAttribute('data-handle')) : null;
}

/**
 * Whether a handle was tapped where that would change nothing, and the ground below it was meant: on its rim, which is
 * there for drags, or anywhere with a finger, for which the handle covers the next inches ahead of the unit.
 */
function missesHandle(event: PointerEvent, part: Draft['part']): boolean {
  if (!(event.target instanceof Element)) return false;
  if (event.pointerType === 'mouse' && !event.target.classList.contains('target')) return false;
  if (part?.kind === 'path') return part.mode === 'formation';
  return part?.kind === 'placement' && part.mode === 'formation' && part.selected === handleOf(event);
}

/** The middle of the unit that the draft moves, places or turns; null when it does none of these. */
export function draftPlaces(draft: Draft, view: View): Spot[] {
  const part = draft.part;
  if (part?.kind === 'path') return part.tracks.map((track) => track.points.at(-1)!);
  if (part?.kind === 'placement') return part.units.flatMap((placed) => placed.figures.map((figure) => figure.at));
  if (part?.kind === 'stop') {
    const asked = standing(view.units[draft.prompt?.unit ?? '']);
    return [...part.figures.flatMap((figure) => [figure.at, ...figure.points]), ...asked.map((figure) => figure.at)];
  }
  if (part?.kind === 'point') {
    const near = part.parameter.near.flatMap((one) => standing(view.units[one]).map((figure) => figure.at));
    return part.at ? [part.at] : near;
  }
  if (part?.kind === 'assignment') {
    const { unit, rows } = part.parameter;
    const targets = rows.flatMap((row) => row.options.map((option) => option.unit));
    return [...new Set([unit, ...targets])].flatMap((one) => standing(view.units[one]).map((figure) => figure.at));
  }
  if (part?.kind === 'direction' || part?.kind === 'figures') {
    return standing(view.units[part.parameter.unit]).map((figure) => figure.at);
  }
  return [];
}
