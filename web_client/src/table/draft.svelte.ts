/**
 * An answer being put together: the open prompt, the choice that was taken, a value for each of its parameters.
 *
 * The panel takes choices and shows what is missing; the table and `DraftDetails` fill in what is drawn. What is wrong
 * with it is told from the view alone (`checks.ts`); the server has the last word.
 */
import { turnFrom } from '../lib/geometry';
import type {
  Choice,
  DirectionParameter,
  FiguresParameter,
  Parameter,
  Prompt,
  TableView,
  UnitParameter,
  Value,
  View,
} from '../lib/protocol';
import { Aiming } from './aiming.svelte';
import { Assigning } from './assigning.svelte';
import { directionFaults, figuresFaults, unitFaults, type Fault } from './checks';
import { March } from './march.svelte';
import { Placing } from './placing.svelte';
import { Stopping } from './stopping.svelte';

export type { Fault } from './checks';

/** The units that may be named. */
export const legal = ({ candidates }: UnitParameter): UnitParameter['candidates'] =>
  candidates.filter(({ why }) => !why);

/** A unit being named. */
export class Naming {
  readonly kind = 'unit';
  readonly parameter: UnitParameter;
  unit: string | null = $state(null);
  #changed: () => void;

  constructor(parameter: UnitParameter, changed: () => void) {
    this.parameter = parameter;
    this.#changed = changed;
    const allowed = legal(parameter);
    if (allowed.length === 1) this.unit = allowed[0]!.unit;
  }

  value: Value | null = $derived.by(() => (this.unit === null ? null : { type: 'unit', unit: this.unit }));
  faults: Fault[] = $derived.by(() => (this.unit === null ? [] : unitFaults(this.parameter, this.unit)));

  name(unit: string): void {
    this.unit = unit;
    this.#changed();
  }

  reset(): void {
    this.unit = null;
    this.#changed();
  }
}

/** Figures being picked. */
export class Picking {
  readonly kind = 'figures';
  readonly parameter: FiguresParameter;
  picked: readonly string[] = $state.raw([]);
  #suggested: readonly string[];
  #changed: () => void;

  constructor(parameter: FiguresParameter, suggested: readonly string[], changed: () => void) {
    this.parameter = parameter;
    this.#suggested = suggested;
    this.#changed = changed;
    this.picked = suggested;
  }

  value: Value = $derived.by(() => ({ type: 'figures', figures: [...this.picked] }));
  faults: Fault[] = $derived.by(() => figuresFaults(this.parameter, this.picked));

  /** Pick a figure, or put it back. With as many picked as there may be, the one picked first makes room. */
  toggle(figure: string): void {
    if (!this.parameter.figures.includes(figure)) return;
    if (this.picked.includes(figure)) this.picked = this.picked.filter((one) => one !== figure);
    else this.picked = [...this.picked, figure].slice(-Math.max(1, this.parameter.most));
    this.#changed();
  }

  reset(): void {
    this.picked = this.#suggested;
    this.#changed();
  }
}

/** A direction being chosen. */
export class Pointing {
  readonly kind = 'direction';
  readonly parameter: DirectionParameter;
  angle = $state(0);
  #suggested: number;
  #changed: () => void;

  constructor(parameter: DirectionParameter, suggested: number, changed: () => void) {
    this.parameter = parameter;
    this.#suggested = suggested;
    this.#changed = changed;
    this.angle = suggested;
  }

  value: Value = $derived.by(() => ({ type: 'direction', angle: this.angle }));
  faults: Fault[] = $derived.by(() => directionFaults(this.parameter, this.angle));
  /** How far it lies counterclockwise of the middle, in hundredths of a degree. */
  off: number = $derived.by(() => turnFrom(this.parameter.middle, this.angle));

  /** Point `off` (hundredths of a degree) to the left of the middle, no farther than the spread. */
  point(off: number): void {
    const { middle, spread } = this.parameter;
    const within = Math.max(-spread, Math.min(spread, Math.round(off)));
    this.angle = (((middle + within) % 36000) + 36000) % 36000;
    this.#changed();
  }

  /** Point as nearly towards `angle` as the spread allows. */
  towards(angle: number): void {
    this.point(turnFrom(this.parameter.middle, angle));
  }

  reset(): void {
    this.angle = this.#suggested;
    this.#changed();
  }
}

/**
 * What `make` makes, so that it outlives an effect that calls this: a choice may be taken within one (a prompt's only
 * choice is), and what its parts derive would go stale when that effect runs again.
 */
function outliving<T>(make: () => T): T {
  let made: T | undefined;
  $effect.root(() => {
    made = make();
  });
  // Where there are no effects at all, as in a test without a browser, there is nothing to outlive.
  return made ?? make();
}

export type Part = Aiming | Assigning | Naming | March | Picking | Placing | Pointing | Stopping;

export class Draft {
  prompt: Prompt | null = $state.raw(null);
  choice: Choice | null = $state.raw(null);
  /** What fills each parameter of the choice, in order. */
  parts: readonly Part[] = $state.raw([]);
  /** Index of the parameter that the table is filling. */
  active = $state(0);
  /** What the server refused, until the draft is changed. */
  refused: Fault | null = $state.raw(null);
  /** The player has named what the answer consists of: units, and nothing else. */
  named = $state(false);

  #getView: () => View;
  #getTable: () => TableView;

  constructor(getView: () => View, getTable: () => TableView) {
    this.#getView = getView;
    this.#getTable = getTable;
  }

