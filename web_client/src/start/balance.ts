/** How evenly a scenario is won between equals, in words. */
import type { Balance } from '../lib/protocol';

/** How much more or less (per cent) than an equal share makes a scenario uneven: of two, from 60 on. */
const UNEVEN = 20;

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
  const uneven = unevenWords(
    shares,
    seats.map(([, name]) => name),
  );
  return `${shares.join(' : ')} over ${balance.games} games${drawn > 0 ? `, ${drawn} % drawn` : ''}${uneven}`;
}

/** For which sides it is better, or, where they are fewer, for which it is worse; "" where it is even. */
function unevenWords(shares: readonly number[], names: readonly string[]): string {
  const equal = 100 / shares.length;
  const better = names.filter((_, i) => shares[i]! > (equal * (100 + UNEVEN)) / 100);
  const worse = names.filter((_, i) => shares[i]! < (equal * (100 - UNEVEN)) / 100);
  if (worse.length > 0 && (better.length === 0 || worse.length < better.length)) {
    return `, worse for ${worse.join(' and ')}`;
  }
  return better.length > 0 ? `, better for ${better.join(' and ')}` : '';
}
