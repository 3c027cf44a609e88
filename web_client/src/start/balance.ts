/** How evenly a scenario is won between equals, in words. */
import type { Balance } from '../lib/protocol';

/** The share (per cent) from which on a scenario is called uneven. */
const UNEVEN = 60;

/** `52 : 48 over 400 games`: what share of the decided games each seat won, in the order of the seats; "" if none is known. */
export function balanceWords(
  balance: Balance | null | undefined,
  seats: readonly (readonly [string, string])[],
): string {
  const won = seats.map(([seat]) => balance?.won[seat] ?? 0);
  const decided = won.reduce((sum, count) => sum + count, 0);
  if (!balance || decided === 0) return '';
  // They add up to a hundred: what rounding has added or lost is the last one's.
  const shares = won.slice(0, -1).map((count) => Math.round((100 * count) / decided));
  shares.push(100 - shares.reduce((sum, share) => sum + share, 0));
  const drawn = Math.round((100 * (balance.games - decided)) / balance.games);
  const most = Math.max(...shares);
  const uneven = seats.length === 2 && most > UNEVEN ? `, better for ${seats[shares.indexOf(most)]![1]}` : '';
  return `${shares.join(' : ')} over ${balance.games} games${drawn > 0 ? `, ${drawn} % drawn` : ''}${uneven}`;
}
