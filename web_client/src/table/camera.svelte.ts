/** Which part of the table is seen: the place in the middle of the screen, and how many pixels a mil takes. */
import type { Spot } from '../lib/geometry';
import type { Up } from './up';

const CLOSEST = 0.12; // 120 pixels an inch
const MARGIN = 12;
const SPARE = 40;

/** A way of looking at the table. */
export interface Look {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  readonly fitted: boolean;
}

/** Pixels at the screen's edges that something else covers. */
export interface Covered {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

const NOTHING: Covered = { top: 0, right: 0, bottom: 0, left: 0 };

export class Camera {
  /** The table's place (mil) in the middle of the screen. */
  x = $state(0);
  y = $state(0);
  /** Pixels a mil. */
  scale = $state(0.015);
  /** The screen's size in pixels. */
  width = $state(600);
  height = $state(600);

  #table: readonly [number, number] = [48000, 48000];
  #fitted = true;
  #covered: Covered = NOTHING;

  /** How the table lies: turned round, its y axis points down. */
  up: Up = $state(1);

  /** The transform of what is drawn in table coordinates. */
  transform: string = $derived.by(() => {
    const scale = this.up * this.scale;
    const [x, y] = [this.width / 2 - this.x * scale, this.height / 2 + this.y * scale];
    return `translate(${x} ${y}) scale(${scale} ${-scale})`;
  });

  /** Mil a pixel takes: what keeps labels the same size at every zoom. */
  unit: number = $derived.by(() => 1 / this.scale);

  /** Show this table, the whole of it at first. */
  open(width: number, height: number): void {
    this.#table = [width, height];
    this.fit();
  }

  /** The screen has this size now, and tools and panels cover so much of its edges. What was fitted stays fitted. */
  resize(width: number, height: number, covered: Partial<Covered> = NOTHING): void {
    if (width === 0 || height === 0) return;
    this.#covered = { ...NOTHING, ...covered };
    this.width = width;
    this.height = height;
    if (this.#fitted) this.fit();
    else this.#clamp();
  }

  /** Show the whole table. */
  fit(): void {
    const [width, height] = this.#table;
    this.scale = this.#whole();
    this.#look(width / 2, height / 2);
    this.#fitted = true;
  }

  /** Let the table lie so; what is in the middle of the screen stays there. */
  lie(up: Up): void {
    this.up = up;
    if (this.#fitted) this.fit();
  }

  /** Move what is seen by pixels. */
  pan(dx: number, dy: number): void {
    this.x -= (this.up * dx) / this.scale;
    this.y += (this.up * dy) / this.scale;
    this.#fitted = false;
    this.#clamp();
  }

  /** Zoom by `factor`; the place under the pixel stays where it is: without one, the middle of what is not covered. */
  zoom(factor: number, px: number = this.width / 2 - this.#aside, py: number = this.height / 2 + this.#below): void {
    const [x, y] = this.toTable(px, py);
    this.scale = Math.max(this.#whole() * 0.8, Math.min(CLOSEST, this.scale * factor));
    this.x = x - (this.up * (px - this.width / 2)) / this.scale;
    this.y = y + (this.up * (py - this.height / 2)) / this.scale;
    this.#fitted = false;
    this.#clamp();
  }

  /**
   * Bring the places into the middle of what is not covered, close enough to read.
   *
   * @param how mil of ground around them; pixels that a mil takes at least; pixels at the bottom that they keep clear of.
   */
  show(places: readonly Spot[], how: { around?: number; least?: number; below?: number } = {}): void {
    const { around = 5000, least = 0, below = 0 } = how;
    if (places.length === 0) return;
    const xs = places.map((p) => p[0]);
    const ys = places.map((p) => p[1]);
    const wide = Math.max(...xs) - Math.min(...xs) + 2 * around;
    const high = Math.max(...ys) - Math.min(...ys) + 2 * around;
    const room = [this.#open[0] / wide, (this.#open[1] - below) / high];
    this.scale = Math.max(least, this.#whole(), Math.min(0.05, ...room));
    const lower = (this.up * below) / 2 / this.scale;
    this.#look((Math.max(...xs) + Math.min(...xs)) / 2, (Math.max(...ys) + Math.min(...ys)) / 2 - lower);
    this.#fitted = false;
    this.#clamp();
  }

  /** Where one looks, to come back to it. */
  look(): Look {
    return { x: this.x, y: this.y, scale: this.scale, fitted: this.#fitted };
  }

  /** Whether one still looks there. */
  is(look: Look): boolean {
    return this.x === look.x && this.y === look.y && this.scale === look.scale;
  }

  /** Look there again. */
  be(look: Look): void {
    if (look.fitted) {
      this.fit();
      return;
    }
    this.x = look.x;
    this.y = look.y;
    this.scale = look.scale;
    this.#fitted = false;
  }

  /** The table's place under a pixel of the screen. */
  toTable(px: number, py: number): [number, number] {
    const scale = this.up * this.scale;
    return [this.x + (px - this.width / 2) / scale, this.y - (py - this.height / 2) / scale];
  }

  /** Whether a place is seen, `inset` pixels from the edge of what is not covered, and `below` more from its bottom. */
  sees(p: Spot, inset = 24, below = 0): boolean {
    const { top, right, bottom, left } = this.#covered;
    const px = this.width / 2 + (p[0] - this.x) * this.up * this.scale;
    const py = this.height / 2 - (p[1] - this.y) * this.up * this.scale;
    const inWidth = px >= left + inset && px <= this.width - right - inset;
    return inWidth && py >= top + inset && py <= this.height - bottom - below - inset;
  }

  /** Pixels of the screen's width and height that are not covered. */
  get #open(): [number, number] {
    const { top, right, bottom, left } = this.#covered;
    return [this.width - left - right, this.height - top - bottom];
  }

  /** Pixels by which the middle of what is not covered lies left of the screen's middle, and below it. */
  get #aside(): number {
    return (this.#covered.right - this.#covered.left) / 2;
  }
  get #below(): number {
    return (this.#covered.top - this.#covered.bottom) / 2;
  }

  /** Have this place of the table in the middle of what is not covered. */
  #look(x: number, y: number): void {
    this.x = x + (this.up * this.#aside) / this.scale;
    this.y = y + (this.up * this.#below) / this.scale;
  }

  #whole(): number {
    const [width, height] = this.#table;
    const [wide, high] = this.#open;
    return Math.max(0.001, Math.min((wide - 2 * MARGIN) / width, (high - 2 * MARGIN) / height));
  }

  /** What is not covered stays on the table, but for a margin that labels may need. */
  #clamp(): void {
    const [width, height] = this.#table;
    const [wide, high] = this.#open;
    const x = this.x - (this.up * this.#aside) / this.scale;
    const y = this.y - (this.up * this.#below) / this.scale;
    this.#look(this.#within(x, width, wide), this.#within(y, height, high));
  }

  #within(middle: number, size: number, pixels: number): number {
    const half = pixels / 2 / this.scale;
    const margin = SPARE / this.scale;
    const low = Math.min(half, size / 2) - margin;
    const high = Math.max(size - half, size / 2) + margin;
    return Math.max(low, Math.min(high, middle));
  }
}
