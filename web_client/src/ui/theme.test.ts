import { afterEach, expect, test, vi } from 'vitest';

class MediaRule {
  media = { mediaText: '(prefers-color-scheme: dark)' };
}

const closed = {
  get cssRules(): never {
    throw new DOMException('Cannot access rules', 'SecurityError');
  },
};

afterEach(() => vi.unstubAllGlobals());

test('a choice of colours holds in every sheet but those whose rules no page may read', async () => {
  const rule = new MediaRule();
  vi.stubGlobal('CSSMediaRule', MediaRule);
  vi.stubGlobal('document', { documentElement: { style: {} }, styleSheets: [closed, { cssRules: [rule] }] });
  const { colours } = await import('./theme.svelte');
  colours.theme = 'dark';
  expect(rule.media.mediaText).toBe('all');
  expect(document.documentElement.style.colorScheme).toBe('dark');
  colours.theme = 'device';
  expect(rule.media.mediaText).toBe('(prefers-color-scheme: dark)');
});
