/**
 * Places, distances and outlines on the table: the browser's half of `server/kernel/space/geometry.py`.
 *
 * Lengths are whole mil (thousandths of an inch), angles whole hundredths of a degree counted counterclockwise from the
 * direction of the x axis; the origin is the table's lower left corner. Both halves use the same sums in the same order
 * (no hypot, halves rounded upward), so that a path judged legal here is judged legal there.
 */

/** A stored place: x and y in whole mil. */
export type Spot = readonly [number, number];
/** The corners of a closed border (the last joins the first), or of an open line. */
export type Border = readonly Spot[];
/** A stretch of a segment as two parameters from 0 (its start) to 1 (its end). */
export type Span = readonly [number, number];

export const FULL_TURN = 36000;

/** A measured length or coordinate in whole mil, halves upward. */
export function toMil(length: number): number {
  return Math.floor(length + 0.5);
}

/** Whether a measured length is within a limit (both mil); rounds first. */
export function atMost(length: number, limit: number): boolean {
  return toMil(length) <= limit;
}

/** A length in mil as inches with at most one decimal, for people: `4.5`. Rounded up where `up` is set. */
export function inches(length: number, up = false): string {
  const tenths = length / 100;
  const whole = up ? Math.ceil(Math.round(length) / 100) : Math.round(tenths);
  return (whole / 10).toString();
}

// --- points ---

/** Mil from `a` to `b`. */
export function distance(a: Spot, b: Spot): number {
  const dx = b[0] - a[0];
  const dy = b[1] - a[1];
  return Math.sqrt(dx * dx + dy * dy);
}

/** Mil between the nearest edges of two round bases; never below 0. */
export function gap(a: Spot, ra: number, b: Spot, rb: number): number {
  return Math.max(0, distance(a, b) - ra - rb);
}

