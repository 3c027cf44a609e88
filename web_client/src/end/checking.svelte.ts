/** The check of a match file on a page: fetched, then done in small pieces, so that the page stays alive and shows it. */
import { check, type Progress, type Report } from './check';
import { sentenceOf } from '../lib/sentence';

/** How long a piece of the work may take (milliseconds). */
const PIECE = 12;

export class Checking {
  progress = $state.raw<Progress | null>(null);
  report = $state.raw<Report | null>(null);
  /** Why the file could not be fetched. */
  fault = $state('');
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;

  constructor(
    readonly match: string,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Fetches the file and checks all of it. */
  async start(): Promise<void> {
    clearTimeout(this.timer);
    [this.progress, this.report, this.fault] = [null, null, ''];
    try {
      const answer = await fetch(`/matches/${encodeURIComponent(this.match)}.underfire`);
      if (!answer.ok) throw new Error((await answer.text()).trim());
      this.work(check(new Uint8Array(await answer.arrayBuffer())));
    } catch (reason) {
      this.fault = `The match file could not be fetched: ${sentenceOf(reason)}`;
    }
  }

  close(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private work(check: Generator<Progress, Report>): void {
    if (this.stopped) return;
    const until = this.now() + PIECE;
    for (;;) {
      const step = check.next();
      if (step.done) {
        this.report = step.value;
        return;
      }
      this.progress = step.value;
      if (this.now() >= until) break;
    }
    this.timer = setTimeout(() => this.work(check));
  }
}
