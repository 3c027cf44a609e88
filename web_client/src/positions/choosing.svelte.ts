/** What is in hand while a position is set up: the thing that is chosen, and how the next tap on the table is meant. */

export type Chosen = Readonly<{ kind: 'terrain' | 'unit' | 'objective' | 'side'; id: string }>;
export type Tab = 'terrain' | 'sides' | 'units' | 'objectives' | 'game';

export const TAB_OF = {
  terrain: 'terrain',
  unit: 'units',
  objective: 'objectives',
  side: 'sides',
} as const satisfies Record<Chosen['kind'], Tab>;

export class Choosing {
  thing: Chosen | null = $state.raw(null);
  tab: Tab = $state('terrain');
  /** Whether figures are moved one by one. */
  alone = $state(false);
  /** The figure that is looked at, of the unit that is chosen. */
  figure = $state('');
  /** Whether the next tap on the table says where the thing goes. */
  tapping = $state(false);

  /** Chooses a thing and opens what is said about it; null: nothing any more. */
  choose(thing: Chosen | null): void {
    if (thing?.kind !== this.thing?.kind || thing?.id !== this.thing?.id) this.figure = '';
    this.thing = thing;
    this.tapping = false;
    if (thing) this.tab = TAB_OF[thing.kind];
  }

  /** Opens a tab; what belongs to another one is not in hand any more. */
  open(tab: Tab): void {
    this.tab = tab;
    this.tapping = false;
    if (this.thing && TAB_OF[this.thing.kind] !== tab) this.thing = null;
  }

  is(kind: Chosen['kind'], id: string): boolean {
    return this.thing?.kind === kind && this.thing.id === id;
  }

  /** The id of the thing that is chosen if it is of this kind, else "". */
  of(kind: Chosen['kind']): string {
    return this.thing?.kind === kind ? this.thing.id : '';
  }
}
