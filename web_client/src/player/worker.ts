/** The service worker: shows a notice that was pushed, and opens the match when it is clicked. It keeps no page. */
import { shownOf, type Pushed } from './shown';

// The types of workers exclude those of pages; what is used here is little.
interface Extended {
  waitUntil(work: Promise<unknown>): void;
}
interface Push extends Extended {
  readonly data: { json(): unknown } | null;
}
interface Click extends Extended {
  readonly notification: Notification;
}
interface Page {
  readonly url: string;
  focus(): Promise<unknown>;
  navigate(url: string): Promise<unknown>;
}
interface Worker {
  readonly registration: { showNotification(title: string, options: NotificationOptions): Promise<void> };
  readonly clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<readonly Page[]>;
    openWindow(url: string): Promise<unknown>;
  };
  readonly location: { readonly origin: string };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'push', hear: (event: Push) => void): void;
  addEventListener(type: 'notificationclick', hear: (event: Click) => void): void;
  addEventListener(type: 'install', hear: (event: Extended) => void): void;
}
const worker = self as unknown as Worker;

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));

worker.addEventListener('push', (event) => {
  const { title, body, tag, path } = shownOf(event.data?.json() as Pushed);
  event.waitUntil(worker.registration.showNotification(title, { body, tag, icon: '/favicon.svg', data: { path } }));
});

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { path } = event.notification.data as { path: string };
  event.waitUntil(open(worker.location.origin + path));
});

/** Goes to a page that is open, or opens one. */
async function open(url: string): Promise<void> {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = pages.find((each) => each.url === url);
  if (page) await page.focus();
  else await worker.clients.openWindow(url);
}
