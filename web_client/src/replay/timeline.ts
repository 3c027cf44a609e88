/**
 * A match from its beginning as one audience saw it: its frames in order, and the view after any of them.
 *
 * A place is a number from 0 (how the match began) to the number of frames (after the last one). Views share whatever did
 * not change between them, so one that is kept every so many frames costs little, and the way to any other is short.
 */
import { patchView } from '../lib/merge';
import type { ReplayFrame, Story, View } from '../lib/protocol';

/** A view is kept whenever so many frames have been passed. */
export const KEY_EVERY = 32;

/** A turn, and the place after its first frame. */
export interface TurnMark {
  turn: number;
  place: number;
}

/** Kinds of story that touch nothing on the table: a take-back does not undo them, and they are soon read. */
const BESIDE: readonly string[] = ['chat', 'seat', 'clock', 'offer'];

/** Whether a frame tells of the desk alone: chat, seats, clocks, offers. */
export function onlyDesk(frame: ReplayFrame): boolean {
  const story = frame.story ?? [];
  return story.length > 0 && story.every(({ kind }) => BESIDE.includes(kind));
}

export class Timeline {
  readonly frames: ReplayFrame[] = [];
  private readonly keys: View[];
  private lately: { place: number; view: View };
  /** For each frame, the number of the frame that took it back; 0 for those that stand. */
  private readonly undoing: number[] = [];

  /**
   * @param start how the match began
   * @param first the number of that moment, before the first frame
   */
  constructor(
    readonly start: View,
    readonly first: number,
  ) {
    this.keys = [start];
    this.lately = { place: 0, view: start };
  }

  /** The last place. */
  get end(): number {
    return this.frames.length;
  }

  /** The number of the last frame. */
  get last(): number {
    return this.numberAt(this.end);
  }

  /** Adds the frames that come next; those already known are left out. */
  add(frames: readonly ReplayFrame[]): void {
    for (const frame of frames) {
      if (frame.seq <= this.last) continue;
      if ((frame.back ?? -1) >= 0) this.takeBack(frame.back!, frame.seq);
      this.frames.push(frame);
      this.undoing.push(0);
    }
  }

  /** How the table stood at a place. */
  at(place: number): View {
    const wanted = this.within(place);
    let { place: from, view } = this.nearest(wanted);
    for (; from < wanted; from++) {
      const { patch } = this.frames[from]!;
      if (patch) view = patchView(view, patch);
      if ((from + 1) % KEY_EVERY === 0) this.keys[(from + 1) / KEY_EVERY] = view;
    }
    this.lately = { place: wanted, view };
    return view;
  }

  /** The frame after which the table is as it is at a place; null at the beginning. */
  frame(place: number): ReplayFrame | null {
    return this.frames[place - 1] ?? null;
  }

  /** The number of the frame at a place. */
  numberAt(place: number): number {
    return this.frames[Math.min(place, this.end) - 1]?.seq ?? this.first;
  }

  /** The place after the frame of a number; where there is none, after the last one before it. */
  placeOf(number: number): number {
    let [low, high] = [0, this.end];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frames[middle - 1]!.seq <= number) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The place after all that had happened by a moment (milliseconds, as the frames have it). */
  placeBy(moment: number): number {
    return this.frames.findLastIndex(({ at }) => at <= moment) + 1;
  }

  /** The turn that is played at a place. */
  turnAt(place: number): number {
    return this.frame(place)?.turn ?? this.start.turn;
  }

  /** Whether what happened at a place was taken back later, and by which frame. */
  undoneBy(place: number): number | null {
    return this.undoing[place - 1] || null;
  }

  /** Stretches of places that were taken back, both ends included. */
  get undone(): [number, number][] {
    const stretches: [number, number][] = [];
    for (let place = 1; place <= this.end; place++) {
      if (this.undoneBy(place) === null) continue;
      const open = stretches.at(-1);
      if (open && open[1] === place - 1) open[1] = place;
      else stretches.push([place, place]);
    }
    return stretches;
  }

  /** Where each turn begins for good: one that was taken back does not count if it was begun again. */
  get turns(): TurnMark[] {
    const marks = new Map<number, number>();
    for (let place = this.end; place >= 1; place--) {
      const turn = this.turnAt(place);
      if (turn > 0 && (this.undoneBy(place) === null || !marks.has(turn))) marks.set(turn, place);
    }
    return [...marks].map(([turn, place]) => ({ turn, place })).sort((a, b) => a.place - b.place);
  }

  /** How the table stood when play began, with the forces that were brought; null: it ended before its first turn. */
  get begun(): View | null {
    if (this.start.turn > 0) return this.start;
    const first = this.turns[0];
    return first ? this.at(first.place) : null;
  }

  /** The place where the next turn after a place begins; the end if there is none. */
  nextTurn(place: number): number {
    return this.turns.find((mark) => mark.place > place)?.place ?? this.end;
  }

  /** The place where the turn of a place begins; from there, where the one before begins. */
  previousTurn(place: number): number {
    return this.turns.findLast((mark) => mark.place < place)?.place ?? 0;
  }

  /** What is told at a place. */
  story(place: number): readonly Story[] {
    return this.frame(place)?.story ?? [];
  }

  private within(place: number): number {
    return Math.min(Math.max(Math.trunc(place) || 0, 0), this.end);
  }

  private nearest(place: number): { place: number; view: View } {
    let key = Math.min(Math.floor(place / KEY_EVERY), this.keys.length - 1);
    while (!this.keys[key]) key--;
    const { place: lately } = this.lately;
    if (lately <= place && lately > key * KEY_EVERY) return this.lately;
    return { place: key * KEY_EVERY, view: this.keys[key]! };
  }

  private takeBack(to: number, by: number): void {
    for (let place = this.end; place >= 1 && this.numberAt(place) > to; place--) {
      const frame = this.frames[place - 1]!;
      const stays = onlyDesk(frame) || (frame.back ?? -1) >= 0;
      if (!stays && this.undoing[place - 1] === 0) this.undoing[place - 1] = by;
    }
  }
}
