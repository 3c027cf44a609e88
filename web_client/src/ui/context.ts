/** The edition that a page's rules are of, as context for all of its parts. */
import { getContext, setContext } from 'svelte';

const EDITION = Symbol('edition');

/** Says, for a page and all in it, which edition is played. */
export function setEdition(edition: () => string): void {
  setContext(EDITION, edition);
}

/** Tells the edition of the page, "" where there is none. To be asked for when a part is made. */
export function editionOfPage(): () => string {
  return getContext<(() => string) | undefined>(EDITION) ?? (() => '');
}
