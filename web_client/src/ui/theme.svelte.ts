/**
 * Light or dark colours: as the device has them, or as this viewer wants them here. The style sheets ask the device; a choice is put
 * in the place of that question, in sheets that are loaded later too.
 */
import { keep, recall } from '../lib/storage';

export const THEMES = ['device', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'theme';
const ASKS = '(prefers-color-scheme: dark)';
const MEDIA: Record<Theme, string> = { device: ASKS, light: 'not all', dark: 'all' };

const kept = (): Theme => {
  const wish = recall<unknown>(KEY, '');
  return THEMES.find((each) => each === wish) ?? 'device';
};

/** The rules that asked the device, by their sheets: once a choice stands there, no rule says that it did. */
const asking = new WeakMap<CSSStyleSheet, CSSMediaRule[]>();

function rulesOf(sheet: CSSStyleSheet): CSSMediaRule[] {
  const known = asking.get(sheet);
  if (known) return known;
  let rules: CSSRuleList;
  try {
    rules = sheet.cssRules;
  } catch {
    // An extension of the browser has put it in, or it was not loaded to its end: no page may read its rules.
    return [];
  }
  const found = [...rules].filter(
    (rule): rule is CSSMediaRule => rule instanceof CSSMediaRule && rule.media.mediaText === ASKS,
  );
  asking.set(sheet, found);
  return found;
}

class Colours {
  #theme = $state<Theme>(kept());

  get theme(): Theme {
    return this.#theme;
  }

  set theme(theme: Theme) {
    this.#theme = theme;
    keep(KEY, theme);
    this.apply();
  }

  /** Colours the page, now and as its further style sheets come. */
  begin(): void {
    this.apply();
    // Loads do not bubble, and are heard on their way down.
    document.addEventListener('load', () => this.apply(), true);
    addEventListener('storage', () => {
      this.#theme = kept();
      this.apply();
    });
  }

  apply(): void {
    document.documentElement.style.colorScheme = this.#theme === 'device' ? '' : this.#theme;
    for (const sheet of document.styleSheets)
      for (const rule of rulesOf(sheet)) rule.media.mediaText = MEDIA[this.#theme];
  }
}

export const colours = new Colours();
