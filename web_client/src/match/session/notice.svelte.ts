/** A notice of the browser that one is asked, for players who look at something else meanwhile. Off until it is asked for. */
import { keep, recall } from '../../lib/storage';

/** What a browser can do: notices are allowed, refused by the person, not asked for yet, or not there at all. */
export type Allowed = NotificationPermission | 'missing';

const KEY = 'turn-notice';

class TurnNotice {
  /** Whether this browser's person wants notices. */
  wanted = $state(recall(KEY, false));
  allowed: Allowed = $state('Notification' in globalThis ? Notification.permission : 'missing');

  /** Turns notices on or off; the browser asks its person the first time. */
  async turn(on: boolean): Promise<void> {
    if (on && this.allowed === 'default') this.allowed = await Notification.requestPermission();
    this.wanted = on && this.allowed === 'granted';
    keep(KEY, this.wanted);
  }

  /** Tells that a seat is asked, unless its page is looked at. A newer notice of a match takes the place of the older. */
  tell(match: string, title: string, asked: string): void {
    if (!this.wanted || this.allowed !== 'granted' || !document.hidden) return;
    try {
      const notice = new Notification(title, { body: asked, tag: match });
      notice.onclick = () => {
        window.focus();
        notice.close();
      };
    } catch {
      // Some phones let only a service worker show notices.
      this.allowed = 'missing';
      this.wanted = false;
    }
  }
}

export const turnNotice = new TurnNotice();
