/** The invites of leagues that this browser was given: kept out of the address, which can be read over a shoulder. */
import { keep, recall } from '../lib/storage';

const inviteKey = (league: string): string => `league/${league}`;

export const keepInvite = (league: string, invite: string): void => void keep(inviteKey(league), invite);
export const inviteOf = (league: string): string => recall(inviteKey(league), '');
