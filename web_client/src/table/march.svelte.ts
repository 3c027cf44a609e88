/** A path being drawn: the answer to a `PathParameter` while it is dragged, tapped or nudged together. */
import { FULL_TURN, between, centroid, direction, distance, gap, toPoint, turned, type Spot } from '../lib/geometry';
import { endPose } from '../lib/driving';
import type { Hull, Pose } from '../lib/hulls';
import { links, type Base, type Link } from '../lib/paths';
import type { PathParameter, PathsDeclared, Point, TableView, View } from '../lib/protocol';
import { advance, reach, settle, strays, type Places, type Walker, type Way } from './arrange';
import { cost, pathFaultsOf, type Fault } from './checks';
import { standing, type Standing } from './world';

export type Mode = 'formation' | 'figure';

/** One figure's way as it stands: its start and all points after it, and what it costs (mil). */
export interface Track {
  readonly figure: Standing;
  readonly points: readonly Spot[];
  readonly cost: number;
}

export class March {
  readonly kind = 'path';
  readonly parameter: PathParameter;
  /** Paths that the prompt offers. Where the unit must move they are there from the beginning. */
  readonly suggested: PathsDeclared | null;
  /** Whether a drag moves the whole formation or one figure. */
  mode: Mode = $state('formation');
  /** The figure that is adjusted in figure mode. */
  figure: string | null = $state(null);
  /** The last move would have gone farther than the allowance. */
  clipped = $state(false);
  /** Where a hull is to face at the end; null: as its last leg runs. */
  facing: number | null = $state(null);

  #getView: () => View;
  #getTable: () => TableView;
  #changed: () => void;
  #given = $state(false);
  /** Per figure the way-points that are fixed, the start left out. */
  #fixed: Record<string, Point[]> = $state.raw({});
  /** Where each figure ought to stand after the open leg, if nothing were in the way; null while no leg is open. */
  #wishes: Places | null = $state.raw(null);
  /** The open leg: where each figure goes from its last way-point. */
  #legs: Record<string, Point[]> = $state.raw({});
  /** What a drag moves, as it was when the drag began. */
  #held: Places | null = null;

  constructor(
    parameter: PathParameter,
    getView: () => View,
    getTable: () => TableView,
    changed: () => void,
    suggested: PathsDeclared | null = null,
  ) {
    this.parameter = parameter;
    this.#getView = getView;
    this.#getTable = getTable;
    this.#changed = changed;
    const offers = suggested && (Object.keys(suggested.paths).length > 0 || typeof suggested.facing === 'number');
    this.suggested = offers ? suggested : null;
    if (!parameter.may_stay) this.suggest();
  }

  #all: Standing[] = $derived.by(() => standing(this.#getView().units[this.parameter.unit]));

