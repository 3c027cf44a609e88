/** Checks a force against the rules while it is being changed. */
import type { Force, ForceReport, ForceUnit, OptionValue, UnitReport } from '../lib/protocol';
import { Asking } from '../library/asking.svelte';
import { faultsOf, type Fault } from './edit';
import { tidy } from './file';

export type Options = Record<string, OptionValue>;
export type Ask = (force: Force, options: Options) => Promise<ForceReport>;

/** How long the player must pause before the rules are asked (ms). */
export const REST = 250;

interface Question {
  force: Force;
  options: Options;
}

export class Checker extends Asking<Question, ForceReport> {
  /** The last report, and the force that it is about. */
  report = $state.raw<ForceReport | null>(null);
  about = $state.raw<Force | null>(null);

  constructor(ask: Ask) {
    super(({ force, options }) => ask(tidy(force), options));
  }

  /** Every problem with the force of the report. */
  get faults(): Fault[] {
    return this.about && this.report ? faultsOf(this.about, this.report.problems) : [];
  }

  /** The units of the force with their reports. If one cannot be read, the other reports cannot be matched to units. */
  get units(): [ForceUnit, UnitReport][] {
    const [units, reports] = [this.about?.units ?? [], this.report?.units ?? []];
    return units.length === reports.length ? units.map((unit, i) => [unit, reports[i]!]) : [];
  }

  /** Check this force after a short pause. */
  look(force: Force, options: Options = {}, rest = REST): void {
    this.soon({ force, options }, rest);
  }

  protected override hear({ force }: Question, report: ForceReport | null): void {
    this.report = report;
    this.about = report && force;
  }
}
