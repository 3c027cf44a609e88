/** An edited document: every change can be undone, and screen readers hear what was done. */

/** How many changes can be undone. */
const DEEPEST = 200;

export class Editing<Thing extends object> {
  /** What was done last, for screen readers. */
  done = $state('');
  #now = $state.raw() as Thing;
  #past = $state.raw<readonly Thing[]>([]);
  #future = $state.raw<readonly Thing[]>([]);
  /** The state during a drag: shown at once, and made a change when the drag ends. */
  #drag = $state.raw<Thing | null>(null);
  private merging = '';

  constructor(
    thing: Thing,
    private readonly kept: (thing: Thing) => void,
  ) {
    this.#now = thing;
  }

  /** The document without a drag. */
  get now(): Thing {
    return this.#now;
  }

  /** The document as shown, with the drag. */
  get seen(): Thing {
    return this.#drag ?? this.#now;
  }

  get dragging(): boolean {
    return this.#drag !== null;
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
   * `done` says what was done. Changes one after the other with the same `merge` are one: the letters of a name, the
   * steps of an arrow key.
   */
  change(thing: Thing, done = '', merge = ''): void {
    this.#drag = null;
    if (thing === this.#now) return;
    if (merge === '' || merge !== this.merging) this.#past = [...this.#past, this.#now].slice(-DEEPEST);
    this.merging = merge;
    this.#future = [];
    this.done = done;
    this.set(thing);
  }

  drag(thing: Thing): void {
    this.#drag = thing;
  }

  /** The drag has ended: `done` says what it did. */
  drop(done: string): void {
    if (this.#drag) this.change(this.#drag, done);
  }

  /** The drag was cancelled. */
  cancel(): void {
    this.#drag = null;
  }

  undo(): void {
    const before = this.#past.at(-1);
    if (!before) return;
    this.#past = this.#past.slice(0, -1);
    this.#future = [...this.#future, this.#now];
    this.turn(before, 'Taken back.');
  }

  redo(): void {
    const after = this.#future.at(-1);
    if (!after) return;
    this.#future = this.#future.slice(0, -1);
    this.#past = [...this.#past, this.#now];
    this.turn(after, 'Done again.');
  }

  private turn(thing: Thing, done: string): void {
    this.#drag = null;
    this.merging = '';
    this.done = done;
    this.set(thing);
  }

  private set(thing: Thing): void {
    this.#now = thing;
    this.kept(thing);
  }
}

/** Takes back or does again, at the keys that mean so everywhere; within a text the browser does it letter by letter. */
export function undoKey(event: KeyboardEvent, editing: Pick<Editing<object>, 'undo' | 'redo'>): void {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 'z') return;
  const { target } = event;
  if (target instanceof HTMLTextAreaElement) return;
  if (target instanceof HTMLInputElement && !['checkbox', 'radio', 'number'].includes(target.type)) return;
  event.preventDefault();
  if (event.shiftKey) editing.redo();
  else editing.undo();
}
