import { describe, expect, it } from 'vitest';
import { VIEW } from '../../lib/link.fixture';
import type { Story, View } from '../../lib/protocol';
import { channels, channelWord, keepMuted, muted, muting, saidAt, speakerName, voice } from './chat';

const line = (more: Partial<Story> = {}): Story => ({ kind: 'chat', text: 'hello', ...more });
const TEAM: View = { ...VIEW, seats: { ...VIEW.seats, b2: { ...VIEW.seats.b!, name: 'Bea' } } };

describe('chat', () => {
  it('gives seats the channels of the table and of their side, and spectators their own', () => {
    expect(channels(VIEW, 'b').map((each) => [each.channel, each.label])).toEqual([
      ['table', 'Everybody'],
      ['side', 'Notes to yourself'],
    ]);
    expect(channels(TEAM, 'b2').map((each) => each.label)).toEqual(['Everybody', 'Blue only']);
    expect(channels(VIEW, '').map((each) => each.channel)).toEqual(['spectators']);
    expect(channels(VIEW, '')[0]!.meaning).toContain('players when the match is over');
  });

  it('names who speaks, and where', () => {
    expect(speakerName(line({ speaker: 'b' }), VIEW)).toBe('Ann');
    expect(speakerName(line({ name: 'Eve' }), VIEW)).toBe('Eve');
    expect(speakerName(line(), VIEW)).toBe('');
    expect(channelWord(line({ channel: 'table' }), VIEW)).toBe('');
    expect(channelWord(line({ channel: 'spectators' }), VIEW)).toBe('spectators');
    expect(channelWord(line({ channel: 'side', side: 'red' }), VIEW)).toBe('Red only');
    expect(channelWord(line({ channel: 'side', speaker: 'b' }), VIEW)).toBe('Blue only');
  });

  it('tells a spectator who is called like a seat from that seat', () => {
    expect(voice(line({ speaker: 'b' }))).not.toBe(voice(line({ name: 'b' })));
    expect(voice(line())).toBeNull();
  });

  it('keeps who is muted by the match, and forgets it again', () => {
    expect(muted('m1')).toEqual({});
    keepMuted('m1', muting(muted('m1'), 'seat:r', 'Ben'));
    keepMuted('m1', muting(muted('m1'), 'name:Eve', 'Eve'));
    expect(muted('m1')).toEqual({ 'seat:r': 'Ben', 'name:Eve': 'Eve' });
    expect(muted('m2')).toEqual({});
    keepMuted('m1', muting(muted('m1'), 'seat:r', null));
    expect(muted('m1')).toEqual({ 'name:Eve': 'Eve' });
    keepMuted('m1', muting(muted('m1'), 'name:Eve', null));
    expect(muted('m1')).toEqual({});
  });

  it('says when, and on which day if it was another one', () => {
    const at = new Date(2026, 2, 3, 14, 5).getTime();
    expect(saidAt(line({ at }), at + 60_000)).toBe('14:05');
    expect(saidAt(line({ at }), at + 86_400_000)).toBe('3 Mar 14:05');
    expect(saidAt(line(), at)).toBe('');
  });
});
