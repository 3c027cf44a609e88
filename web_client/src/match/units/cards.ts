/** What a unit's card needs in addition to the view, so that a finished match can be shown with the same cards. */
import type { MatchState } from '../session/match.svelte';

export type CardSource = Pick<MatchState, 'words' | 'orders' | 'ordering' | 'orderRefusal' | 'status' | 'order'>;
