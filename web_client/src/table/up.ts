/**
 * Which way the table lies on the screen: with 1 the table's upward is the screen's, with -1 it is turned round, so that what is
 * far away on it is near. What is drawn in the table's coordinates stays upright with `UPRIGHT`.
 */
import { centroid, type Spot } from '../lib/geometry';
import { getContext, setContext } from 'svelte';

export type Up = 1 | -1;

/** How a table of this height (mil) lies for who begins in this zone: his own side is below. */
export function ownSideBelow(zone: readonly Spot[], height: number): Up {
  return zone.length > 2 && centroid(zone)[1] > height / 2 ? -1 : 1;
}

const KEY = Symbol('up');

/** Says to what is drawn within the component how the table lies. */
export const shareUp = (up: () => Up): void => void setContext(KEY, up);

/** How the table lies on which the component is drawn. */
export const sharedUp = (): (() => Up) => getContext<(() => Up) | undefined>(KEY) ?? (() => 1);

/** Makes what is drawn stand upright on the screen, however the table lies; sizes are mil. */
export const UPRIGHT = 'scale(var(--up, 1), calc(-1 * var(--up, 1)))';
/** The same with sizes in pixels of the screen. */
export const UPRIGHT_PIXEL = 'scale(calc(var(--up, 1) * var(--pixel)), calc(-1 * var(--up, 1) * var(--pixel)))';
