/** A plan as it is laid over the table. */
import { measured, told } from '../lib/measure.svelte';
import type { Sight, UnitView, View } from '../lib/protocol';
import type { Overlay, OverlayContext, OverlayStatus, OverlayTool, TableHand } from '../table/overlay';
import { haunted } from './ghosts';
import { PlanHand } from './hand';
import { planKey } from './keys';
import type { Planning } from './planning.svelte';
import { wayWords } from './words';

const SIGN = [
  'M5 21 V11 A7 7 0 0 1 19 11 V21 L16.7 18.5 L14.3 21 L12 18.5 L9.7 21 L7.3 18.5 Z',
  'M9.5 11 V11.5 M14.5 11 V11.5',
];

export class PlanOverlay implements Overlay {
  constructor(private readonly planning: Planning) {}

  get on(): boolean {
    return this.planning.on;
  }

  get unit(): UnitView | null {
    return this.planning.imagined;
  }

  get status(): OverlayStatus {
    const { planning } = this;
    const way = planning.unit === null ? null : planning.way(planning.unit);
    const problem = planning.answer?.problems[0];
    return {
      amount: way ? wayWords(way) || measured(0) : '',
      meaning: 'planned',
      fault: problem ? told(problem) : '',
      hint: planning.possible && !way ? this.#hint : '',
    };
  }

  get tool(): OverlayTool {
    const { on, count } = this.planning;
    return {
      title: 'Plan with ghosts (P)',
      label: `Plan with ghosts${count > 0 ? `, ${count} planned` : ''}`,
      on,
      count,
      sign: SIGN,
      press: () => this.planning.toggle(),
    };
  }

  /** With the ghosts as further units: one measures from and to them too. */
  measured(view: View): View {
    return haunted(view, this.planning.ghosts);
  }

  /** A plan's lines are those of its own answer: of what is looked at, else of what was asked for. */
  sight(looked: readonly (string | null)[]): Sight | null {
    for (const unit of [...looked, this.planning.target]) {
      const sight = this.planning.sight(unit);
      if (sight) return sight;
    }
    return null;
  }

  hand(context: OverlayContext): TableHand {
    return new PlanHand(context, this.planning);
  }

  key(event: KeyboardEvent, measuring: boolean): boolean {
    return planKey(event, this.planning, measuring);
  }

  get #hint(): string {
    const name = this.planning.unit && this.planning.name(this.planning.unit);
    return name ? `Planning ${name}: drag it, or tap where it should be.` : 'Planning: drag or tap one of your units.';
  }
}
