/** The story of a match as one audience heard it: frames by their sequence, whatever order they come in. */
import type { Remembered, Story } from '../../lib/protocol';

/** A line of the log: where it stands (frame and place in it), and when it came live (0: it was recalled). */
export interface Entry {
  key: string;
  seq: number;
  story: Story;
  arrived: number;
  /** It was taken back afterwards. */
  undone?: boolean;
}

/** Kinds of lines about the desk, which a take-back leaves. */
const STANDING = ['chat', 'seat', 'back', 'clock', 'offer'];

/** Which lines to show. */
export type Filter = 'all' | 'dice' | 'losses';

export class StoryLog {
  /** Lines in order, oldest first. A new array whenever something came. */
  entries: readonly Entry[] = [];
  /** The earliest frame known, and whether there are earlier ones. */
  from = 0;
  more = false;

  /** Begins anew after a snapshot at the frame `seq`: everything up to it can be recalled. */
  restart(seq: number): void {
    this.entries = [];
    this.from = seq + 1;
    this.more = seq >= 0;
  }

  /** Adds the lines of a frame that has just come. */
  add(seq: number, stories: readonly Story[], now: number): void {
    if (stories.length > 0) this.entries = [...this.entries, ...lines(seq, stories, now)];
  }

  /** Adds earlier frames in front; those already known are left out. */
  recall(frames: readonly Remembered[], more: boolean): void {
    const earlier = frames.filter((frame) => frame.seq < this.from);
    this.entries = [...earlier.flatMap((frame) => lines(frame.seq, frame.story, 0)), ...this.entries];
    this.from = earlier[0]?.seq ?? this.from;
    this.more = more && earlier.length > 0;
  }

  /** What the frames after `back` and before `at` told was taken back. */
  undo(back: number, at: number): void {
    this.entries = this.entries.map((entry) =>
      entry.seq > back && entry.seq < at && !STANDING.includes(entry.story.kind) ? { ...entry, undone: true } : entry,
    );
  }
}

/** A moment of the log that one can go back behind: its frame, and what it is known by. */
export interface Moment {
  seq: number;
  text: string;
}

/** The frames in which something happened at the table and still stands, oldest first. */
export function moments(entries: readonly Entry[]): Moment[] {
  const found = new Map<number, Moment>();
  for (const { seq, story, undone } of entries) {
    if (!undone && !STANDING.includes(story.kind) && !found.has(seq)) found.set(seq, { seq, text: story.text });
  }
  return [...found.values()];
}

const lines = (seq: number, stories: readonly Story[], arrived: number): Entry[] =>
  stories.map((story, place) => ({ key: `${seq}.${place}`, seq, story, arrived }));

/** Whether the chosen filter shows a line. Chat has a panel of its own and is not part of the log. */
export function passes(story: Story, filter: Filter): boolean {
  if (story.kind === 'chat') return false;
  if (filter === 'dice') return (story.dice?.length ?? 0) > 0;
  if (filter === 'losses') return story.kind === 'loss';
  return true;
}
