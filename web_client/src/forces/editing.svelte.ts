/** A force in hand: every change can be taken back, and what was done is said. */
import type { Force } from '../protocol';

/** So many changes can be taken back. */
const DEEPEST = 200;

export class Editing {
  /** What was done last, for those who listen and beside the way back. */
  done = $state('');
  #force = $state.raw() as Force;
  #past = $state.raw<readonly Force[]>([]);
  #future = $state.raw<readonly Force[]>([]);
  private merging = '';

  constructor(
    force: Force,
    private readonly kept: (force: Force) => void,
  ) {
    this.#force = force;
  }

  get force(): Force {
    return this.#force;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  /**
   * Makes a change.
   *
   * `done` says what was done. Changes one after the other with the same `merge` are one: the letters of a name.
   */
  change(force: Force, done = '', merge = ''): void {
    if (force === this.#force) return;
    if (merge === '' || merge !== this.merging) this.#past = [...this.#past, this.#force].slice(-DEEPEST);
    this.merging = merge;
    this.#future = [];
    this.done = done;
    this.set(force);
  }

  undo(): void {
    const before = this.#past.at(-1);
    if (!before) return;
    this.#past = this.#past.slice(0, -1);
    this.#future = [...this.#future, this.#force];
    this.merging = '';
    this.done = 'Taken back.';
    this.set(before);
  }

  redo(): void {
    const after = this.#future.at(-1);
    if (!after) return;
    this.#future = this.#future.slice(0, -1);
    this.#past = [...this.#past, this.#force];
    this.merging = '';
    this.done = 'Done again.';
    this.set(after);
  }

  private set(force: Force): void {
    this.#force = force;
    this.kept(force);
  }
}
