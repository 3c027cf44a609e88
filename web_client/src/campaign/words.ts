/** The map of a campaign in words. */
import type { LeagueView } from '../lib/protocol';
import { missing, openBattles } from './standing';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A deadline in words: ` within 3 days`; "" where there is none. */
function within(until: number, now: number): string {
  if (until <= 0) return '';
  const left = until - now;
  if (left <= 0) return ' (their deadline has passed)';
  if (left < HOUR) return ' within the hour';
  if (left < 2 * DAY) return ` within ${Math.ceil(left / HOUR)} hours`;
  return ` within ${Math.ceil(left / DAY)} days`;
}

/** What the players of a campaign are about, in sentences. */
export function phaseWords(league: LeagueView, now: number): string {
  const turn = league.round ?? 0;
  const { map } = league;
  if (league.state === 'over') return 'The campaign is over.';
  if (turn === 0 || !map) return 'Forces stand at home. The organiser begins the first turn.';
  if (map.phase === 'orders') {
    const names = missing(league);
    return `Turn ${turn}: orders are given${within(map.until ?? 0, now)}. Still to come: ${names.join(', ')}.`;
  }
  if (map.phase === 'battles') {
    const open = openBattles(league).length;
    return `Turn ${turn}: the orders are revealed. ${open === 1 ? 'One battle is' : `${open} battles are`} to be fought.`;
  }
  return `Turn ${turn} is over.`;
}