  values: (Value | null)[] = $derived.by(() => this.parts.map((part) => part.value));
  faults: Fault[] = $derived.by(() => this.parts.flatMap((part) => part.faults));
  /** The part that the table is filling. */
  part: Part | null = $derived(this.parts[this.active] ?? null);
  complete: boolean = $derived(
    this.choice !== null && this.values.every((value) => value !== null) && this.faults.length === 0,
  );

  /** What the draft is judged by. */
  get view(): View {
    return this.#getView();
  }

  get table(): TableView {
    return this.#getTable();
  }

  /** Show a prompt. The draft of the same prompt is kept. */
  open(prompt: Prompt | null): void {
    if (prompt !== null && prompt.id === this.prompt?.id) {
      this.prompt = prompt;
      return;
    }
    this.prompt = prompt;
    this.cancel();
  }

  /**
   * Take a choice of the prompt; the given values, or what it is by default, fill in what can be. Returns whether it could be
   * taken.
   */
  take(choiceKey: string, values: readonly Value[] = []): boolean {
    const choice = this.prompt?.choices.find((one) => one.key === choiceKey);
    if (!choice || choice.why) return false;
    const usual = this.prompt?.default.choice === choice.key ? this.prompt.default.values : [];
    const fallback = values.length > 0 ? values : usual;
    this.choice = choice;
    this.parts = outliving(() => choice.parameters.map((parameter, i) => this.#part(parameter, fallback[i])));
    values.forEach((value, i) => this.#fill(i, value));
    this.active = 0;
    this.refused = null;
    this.named = false;
    this.#advance();
    return true;
  }

  /** Name a unit for the unit parameter `index`, and go on to what is still missing. */
  setUnit(index: number, unitId: string): void {
    const part = this.parts[index];
    if (part?.kind !== 'unit') return;
    part.name(unitId);
    this.active = index;
    this.named = this.parts.every((each) => each.kind === 'unit' && each.value !== null && each.faults.length === 0);
    if (part.faults.length === 0) this.#advance();
  }

  /** Back to the choices. */
  cancel(): void {
    this.choice = null;
    this.parts = [];
    this.active = 0;
    this.refused = null;
    this.named = false;
  }

  /** What to send. Throws when something is missing. */
  toAnswer(): { choice: string; values: Value[] } {
    const values = this.values.filter((value) => value !== null);
    if (!this.choice || values.length < this.parts.length) throw new Error('the answer is not complete');
    return { choice: this.choice.key, values };
  }

  /** What a tap on `unit` means while no choice is taken: the first open choice that names it, or that moves it. */
  choiceFor(unit: string): Choice | null {
    return (
      this.prompt?.choices.find((choice) => {
        const first = choice.parameters[0];
        if (choice.why || !first) return false;
        if (first.type === 'unit') return legal(first).some((one) => one.unit === unit);
        return first.type === 'path' && first.unit === unit;
      }) ?? null
    );
  }

  /** What a tap on another side's unit means while no choice is taken: the one open choice that names it, if it is the only one. */
  choiceAt(unit: string): Choice | null {
    const found = this.prompt?.choices.filter((choice) => {
      const [first, ...more] = choice.parameters;
      return !choice.why && !more.length && first?.type === 'unit' && legal(first).some((one) => one.unit === unit);
    });
    return found?.length === 1 ? found[0]! : null;
  }

  /** Give a part that does not begin with what is suggested the value `value`. */
  #fill(index: number, value: Value): void {
    const part = this.parts[index];
    if (part?.kind === 'unit' && value.type === 'unit') part.name(value.unit);
    else if (part?.kind === 'placement' && value.type === 'placement') part.put(value);
    else if (part?.kind === 'path' && value.type === 'path') {
      if (part.suggested) part.suggest();
      else part.stay();
    }
  }

  #part(parameter: Parameter, fallback: Value | undefined): Part {
    const changed = () => (this.refused = null);
    switch (parameter.type) {
      case 'unit':
        return new Naming(parameter, changed);
      case 'path':
        return new March(
          parameter,
          this.#getView,
          this.#getTable,
          changed,
          fallback?.type === 'path' ? fallback : null,
        );
      case 'placement':
        return new Placing(parameter, this.#getView, this.#getTable, changed);
      case 'figures': {
        const all = parameter.least >= parameter.figures.length ? parameter.figures : [];
        return new Picking(parameter, fallback?.type === 'figures' ? fallback.figures : all, changed);
      }
      case 'direction':
        return new Pointing(parameter, fallback?.type === 'direction' ? fallback.angle : parameter.middle, changed);
      case 'assignment':
        return new Assigning(
          parameter,
          fallback?.type === 'assignment' ? fallback.given : parameter.suggested,
          changed,
        );
      case 'point': {
        const suggested = fallback?.type === 'point' ? fallback.at : parameter.suggested;
        return new Aiming(parameter, this.#getView, this.#getTable, changed, suggested);
      }
      case 'stop': {
        const suggested = fallback?.type === 'stop' ? fallback.at : parameter.suggested;
        return new Stopping(parameter, this.#getView, changed, suggested);
      }
    }
  }

  /** Make the first parameter that has no value the active one, or else the first one that is not a unit's name. */
  #advance(): void {
    const missing = this.parts.findIndex((part) => part.value === null);
    const next = missing >= 0 ? missing : this.parts.findIndex((part) => part.kind !== 'unit');
    if (next >= 0) this.active = next;
  }
}
