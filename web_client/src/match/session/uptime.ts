/** The server's up-time, by which clocks run, as far as it can be known here: told now and then, counted on in between. */
export class UpTime {
  /** How far the server's up-time is ahead of this machine's monotonic clock; null before it was told. */
  private lead: number | null = null;
  /** The up-time at which the link was lost: whether it has gone on since is not known here. */
  private stopped: number | null = null;

  constructor(private readonly local: () => number = () => performance.now()) {}

  /** The up-time now, in milliseconds; null when it was never told. */
  get now(): number | null {
    return this.stopped ?? (this.lead === null ? null : this.lead + this.local());
  }

  /** Whether it is known to go on. */
  get running(): boolean {
    return this.lead !== null && this.stopped === null;
  }

  /** A new connection tells it. */
  begin(up: number): void {
    this.lead = up - this.local();
    this.stopped = null;
  }

  /**
   * The server tells it again. What took least time on the way is nearest to the truth; only where it is far behind, it has
   * stood still meanwhile.
   */
  hear(up: number): void {
    const lead = up - this.local();
    if (this.lead === null || lead > this.lead || this.lead - lead > FAR_BEHIND) this.lead = lead;
  }

  /** Something happened at this up-time: it is at least that by now. */
  passed(up: number): void {
    const lead = up - this.local();
    if (this.lead === null || lead > this.lead) this.lead = lead;
  }

  /** The link is lost. */
  stop(): void {
    this.stopped = this.now;
  }
}

const FAR_BEHIND = 1_000;
