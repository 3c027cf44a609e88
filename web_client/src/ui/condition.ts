/** A connection in words. */
import type { LinkReport } from '../lib/connection';
import type { Status } from '../lib/protocol';
import { ago } from './clock.svelte';

/** How the connection is: a word for the eye, a sentence where something is wrong. */
export interface Condition {
  kind: 'live' | 'waiting' | 'readonly' | 'ended';
  word: string;
  sentence: string;
}

/** The state of the link and of the server behind it, for people. */
export function condition(link: LinkReport, status: Status | null, readOnlySince: number, now: number): Condition {
  const since = ago(link.since, now);
  switch (link.state) {
    case 'connecting':
      return { kind: 'waiting', word: 'Connecting', sentence: '' };
    case 'reconnecting':
      return {
        kind: 'waiting',
        word: `Reconnecting, ${since}`,
        sentence: link.sentence || `No connection for ${since}. Underfire keeps trying; no confirmed answer is lost.`,
      };
    case 'offline':
      return { kind: 'waiting', word: `Offline, ${since}`, sentence: `This device has been offline for ${since}.` };
    case 'ended':
      return { kind: 'ended', word: 'Closed', sentence: link.sentence };
    case 'live':
      if (status?.state !== 'read_only') return { kind: 'live', word: 'Live', sentence: '' };
      return {
        kind: 'readonly',
        word: `Read only, ${ago(readOnlySince, now)}`,
        sentence: status.sentence || 'The server accepts no answers at the moment. You can still look at everything.',
      };
  }
}
