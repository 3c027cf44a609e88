/** Making a match, from whichever page: its seats are kept, and one goes to its table. */
import type { Lobby } from '../lobby.svelte';
import type { MakeMatch } from '../protocol';
import { paths, router } from '../router.svelte';
import { keepName, keepPasses } from '../storage';

/** Makes the match and goes there; what went wrong, in a sentence, or "". */
export async function makeAndGo(lobby: Lobby, wish: Omit<MakeMatch, 'type' | 'id'>): Promise<string> {
  keepName(wish.name);
  try {
    const made = await lobby.make(wish);
    keepPasses(made.match, made.passes);
    router.go(paths.match(made.match));
    return '';
  } catch (reason) {
    return reason instanceof Error ? reason.message : 'The match could not be made.';
  }
}
