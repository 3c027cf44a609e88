/** What the rules say of a force while it is being changed: asked when the hand rests, and again when it could not be asked. */
import { faultsOf, type Fault } from './edit';
import { tidy } from './file';
import type { Force, ForceReport, ForceUnit, OptionValue, UnitReport } from '../protocol';
import { Unanswered } from '../requests';

export type Options = Record<string, OptionValue>;
export type Ask = (force: Force, options: Options) => Promise<ForceReport>;

/** So long a hand rests before the rules are asked, and so long they are left alone when they had no time (ms). */
export const REST = 250;
export const AGAIN = 2_000;
/** Refusals that say "not now" instead of "no". */
const NOT_NOW = ['rate', 'busy', 'restarting', 'internal', 'database_away'];

export class Checker {
  /** The last report, and the force it is about. */
  report = $state.raw<ForceReport | null>(null);
  about = $state.raw<Force | null>(null);
  /** Whether the report is about another force than the last one asked about. */
  waiting = $state(false);
  /** Why there is no report. */
  fault = $state('');
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;

  constructor(private readonly ask: Ask) {}

  /** Every problem with the force of the report. */
  get faults(): Fault[] {
    return this.about && this.report ? faultsOf(this.about, this.report.problems) : [];
  }

  /** The units of the force with their reports. Where some cannot be read nobody knows whose the others are. */
  get units(): [ForceUnit, UnitReport][] {
    const [units, reports] = [this.about?.units ?? [], this.report?.units ?? []];
    return units.length === reports.length ? units.map((unit, i) => [unit, reports[i]!]) : [];
  }

  /** Asks about a force soon; whatever was asked before does not matter any more. */
  look(force: Force, options: Options = {}, rest = REST): void {
    const turn = ++this.asked;
    this.waiting = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.go(turn, force, options), rest);
  }

  close(): void {
    this.asked++;
    clearTimeout(this.timer);
  }

  private async go(turn: number, force: Force, options: Options): Promise<void> {
    try {
      const report = await this.ask(tidy(force), options);
      if (turn !== this.asked) return;
      this.report = report;
      this.about = force;
      this.fault = '';
      this.waiting = false;
    } catch (reason) {
      if (turn !== this.asked) return;
      const refusal = reason instanceof Unanswered ? reason.refusal : null;
      if (refusal && NOT_NOW.includes(refusal.code)) return this.look(force, options, AGAIN);
      this.report = null;
      this.about = null;
      this.waiting = false;
      this.fault = reason instanceof Error ? reason.message : 'The rules could not be asked.';
    }
  }
}
