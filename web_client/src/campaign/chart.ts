/** Where things of a map are drawn, in pixels. */
export interface Flag {
  readonly key: string;
  readonly name: string;
  readonly sign: string;
  readonly colour: string;
  readonly own: boolean;
  /** The side for which the player plays; "" where there are none. */
  readonly side: string;
}

export interface ChartArea {
  readonly id: string;
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly worth: number;
  readonly holder: Flag | null;
  readonly forces: readonly Flag[];
  readonly fought: boolean;
  /** What else its disc says, in a few letters. */
  readonly note: string;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

const SIZE = 1000;
/** Space round the outermost areas, for their names, and for the forces above them. */
const MARGIN = { side: 52, top: 52, bottom: 62 };
const NARROW = 520;

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** How many letters of a name are drawn. */
  readonly letters: number;
}

/** How large a map of a width is. On a phone it is higher than it is wide, so that names find their places. */
export const layout = (width: number): Layout =>
  width < NARROW
    ? { width, height: Math.round(width * 1.15), letters: 11 }
    : { width, height: Math.round(Math.min(620, Math.max(380, width * 0.6))), letters: 20 };

export const toPixels = ({ width, height }: Layout, { x, y }: Point): Point => ({
  x: MARGIN.side + (x / SIZE) * (width - 2 * MARGIN.side),
  y: MARGIN.top + (y / SIZE) * (height - MARGIN.top - MARGIN.bottom),
});

/** The place on the map below a pixel, within its edges. */
export function fromPixels({ width, height }: Layout, { x, y }: Point): Point {
  const share = (at: number, of: number): number => Math.round(Math.min(1, Math.max(0, at / of)) * SIZE);
  return {
    x: share(x - MARGIN.side, width - 2 * MARGIN.side),
    y: share(y - MARGIN.top, height - MARGIN.top - MARGIN.bottom),
  };
}

/** A name, cut to so many letters. */
export const clipped = (name: string, letters: number): string =>
  name.length <= letters ? name : `${name.slice(0, letters - 1).trimEnd()}…`;

/** A line from one place to another that ends so far from both: for an arrow between two discs. */
export function between(from: Point, to: Point, gap: number): { from: Point; to: Point } {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const dx = ((to.x - from.x) / length) * gap;
  const dy = ((to.y - from.y) / length) * gap;
  return { from: { x: from.x + dx, y: from.y + dy }, to: { x: to.x - dx, y: to.y - dy } };
}