/** The place a share `t` of the way from `a` (0) to `b` (1). */
export function between(a: Spot, b: Spot, t: number): Spot {
  return [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
}

/** The stored point nearest to a measured place. */
export function toPoint(p: Spot): [number, number] {
  return [toMil(p[0]), toMil(p[1])];
}

/** The mean of the points; (0, 0) when there are none. */
export function centroid(points: readonly Spot[]): [number, number] {
  if (points.length === 0) return [0, 0];
  let x = 0;
  let y = 0;
  for (const p of points) {
    x += p[0];
    y += p[1];
  }
  return toPoint([x / points.length, y / points.length]);
}

// --- angles ---

/** The direction from `a` to `b`, 0 to 35999; 0 when they are the same place. */
export function direction(a: Spot, b: Spot): number {
  const degrees = Math.atan2(b[1] - a[1], b[0] - a[0]) * (180 / Math.PI);
  const whole = Math.floor(degrees * 100 + 0.5) % FULL_TURN;
  return whole < 0 ? whole + FULL_TURN : whole;
}

/** The place `length` mil from `p` in the direction `angle`. */
export function moved(p: Spot, angle: number, length: number): [number, number] {
  const turn = ((angle / 100) * Math.PI) / 180;
  return toPoint([p[0] + length * Math.cos(turn), p[1] + length * Math.sin(turn)]);
}

/** The unit vector (cosine, sine) of a direction, to nine decimals: no further do all processors agree. */
export function heading(angle: number): [number, number] {
  const turn = ((angle / 100) * Math.PI) / 180;
  return [Math.floor(Math.cos(turn) * 1e9 + 0.5) / 1e9, Math.floor(Math.sin(turn) * 1e9 + 0.5) / 1e9];
}

/** `p` turned by `angle` round `centre`. */
export function turned(p: Spot, centre: Spot, angle: number): [number, number] {
  if (angle === 0) return [p[0], p[1]];
  const turn = ((angle / 100) * Math.PI) / 180;
  const dx = p[0] - centre[0];
  const dy = p[1] - centre[1];
  return toPoint([
    centre[0] + dx * Math.cos(turn) - dy * Math.sin(turn),
    centre[1] + dx * Math.sin(turn) + dy * Math.cos(turn),
  ]);
}

/** How far `angle` lies counterclockwise of `from`, -18000 to 17999. */
export function turnFrom(from: number, angle: number): number {
  const turn = (((angle - from) % FULL_TURN) + FULL_TURN) % FULL_TURN;
  return turn >= FULL_TURN / 2 ? turn - FULL_TURN : turn;
}

// --- segments ---

/** Mil from `p` to the nearest place of the segment `a`-`b`. */
export function segmentPointDistance(a: Spot, b: Spot, p: Spot): number {
  const dx = b[0] - a[0];
  const dy = b[1] - a[1];
  const wx = p[0] - a[0];
  const wy = p[1] - a[1];
  const square = dx * dx + dy * dy;
  const along = wx * dx + wy * dy;
  if (square === 0 || along <= 0) return Math.sqrt(wx * wx + wy * wy);
  if (along >= square) return distance(b, p);
  // The cross product is exact on whole points, the difference of projections would not be.
  return Math.abs(dx * wy - dy * wx) / Math.sqrt(square);
}

/** The stretch of `a`-`b` shared with `p`-`q` (for a crossing both ends are the same), null if they are apart. */
function meeting(a: Spot, b: Spot, p: Spot, q: Spot): Span | null {
  const dx = b[0] - a[0];
  const dy = b[1] - a[1];
  const ex = q[0] - p[0];
  const ey = q[1] - p[1];
  const wx = p[0] - a[0];
  const wy = p[1] - a[1];
  let across = wx * dy - wy * dx;
  let denominator = dx * ey - dy * ex;
  if (denominator === 0) {
    const square = dx * dx + dy * dy;
    if (across !== 0 || square === 0) return null;
    const first = (wx * dx + wy * dy) / square;
    const second = ((wx + ex) * dx + (wy + ey) * dy) / square;
    const low = Math.max(0, Math.min(first, second));
    const high = Math.min(1, Math.max(first, second));
    return low <= high ? [low, high] : null;
  }
  let along = wx * ey - wy * ex;
  if (denominator < 0) {
    denominator = -denominator;
    along = -along;
    across = -across;
  }
  if (0 <= across && across <= denominator && 0 <= along && along <= denominator) {
    const t = along / denominator;
    return [t, t];
  }
  return null;
}

/** Whether the segments `a`-`b` and `p`-`q` have a place in common; touching counts. */
export function segmentsMeet(a: Spot, b: Spot, p: Spot, q: Spot): boolean {
  return meeting(a, b, p, q) !== null;
}

/** Mil between the nearest places of the segments `a`-`b` and `p`-`q`; 0 when they meet. */
export function segmentSegmentDistance(a: Spot, b: Spot, p: Spot, q: Spot): number {
  if (meeting(a, b, p, q) !== null) return 0;
  return Math.min(
    segmentPointDistance(a, b, p),
    segmentPointDistance(a, b, q),
    segmentPointDistance(p, q, a),
    segmentPointDistance(p, q, b),
  );
}

// --- outlines ---

export interface Box {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

const boxes = new WeakMap<Border, Box>();

/** The smallest upright box round an outline (mil). Remembered by the outline's identity: terrain never moves. */
export function bounds(outline: Border): Box {
  const known = boxes.get(outline);
  if (known) return known;
  const xs = outline.map((p) => p[0]);
  const ys = outline.map((p) => p[1]);
  const box = { left: Math.min(...xs), bottom: Math.min(...ys), right: Math.max(...xs), top: Math.max(...ys) };
  boxes.set(outline, box);
  return box;
}

/** Whether the box round the segment `a`-`b`, widened by `reach`, is apart from the box round an outline. */
function apart(a: Spot, b: Spot, outline: Border, reach: number): boolean {
  const box = bounds(outline);
  if (a[0] < box.left - reach && b[0] < box.left - reach) return true;
  if (a[0] > box.right + reach && b[0] > box.right + reach) return true;
  if (a[1] < box.bottom - reach && b[1] < box.bottom - reach) return true;
  return a[1] > box.top + reach && b[1] > box.top + reach;
}

/** Whether `p` lies in the closed outline, by the even-odd rule; its border counts as inside. */
export function contains(outline: Border, p: Spot): boolean {
  const [x, y] = p;
  let inside = false;
  const last = outline[outline.length - 1];
  if (last === undefined) return false;
  let [x1, y1] = last;
  for (const [x2, y2] of outline) {
    if (y1 > y !== y2 > y) {
      const side = (x2 - x1) * (y - y1) - (x - x1) * (y2 - y1);
      if (side === 0) return true;
      if (side > 0 === y2 > y1) inside = !inside;
    } else if (
      (y1 === y || y2 === y) &&
      Math.min(x1, x2) <= x &&
      x <= Math.max(x1, x2) &&
      (x2 - x1) * (y - y1) === (x - x1) * (y2 - y1)
    ) {
      return true;
    }
    x1 = x2;
    y1 = y2;
  }
  return inside;
}

/** The stretches of the segment `a`-`b` inside a closed outline, in order; what runs along its `border` counts only with that. */
export function spansInside(a: Spot, b: Spot, outline: Border, border = false): Span[] {
  if (apart(a, b, outline, 0)) return [];
  const cuts = [0, 1];
  const alongBorder: Span[] = [];
  for (const [p, q] of edges(outline, false)) {
    const met = meeting(a, b, p, q);
    if (met === null) continue;
    cuts.push(met[0], met[1]);
    if (met[0] < met[1]) alongBorder.push(met);
  }
  cuts.sort((one, other) => one - other);
  const spans: Span[] = [];
  for (let i = 0; i + 1 < cuts.length; i++) {
    const start = cuts[i] as number;
    const end = cuts[i + 1] as number;
    if (start === end) continue;
    const middle = (start + end) / 2;
    const onBorder = alongBorder.some(([low, high]) => low <= middle && middle <= high);
    if (!(onBorder ? border : contains(outline, between(a, b, middle)))) continue;
    const before = spans[spans.length - 1];
    if (before && before[1] === start) spans[spans.length - 1] = [before[0], end];
    else spans.push([start, end]);
  }
  return spans;
}

/** Where the segment `a`-`b` meets a border or an open line: parameters 0 to 1, in order, shared corners twice. */
export function crossings(a: Spot, b: Spot, outline: Border, linear: boolean): number[] {
  if (apart(a, b, outline, 0)) return [];
  const found: number[] = [];
  for (const [p, q] of edges(outline, linear)) {
    const met = meeting(a, b, p, q);
    if (met === null) continue;
    found.push(met[0]);
    if (met[0] < met[1]) found.push(met[1]);
  }
  return found.sort((one, other) => one - other);
}

/** The edges of a closed outline, the closing one first, or those of an open line. */
export function edges(outline: Border, linear: boolean): [Spot, Spot][] {
  const found: [Spot, Spot][] = [];
  let before = linear ? undefined : outline[outline.length - 1];
  for (const p of outline) {
    if (before) found.push([before, p]);
    before = p;
  }
  return found;
}

/** Mil from `p` to an outline: to the line when `linear`, else to the area (0 inside). */
export function distanceToOutline(p: Spot, outline: Border, linear: boolean): number {
  if (!linear && contains(outline, p)) return 0;
  return Math.min(...edges(outline, linear).map(([q, r]) => segmentPointDistance(q, r, p)));
}

/** Mil between the segment `a`-`b` and an outline; 0 when it meets the line or enters the area. */
export function segmentDistanceToOutline(a: Spot, b: Spot, outline: Border, linear: boolean): number {
  if (!linear && contains(outline, a)) return 0;
  return Math.min(...edges(outline, linear).map(([q, r]) => segmentSegmentDistance(a, b, q, r)));
}

/** Whether a segment is surely farther than `reach` from an outline, by their boxes alone: a cheap first look. */
export function surelyFar(a: Spot, b: Spot, outline: Border, reach: number): boolean {
  return apart(a, b, outline, reach);
}
