/** The time of this machine to the second, for "since 12 s", and whether the page is wide. */
class Clock {
  now = $state(Date.now());

  constructor() {
    setInterval(() => (this.now = Date.now()), 1000);
  }
}

export const clock = new Clock();

class Screen {
  wide = $state(true);

  constructor() {
    const query = matchMedia('(min-width: 900px)');
    this.wide = query.matches;
    query.addEventListener('change', () => (this.wide = query.matches));
  }
}

export const screenSize = new Screen();

/** How long ago that was, in a few words. */
export function ago(since: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - since) / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 36 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
