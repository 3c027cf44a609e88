import { describe, expect, it } from 'vitest';
import type { Story } from '../../lib/protocol';
import { moments, passes, StoryLog } from './story';

const told = (text: string, kind = 'move'): Story => ({ kind, text });
const texts = (log: StoryLog): string[] => log.entries.map((entry) => entry.story.text);

describe('the story', () => {
  it('puts earlier frames in front, each once', () => {
    const log = new StoryLog();
    log.restart(7);
    log.add(8, [told('eight')], 1);
    log.recall(
      [
        { seq: 5, story: [told('five'), told('five too')] },
        { seq: 7, story: [told('seven')] },
      ],
      true,
    );
    expect(log.more).toBe(true);
    log.recall(
      [
        { seq: 4, story: [told('four')] },
        { seq: 5, story: [told('again')] },
      ],
      false,
    );
    expect(texts(log)).toEqual(['four', 'five', 'five too', 'seven', 'eight']);
    expect(log.more).toBe(false);
    expect(new Set(log.entries.map((entry) => entry.key)).size).toBe(5);
  });

  it('stops asking when there is nothing earlier', () => {
    const log = new StoryLog();
    log.restart(3);
    log.recall([], true);
    expect(log.more).toBe(false);
  });

  it('knows live lines from recalled ones', () => {
    const log = new StoryLog();
    log.restart(1);
    log.recall([{ seq: 1, story: [told('old')] }], false);
    log.add(2, [told('new')], 99);
    expect(log.entries.map((entry) => entry.arrived)).toEqual([0, 99]);
  });

  it('keeps what was taken back, and what happened on the desk', () => {
    const log = new StoryLog();
    log.restart(0);
    log.add(1, [told('one'), told('one too')], 1);
    log.add(2, [told('two')], 1);
    log.add(3, [told('hello', 'chat')], 1);
    log.add(4, [told('back to one', 'back')], 1);
    log.undo(1, 4);
    log.add(5, [told('another two')], 1);
    expect(log.entries.map((entry) => entry.undone ?? false)).toEqual([false, false, true, false, false, false]);
    expect(moments(log.entries)).toEqual([
      { seq: 1, text: 'one' },
      { seq: 5, text: 'another two' },
    ]);
  });

  it('shows dice, losses, and never chat', () => {
    const roll: Story = { kind: 'roll', text: '', dice: [[6, 4, '']] };
    expect(passes(roll, 'dice')).toBe(true);
    expect(passes(told('', 'move'), 'dice')).toBe(false);
    expect(passes(told('', 'loss'), 'losses')).toBe(true);
    expect(passes(roll, 'losses')).toBe(false);
    expect(passes(told('', 'chat'), 'all')).toBe(false);
  });
});
