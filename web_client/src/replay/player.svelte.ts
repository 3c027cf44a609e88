/** The player of a timeline: moves by hand, by itself at some speed, or with the running match. */
import { onlyDesk, type Timeline } from './timeline';

export const SPEEDS = [0.5, 1, 2, 4, 8] as const;
export type Speed = (typeof SPEEDS)[number];

/** How long a step is shown at speed 1, one in which only something was said, and one that tells nothing (milliseconds). */
export const SHOWN = { step: 1_200, desk: 500, nothing: 120 };

export class Player {
  /** The place in the timeline that is shown (see `timeline.ts`). */
  place = $state(0);
  playing = $state(false);
  speed = $state<Speed>(1);
  /** Stays at the end as the match goes on. */
  following = $state(false);
  /** When the place was last reached by playing, by this machine's clock: dice that fall then are seen falling. */
  reached = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param timeline what is played; null until it is there
   * @param over whether nothing will follow
   */
  constructor(
    private readonly timeline: () => Timeline | null,
    private readonly over: () => boolean,
  ) {}

  /** Go to a place, and play on from there if it was playing. */
  go(place: number): void {
    const end = this.timeline()?.end ?? 0;
    this.place = Math.min(Math.max(place, 0), end);
    this.following = false;
    if (this.playing) this.wait();
  }

  /** One step forward or back; playing stops, because a player who steps wants to look. */
  step(by: 1 | -1): void {
    this.pause();
    this.go(this.place + by);
  }

  turn(by: 1 | -1): void {
    const timeline = this.timeline();
    if (!timeline) return;
    this.pause();
    this.go(by > 0 ? timeline.nextTurn(this.place) : timeline.previousTurn(this.place));
  }

  home(): void {
    this.go(0);
  }

  /** To the last place; of a match that is not over, to stay there. */
  toEnd(): void {
    this.go(this.timeline()?.end ?? 0);
    if (this.over()) this.pause();
    else this.following = true;
  }

  toggle(): void {
    if (this.playing || (this.following && !this.over())) this.pause();
    else this.play();
  }

  play(): void {
    const end = this.timeline()?.end ?? 0;
    // Playing from the end starts again from the beginning.
    if (this.place >= end && this.over()) this.place = 0;
    this.playing = true;
    this.wait();
  }

  pause(): void {
    this.playing = false;
    this.following = false;
    clearTimeout(this.timer);
  }

  setSpeed(speed: Speed): void {
    this.speed = speed;
    if (this.playing) this.wait();
  }

  /** To be called when frames have come. */
  grown(): void {
    const end = this.timeline()?.end ?? 0;
    if (!this.following || this.place === end) return;
    this.place = end;
    this.reached = Date.now();
  }

  close(): void {
    clearTimeout(this.timer);
  }

  /** Shows what is shown for as long as it deserves, then goes on. */
  private wait(): void {
    clearTimeout(this.timer);
    const timeline = this.timeline();
    if (!timeline) return;
    const next = timeline.frame(this.place + 1);
    if (!next) return this.atEnd();
    const now = timeline.frame(this.place);
    const shown = !now ? SHOWN.desk : !now.story?.length ? SHOWN.nothing : onlyDesk(now) ? SHOWN.desk : SHOWN.step;
    this.timer = setTimeout(() => {
      this.place++;
      this.reached = Date.now();
      this.wait();
    }, shown / this.speed);
  }

  private atEnd(): void {
    this.playing = false;
    this.following = !this.over();
  }
}
