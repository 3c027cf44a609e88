/** Who hears what somebody says, who said it, and whom one does not want to hear. */
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
      ? 'Everybody hears it, now that the match is over.'
      : 'Those who watch hear it now, the players when the match is over.',
  };
  if (seat === '') return [spectators];
  const side = view.seats[seat]?.side ?? '';
  const alone = Object.values(view.seats).filter((each) => each.side === side).length < 2;
  return [
    { channel: 'table', label: 'Everybody', meaning: 'Everybody at this table and whoever watches hears it.' },
    {
      channel: 'side',
      label: alone ? 'Notes to yourself' : `${view.sides[side]?.name ?? 'Your side'} only`,
      meaning: alone ? 'Nobody else hears it before the match is over.' : 'Your own side hears it.',
    },
  ];
}

/** What a line's channel is called beside it; "" for what everybody hears. */
export function channelWord(story: Story, view: View): string {
  if (story.channel === 'spectators') return 'spectators';
  if (story.channel !== 'side') return '';
  const side = story.side || view.seats[story.speaker ?? '']?.side || '';
  return `${view.sides[side]?.name ?? 'own side'} only`;
}

/** Who said a line, in words; "" for what nobody is named with. */
export function speakerName(story: Story, view: View): string {
  if (!story.speaker) return story.name ?? '';
  const seat = view.seats[story.speaker];
  return seat?.name || (view.sides[seat?.side ?? '']?.name ?? story.speaker);
}

/** Whom to mute to hear no more of such lines; null where that cannot be told. Seats and spectators never share one. */
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
