/** Chat: who reads a line, who wrote it, and whom this browser mutes. */
import type { Channel, Story, View } from '../../lib/protocol';
import { keep, recall } from '../../lib/storage';

/** A channel one can speak in: what it is called and who hears it. */
export interface Hearing {
  channel: Channel;
  label: string;
  meaning: string;
}

/** The channels that a seat ("": who watches) can speak in, the usual one first. */
export function channels(view: View, seat: string): Hearing[] {
  const spectators: Hearing = {
    channel: 'spectators',
    label: 'Spectators',
    meaning: view.result
      ? 'Everybody can read it, now that the match is over.'
      : 'The spectators can read it now, the players when the match is over.',
  };
  if (seat === '') return [spectators];
  const side = view.seats[seat]?.side ?? '';
  const alone = Object.values(view.seats).filter((each) => each.side === side).length < 2;
  return [
    { channel: 'table', label: 'Everybody', meaning: 'All players and spectators can read it.' },
    {
      channel: 'side',
      label: alone ? 'Notes to yourself' : `${view.sides[side]?.name ?? 'Your side'} only`,
      meaning: alone ? 'Only you can read it until the match is over.' : 'Only your own side can read it.',
    },
  ];
}

/** The label of a line's channel; "" for the table's, which everybody reads. */
export function channelWord(story: Story, view: View): string {
  if (story.channel === 'spectators') return 'spectators';
  if (story.channel !== 'side') return '';
  const side = story.side || view.seats[story.speaker ?? '']?.side || '';
  return `${view.sides[side]?.name ?? 'own side'} only`;
}

/** Who wrote a line, in words; "" for a line without a name. */
export function speakerName(story: Story, view: View): string {
  if (!story.speaker) return story.name ?? '';
  const seat = view.seats[story.speaker];
  return seat?.name || (view.sides[seat?.side ?? '']?.name ?? story.speaker);
}

/** The key by which the author of such lines is muted; null if it is unknown. Seats and spectators never share one. */
export function voice(story: Story): string | null {
  if (story.speaker) return `seat:${story.speaker}`;
  return story.name ? `name:${story.name}` : null;
}

/** Who is muted at a match, as long as this browser keeps it: a voice, and what it was called. */
export type Muted = Readonly<Record<string, string>>;

export const muted = (match: string): Muted => recall<Muted>(`mute/${match}`, {});

export function keepMuted(match: string, now: Muted): void {
  keep(`mute/${match}`, Object.keys(now).length > 0 ? now : undefined);
}

/** With a voice muted, or heard again (`called` null). */
export function muting(now: Muted, who: string, called: string | null): Muted {
  const { [who]: _, ...others } = now;
  return called === null ? others : { ...others, [who]: called };
}

/** When a line was said, by this machine's time: `14:05`, on another day `3 Mar 14:05`; "" where it was not told. */
export function saidAt(story: Story, now: number): string {
  if (!story.at) return '';
  const [then, today] = [new Date(story.at), new Date(now)];
  const time = then.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  if (then.toDateString() === today.toDateString()) return time;
  return `${then.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })} ${time}`;
}
