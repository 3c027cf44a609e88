/** An overlay that another folder lays over the table: it draws there, and gets taps, drags and keys first. */
import type { Sight, UnitView, View } from '../lib/protocol';
import type { Camera } from './camera.svelte';
import type { GestureHost } from './gestures';
import type { Ruler } from './ruler.svelte';

/** What takes the pointers on the table, and what the keyboard chooses there. */
export interface TableHand extends GestureHost {
  /** A unit was tapped, or chosen by the keyboard. */
  unit(unit: string): void;
}

/** What an overlay's hand works with. */
export interface OverlayContext {
  readonly camera: Camera;
  readonly ruler: Ruler;
  /** The table's own hand: it has what the overlay leaves to it. */
  readonly table: TableHand;
  view(): View;
  /** The unit was chosen on the table. */
  select(unit: string): void;
}

/** What the table says for an overlay that is on; "" for nothing. */
export interface OverlayStatus {
  /** A length, to be seen from afar, and what it is the length of. */
  readonly amount: string;
  readonly meaning: string;
  readonly fault: string;
  readonly hint: string;
}

/** The button among the table's tools that switches an overlay on and off. */
export interface OverlayTool {
  readonly title: string;
  readonly label: string;
  readonly on: boolean;
  /** How much lies on the table of it. */
  readonly count: number;
  /** The paths of its sign, on a field of 24 by 24. */
  readonly sign: readonly string[];
  press(): void;
}

export interface Overlay {
  /** While it is on, the draft of an answer waits, and the table shows what the overlay looks at. */
  readonly on: boolean;
  /** The unit whose rings and arcs are shown while it is on. */
  readonly unit: UnitView | null;
  readonly status: OverlayStatus;
  readonly tool: OverlayTool;
  /** What one measures in: the view, with whatever the overlay adds to it. */
  measured(view: View): View;
  /** The lines of sight to show while it is on: to the first of these units to which there are any, else of its own choice. */
  sight(looked: readonly (string | null)[]): Sight | null;
  hand(context: OverlayContext): TableHand;
  /** Do what a key means to the overlay. Returns whether it meant anything. */
  key(event: KeyboardEvent, measuring: boolean): boolean;
}

/** What an overlay is drawn with. */
export interface OverlayDrawing {
  readonly view: View;
  /** Mil that a pixel takes. */
  readonly pixel: number;
  /** A unit was chosen on the overlay. */
  choose(unit: string): void;
}
