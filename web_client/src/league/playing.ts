/** Sitting down at the match of a fixture. */
import type { Lobby } from '../lib/lobby.svelte';
import type { FixtureSeat, FixtureView } from '../lib/protocol';
import { holding, keepToken } from '../lib/storage';
import { newId } from '../lib/wire';
import { wantTied } from '../player/tying';

/** Whether this browser holds a seat of a match. */
export const seated = (match: string): boolean => match !== '' && Object.keys(holding(match).tokens).length > 0;

/**
 * Takes the player's seat in the match of a fixture, unless this browser holds it already, and says which match that is. The
 * seat is tied to the player's key at the table: joining the league was the consent. Rejects with a sentence.
 */
export async function sitDown(lobby: Lobby, league: string, fixture: FixtureView, name: string): Promise<string> {
  if (fixture.match && seated(fixture.match)) return fixture.match;
  const { match, seat, invite, token } = await lobby.ask<FixtureSeat>({
    type: 'play_fixture',
    id: newId(),
    league,
    fixture: fixture.number,
  });
  if (!(seat in holding(match).tokens)) {
    const own = token || (await lobby.take({ match, seat, name, invite })).token;
    keepToken(match, seat, own);
  }
  wantTied(match);
  return match;
}
