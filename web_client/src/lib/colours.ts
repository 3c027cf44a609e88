/** The colours of sides, of which a page has four: `--side-0` to `--side-3`. */
const KNOWN = 4;

/** The colour of the side, or the player, at this place in a list, from 0. */
export const colourAt = (at: number): string => `var(--side-${at % KNOWN})`;
