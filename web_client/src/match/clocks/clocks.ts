/** Clocks as they stand at a moment, and in words. Times are milliseconds, moments are the server's up-time. */
import type { ClockTerms, View } from '../../lib/protocol';
import { unanswered } from '../session/seats';

/** A seat's clock at a moment. */
export interface Reading {
  seat: string;
  remaining: number;
  /** What is left of a disconnected player's allowance, before the clock runs. */
  allowance: number;
  running: boolean;
  away: boolean;
  /** No time is left; the others may claim the game if `claimable`. */
  out: boolean;
  claimable: boolean;
  /** 0: time enough; 1: low; 2: very low. */
  low: 0 | 1 | 2;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** From where on time is low, and very low. */
export const LOW: Readonly<Record<ClockTerms['kind'], readonly [number, number]>> = {
  live: [30 * SECOND, 10 * SECOND],
  correspondence: [6 * HOUR, HOUR],
};

/** The clocks of a match at the up-time `up` (null: as they were told), by seat. */
export function readClocks(view: View, up: number | null): Reading[] {
  const { clock } = view;
  if (!clock) return [];
  const runs = clock.paused || view.result ? [] : unanswered(view);
  return Object.keys(view.seats)
    .filter((seat) => seat in clock.remaining)
    .map((seat) => {
      const running = runs.includes(seat);
      const away = (clock.away ?? []).includes(seat);
      const spent = running && up !== null ? Math.max(0, up - clock.at) : 0;
      const allowed = clock.allowance?.[seat] ?? 0;
      const spared = away ? Math.min(spent, allowed) : 0;
      const remaining = Math.max(0, (clock.remaining[seat] ?? 0) - (spent - spared));
      const claimable = (clock.up ?? []).includes(seat) && !view.result;
      return {
        seat,
        remaining,
        allowance: allowed - spared,
        running,
        away,
        claimable,
        out: claimable || (remaining === 0 && !(away && allowed > spared)),
        low: lowness(clock.terms.kind, remaining),
      };
    });
}

function lowness(kind: ClockTerms['kind'], remaining: number): 0 | 1 | 2 {
  const [low, veryLow] = LOW[kind];
  return remaining <= veryLow ? 2 : remaining <= low ? 1 : 0;
}

const two = (number: number): string => String(number).padStart(2, '0');

/** A live clock's face: `12:05`, `1:02:05`. A second that has begun is shown whole, so that 0:00 means that it is up. */
export function face(remaining: number): string {
  const seconds = Math.ceil(remaining / SECOND);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = two(seconds % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** A correspondence clock's face, in its two largest units: `2 d 3 h`, `3 h 20 min`, `12 min`, `45 s`. */
export function longFace(remaining: number): string {
  if (remaining >= DAY) {
    const hours = Math.floor((remaining % DAY) / HOUR);
    return `${Math.floor(remaining / DAY)} d${hours > 0 ? ` ${hours} h` : ''}`;
  }
  if (remaining >= HOUR) {
    const minutes = Math.floor((remaining % HOUR) / MINUTE);
    return `${Math.floor(remaining / HOUR)} h${minutes > 0 ? ` ${minutes} min` : ''}`;
  }
  if (remaining >= MINUTE) return `${Math.floor(remaining / MINUTE)} min`;
  return `${Math.ceil(remaining / SECOND)} s`;
}

/** A clock's face, of either kind. */
export const faceOf = (kind: ClockTerms['kind'], remaining: number): string =>
  kind === 'live' ? face(remaining) : longFace(remaining);

/** The moment by which to decide, as one says it: `by 14:00`, `by Sun 14:00`, `by 3 Mar 14:00`. `now`: ms since 1970. */
export function byWhen(remaining: number, now: number): string {
  const [then, today] = [new Date(now + remaining), new Date(now)];
  const time = `${two(then.getHours())}:${two(then.getMinutes())}`;
  if (then.toDateString() === today.toDateString()) return `by ${time}`;
  const day: Intl.DateTimeFormatOptions =
    remaining < 6 * DAY ? { weekday: 'short' } : { day: 'numeric', month: 'short' };
  return `by ${then.toLocaleDateString('en-GB', day)} ${time}`;
}

/** The state of a seat's clock, in a word or two; "" for one that stands still. */
export function stateWords(reading: Reading, kind: ClockTerms['kind'], paused: boolean): string {
  if (reading.out) return 'time is up';
  if (paused) return 'paused';
  if (reading.running && reading.away) {
    return reading.allowance > 0 ? `away, ${faceOf(kind, reading.allowance)} to come back` : 'away, time runs';
  }
  if (reading.away) return 'away';
  return reading.running ? 'runs' : '';
}

/** The sentence that is said once when time gets low: whose, and how low. */
export interface Warning {
  seat: string;
  low: 1 | 2 | 3;
}

/** Notes which clocks were said to be low, so that each is said once; one that has time again may be said again. */
export class Warnings {
  private readonly said = new Map<string, number>();

  /** The clocks that have become low, or lower (3: out), since it was asked last. Only those that run are told of. */
  hear(readings: readonly Reading[]): Warning[] {
    const news: Warning[] = [];
    for (const reading of readings) {
      const low = reading.out ? 3 : reading.low;
      const before = this.said.get(reading.seat) ?? 0;
      if (low > before && (reading.running || reading.out)) news.push({ seat: reading.seat, low: low as 1 | 2 | 3 });
      else if (low > before) continue;
      this.said.set(reading.seat, low);
    }
    return news;
  }
}
