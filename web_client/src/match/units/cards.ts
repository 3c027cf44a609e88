/** What a unit's card needs beside the view, so that a match that is over can be shown with the same cards. */
import type { MatchState } from '../session/match.svelte';

export type CardSource = Pick<MatchState, 'words' | 'orders' | 'ordering' | 'orderRefusal' | 'status' | 'order'>;
