/** Push subscriptions: notices that reach this browser while no page of it is open. */
import type { PushTo } from '../lib/protocol';

const WORKER = '/notices.js';

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): {
    createScriptURL(url: string): unknown;
  };
}

/** The worker's address, as the page's content security policy wants it. */
let trusted: string | null = null;
function workerUrl(): string {
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  trusted ??= types
    ? (types.createPolicy('underfire-worker', { createScriptURL: () => WORKER }).createScriptURL(WORKER) as string)
    : WORKER;
  return trusted;
}

/** Why this browser cannot be told; "" if it can. */
export function unable(): string {
  if (!window.isSecureContext) {
    return 'A browser is told only by pages that came by HTTPS, or from the same machine. Use a webhook, or ask the operator for HTTPS.';
  }
  if (!('serviceWorker' in navigator) || !('PushManager' in window)) {
    return 'This browser takes no notices from pages that are not open. On an iPhone, add Underfire to the home screen first.';
  }
  if (Notification.permission === 'denied') {
    return 'This browser does not allow this page to show notices; its settings can change that.';
  }
  return '';
}

const bytes = (text: string): Uint8Array<ArrayBuffer> => {
  const plain = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
};

function told(subscription: PushSubscription): PushTo | null {
  const { endpoint, keys } = subscription.toJSON();
  const [p256dh, auth] = [keys?.['p256dh'], keys?.['auth']];
  return endpoint && p256dh && auth ? { endpoint, p256dh, auth } : null;
}

/** Where this browser is told at present; null for nowhere. */
export async function subscribed(): Promise<PushTo | null> {
  if (!('serviceWorker' in navigator)) return null;
  const worker = await navigator.serviceWorker.getRegistration(WORKER);
  const subscription = await worker?.pushManager?.getSubscription();
  return subscription ? told(subscription) : null;
}

/** Asks the person, and has the browser make a subscription for this server. Rejects with a sentence. */
export async function subscribe(pushKey: string): Promise<PushTo> {
  if ((await Notification.requestPermission()) !== 'granted') throw new Error('Notices were not allowed.');
  const worker = await navigator.serviceWorker.register(workerUrl());
  await navigator.serviceWorker.ready;
  let subscription: PushSubscription;
  try {
    subscription = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(pushKey) });
  } catch {
    throw new Error('The browser could not reach its push service. Try again later, or use a webhook.');
  }
  const found = told(subscription);
  if (!found) throw new Error('The browser made a subscription that cannot be used.');
  return found;
}

/** Ends this browser's subscription. */
export async function unsubscribe(): Promise<void> {
  const worker = await navigator.serviceWorker.getRegistration(WORKER);
  const subscription = await worker?.pushManager?.getSubscription();
  await subscription?.unsubscribe();
}
