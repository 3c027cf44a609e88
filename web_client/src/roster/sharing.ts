/** Sharing reinforcements out among units. */
import type { CampaignPrompt, Share } from '../lib/protocol';

/** How many figures each unit may take, by its number. */
export const mostOf = (prompt: CampaignPrompt): ReadonlyMap<number, number> => new Map(prompt.most ?? []);

/** The shares that are proposed: those of the default. */
export const proposed = (prompt: CampaignPrompt): ReadonlyMap<number, number> =>
  new Map(prompt.default.type === 'share' ? (prompt.default.shares ?? []) : []);

/** How many reinforcements are not shared out; below zero if there are too few. */
export const left = (prompt: CampaignPrompt, shares: ReadonlyMap<number, number>): number =>
  (prompt.troopers ?? 0) - [...shares.values()].reduce((sum, figures) => sum + figures, 0);

/** The answer with these shares; units that take none are left out. */
export const answerOf = (shares: ReadonlyMap<number, number>): Share => ({
  type: 'share',
  shares: [...shares].filter(([, figures]) => figures > 0),
});
