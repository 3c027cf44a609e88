import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const shown: { title: string; body: string; tag: string }[] = [];

/** A browser whose person answers the question for permission so. */
async function browser(answer: NotificationPermission | null, hidden = true, works = true) {
  vi.resetModules();
  shown.length = 0;
  vi.stubGlobal('document', { hidden });
  if (answer) {
    class Notice {
      static permission: NotificationPermission = 'default';
      static requestPermission = () => Promise.resolve(answer);
      constructor(title: string, { body, tag }: { body: string; tag: string }) {
        if (!works) throw new TypeError('Illegal constructor');
        shown.push({ title, body, tag });
      }
    }
    vi.stubGlobal('Notification', Notice);
  }
  return (await import('./notice.svelte')).turnNotice;
}

beforeEach(() => vi.unstubAllGlobals());
afterEach(() => vi.unstubAllGlobals());

it('is shown once it is wanted and allowed, and only while another page is in front', async () => {
  const notice = await browser('granted');
  notice.tell('m1', 'Two Orchards', 'Activate one of your units');
  expect(shown).toEqual([]);
  await notice.turn(true);
  notice.tell('m1', 'Two Orchards', 'Activate one of your units');
  expect(shown).toEqual([{ title: 'Two Orchards', body: 'Activate one of your units', tag: 'm1' }]);
  vi.stubGlobal('document', { hidden: false });
  notice.tell('m1', 'Two Orchards', 'Choose its action');
  expect(shown).toHaveLength(1);
  await notice.turn(false);
  vi.stubGlobal('document', { hidden: true });
  notice.tell('m1', 'Two Orchards', 'Choose its action');
  expect(shown).toHaveLength(1);
});

it('stays off where the person refuses', async () => {
  const notice = await browser('denied');
  await notice.turn(true);
  const { recall } = await import('../../lib/storage');
  expect([notice.wanted, notice.allowed, recall('turn-notice', true)]).toEqual([false, 'denied', false]);
});

it('is not there in a browser without notices, or where a page may not show them', async () => {
  expect((await browser(null)).allowed).toBe('missing');
  const phone = await browser('granted', true, false);
  await phone.turn(true);
  phone.tell('m1', 'Two Orchards', 'Activate one of your units');
  expect([shown, phone.wanted, phone.allowed]).toEqual([[], false, 'missing']);
});