  /** The figures that may move. */
  figures: Standing[] = $derived.by(() => this.#all.filter((figure) => this.#may(figure.id)));

  /** Those that stay where they are. */
  resting: Standing[] = $derived.by(() => this.#all.filter((figure) => !this.#may(figure.id)));

  /** What is driven; null for a unit on foot. */
  hull: Hull | null = $derived.by(() => this.figures[0]?.hull ?? null);

  tracks: Track[] = $derived.by(() =>
    this.figures.map((figure) => {
      const points = distinct([figure.at, ...(this.#fixed[figure.id] ?? []), ...(this.#legs[figure.id] ?? [])]);
      return { figure, points, cost: points.length > 1 ? cost(this.#getTable(), this.parameter, points) : 0 };
    }),
  );

  /** The figure that uses up most. */
  worst: Track | null = $derived.by(() =>
    this.tracks.reduce<Track | null>((worst, track) => (worst && worst.cost >= track.cost ? worst : track), null),
  );

  moved: boolean = $derived.by(() => this.facing !== null || this.tracks.some((track) => track.points.length > 1));

  /** How a hull stands at the end. */
  pose: Pose = $derived.by(() => {
    const track = this.tracks[0];
    if (!track) return { at: [0, 0], facing: 0 };
    return endPose({ at: track.figure.at, facing: track.figure.facing }, track.points, this.facing);
  });

  value: PathsDeclared | null = $derived.by(() => {
    if (!this.#given) return null;
    const paths = this.#paths();
    return this.hull ? { type: 'path', paths, facing: this.facing } : { type: 'path', paths };
  });

  faults: Fault[] = $derived.by(() => {
    if (!this.value) return [];
    return pathFaultsOf(this.#getView(), this.#getTable(), this.parameter, this.value.paths, this.facing);
  });

  /** Where everybody stands at the end, those who stay included. */
  ends: Base[] = $derived.by(() => [...this.tracks.map(endBase), ...this.resting]);

  /** The links that hold the unit together where it ends, between places of `ends`. */
  links: Link[] = $derived.by(() => links(this.ends));

  wayPoints: number = $derived(Math.max(0, ...Object.values(this.#fixed).map((points) => points.length)));

  /** Where the formation's middle stands now. */
  middle: Spot = $derived.by(() => centroid(this.tracks.map((track) => track.points.at(-1)!)));

  /** Whether it goes there in one leg. */
  get direct(): boolean {
    return this.parameter.straight || this.parameter.jump;
  }

  /** Whether it comes to every place of the table. */
  get anywhere(): boolean {
    const { width, height } = this.#getTable();
    return this.parameter.jump && this.parameter.allowance >= Math.hypot(width, height);
  }

  /** Whether a hull may face anywhere at its end. */
  get turns(): boolean {
    return this.hull !== null && !this.parameter.straight;
  }

  /** Begin a drag: what follows is measured from how things stand now. */
  grab(): void {
    this.#held = { ...this.#places() };
  }

  /** Move the formation by `by` from where it was grabbed (or stands). */
  shift(by: Spot): void {
    const from = this.#held ?? this.#places();
    const { places, clipped } = advance(this.#getTable(), this.parameter, this.#walkers(), from, by);
    this.clipped = clipped;
    this.#take(places);
  }

  /** Send the formation towards `to`, as far as the allowance goes. */
  go(to: Spot): void {
    if (this.mode === 'figure' && this.figure && !this.hull) {
      this.place(this.figure, to);
      return;
    }
    const from = this.#starts();
    const here = centroid(Object.values(from));
    const { places, clipped } = advance(this.#getTable(), this.parameter, this.#walkers(), from, [
      to[0] - here[0],
      to[1] - here[1],
    ]);
    this.clipped = clipped;
    this.#take(places);
  }

  /** Move one figure to `to`, as far as its allowance goes; the others stay as they are. */
  place(id: string, to: Spot): void {
    if (this.hull) {
      this.go(to);
      return;
    }
    const walker = this.#walkers().find((one) => one.id === id);
    if (!walker) return;
    const { end, clipped } = reach(this.#getTable(), this.parameter, walker, to);
    this.clipped = clipped;
    const others = [...this.tracks.filter((track) => track.figure.id !== id).map(endBase), ...this.resting];
    const way = settle(this.#getView(), this.#getTable(), this.parameter, [walker], { [id]: end }, others)[id]!;
    this.#wishes = { ...this.#places(), [id]: way.end };
    this.#legs = { ...this.#legs, [id]: [...way.via, way.end] };
    this.#touch();
  }

  /** Move by a small step: the figure in figure mode (or the one named), else the formation. */
  nudge(by: Spot, id: string | null = this.mode === 'figure' ? this.figure : null): void {
    this.#held = null;
    if (id === null) {
      this.shift(by);
      return;
    }
    const at = this.tracks.find((track) => track.figure.id === id)?.points.at(-1);
    if (this.hull) this.shift(by);
    else if (at) this.place(id, [at[0] + by[0], at[1] + by[1]]);
  }

  /** Whether the unit ends too far apart to hold together. */
  scattered: boolean = $derived.by(
    () => this.parameter.gap > 0 && this.links.some((link) => link.gap > this.parameter.gap),
  );

  /** Bring the figures that stand apart to the others, as far as their allowances go. */
  closeUp(): void {
    const [table, limit] = [this.#getTable(), this.parameter.gap];
    const walkers = this.#walkers();
    const places = this.#places();
    const walking = walkers.map((walker) => ({ at: places[walker.id]!, radius: walker.radius, walker }));
    const bases = [...walking, ...this.resting.map(({ at, radius }) => ({ at, radius, walker: null }))];
    for (const [one, other] of strays(bases, limit)) {
      const apart = gap(one.at, one.radius, other.at, other.radius);
      const end = toPoint(between(one.at, other.at, Math.max(0, apart - limit * 0.8) / distance(one.at, other.at)));
      if (one.walker) one.at = reach(table, this.parameter, one.walker, end).end;
    }
    this.#take(Object.fromEntries(walking.map((base) => [base.walker.id, toPoint(base.at)])));
  }

  /** Have a hull face the place `to` at the end. */
  face(to: Spot): void {
    if (!this.turns || distance(this.pose.at, to) < 1) return;
    this.facing = direction(this.pose.at, to);
    this.#touch();
  }

  /** Have a hull face at the end as its last leg runs. */
  faceAhead(): void {
    this.facing = null;
    if (!this.moved) this.reset();
    else this.#touch();
  }

  /** Turn a hull where it ends, or the formation round its middle, by `angle` (hundredths of a degree). */
  turn(angle: number): void {
    if (this.hull) {
      if (!this.turns) return;
      this.facing = (((this.pose.facing + angle) % FULL_TURN) + FULL_TURN) % FULL_TURN;
      this.#touch();
      return;
    }
    const from = this.#places();
    const centre = centroid(Object.values(from));
    const wished: Places = {};
    for (const [id, at] of Object.entries(from)) wished[id] = turned(at, centre, angle);
    const walkers = this.#walkers();
    const table = this.#getTable();
    for (const walker of walkers) wished[walker.id] = reach(table, this.parameter, walker, wished[walker.id]!).end;
    this.#take(wished);
  }

  /** Fix where things stand as a way-point: what follows goes on from there. */
  addWayPoint(): void {
    if (this.direct) return;
    const only = this.mode === 'figure' ? this.figure : null;
    const fixed = { ...this.#fixed };
    const legs = { ...this.#legs };
    for (const { figure } of this.tracks) {
      const leg = legs[figure.id];
      if (!leg || (only !== null && figure.id !== only)) continue;
      fixed[figure.id] = [...(fixed[figure.id] ?? []), ...leg];
      delete legs[figure.id];
    }
    this.#fixed = fixed;
    this.#legs = legs;
    this.#held = null;
    this.#changed();
  }

  /** Drop the open leg and take back the last way-point, which becomes the end of the open leg; else reset. */
  removeWayPoint(): void {
    if (this.wayPoints === 0) {
      this.reset();
      return;
    }
    const most = this.wayPoints;
    const fixed: Record<string, Point[]> = {};
    const legs: Record<string, Point[]> = {};
    for (const [id, points] of Object.entries(this.#fixed)) {
      const last = points.at(-1);
      if (points.length < most || !last) {
        fixed[id] = points;
        continue;
      }
      fixed[id] = points.slice(0, -1);
      legs[id] = [last];
    }
    this.#fixed = fixed;
    this.#legs = legs;
    this.#wishes = null;
    this.clipped = false;
    this.#touch();
  }

  /** Reset: no figure has moved, and there is no answer. */
  reset(): void {
    this.#fixed = {};
    this.#legs = {};
    this.#wishes = null;
    this.#held = null;
    this.#given = false;
    this.clipped = false;
    this.facing = null;
    this.figure = null;
    this.mode = 'formation';
    this.#changed();
  }

  /** Take the paths that the prompt offers. */
  suggest(): void {
    if (!this.suggested) return;
    this.reset();
    const fixed: Record<string, Point[]> = {};
    const legs: Record<string, Point[]> = {};
    for (const [id, path] of Object.entries(this.suggested.paths)) {
      fixed[id] = path.slice(0, -1);
      legs[id] = path.slice(-1);
    }
    this.#fixed = fixed;
    this.#legs = legs;
    this.facing = this.suggested.facing ?? null;
    this.#touch();
  }

  /** Give the answer that no figure moves. */
  stay(): void {
    this.reset();
    this.#touch();
  }

  #take(wishes: Places): void {
    // A vehicle goes where it is sent; its player sees what is in the way, and drives round it.
    const ways: Record<string, Way> = this.hull
      ? Object.fromEntries(Object.entries(wishes).map(([id, end]) => [id, { via: [], end }]))
      : settle(this.#getView(), this.#getTable(), this.parameter, this.#walkers(), wishes, this.resting);
    const legs: Record<string, Point[]> = {};
    for (const [id, way] of Object.entries(ways)) legs[id] = [...way.via, way.end];
    this.#wishes = wishes;
    this.#legs = legs;
    this.#touch();
  }

  #touch(): void {
    this.#given = true;
    this.#changed();
  }

  #may(figure: string): boolean {
    const { figures } = this.parameter;
    return figures.length === 0 || figures.includes(figure);
  }

  /** Where the open leg begins. */
  #starts(): Places {
    const places: Places = {};
    for (const figure of this.figures) places[figure.id] = toPoint(this.#fixed[figure.id]?.at(-1) ?? figure.at);
    return places;
  }

  /** Where the formation stands, ideally. */
  #places(): Places {
    const places = this.#starts();
    for (const figure of this.figures) {
      const at = this.#wishes?.[figure.id] ?? this.#legs[figure.id]?.at(-1);
      if (at) places[figure.id] = at;
    }
    return places;
  }

  #walkers(): Walker[] {
    return this.figures.map((figure) => ({
      id: figure.id,
      radius: figure.radius,
      head: [figure.at, ...(this.#fixed[figure.id] ?? [])],
    }));
  }

  #paths(): Record<string, Point[]> {
    const paths: Record<string, Point[]> = {};
    for (const { figure, points } of this.tracks) {
      if (points.length > 1) paths[figure.id] = points.slice(1).map(toPoint);
    }
    return paths;
  }
}

function endBase(track: Track): { at: Spot; radius: number } {
  return { at: track.points.at(-1)!, radius: track.figure.radius };
}

/** The points without repetitions. */
function distinct(points: readonly Spot[]): Spot[] {
  return points.filter((p, i) => i === 0 || p[0] !== points[i - 1]![0] || p[1] !== points[i - 1]![1]);
}
