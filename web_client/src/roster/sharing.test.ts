import { describe, expect, it } from 'vitest';
import type { CampaignPrompt } from '../lib/protocol';
import { answerOf, left, mostOf, proposed } from './sharing';

const PROMPT: CampaignPrompt = {
  type: 'prompt',
  step: 'share',
  title: 'How are 4 reinforcements shared out?',
  offers: [],
  default: {
    type: 'share',
    shares: [
      [0, 1],
      [2, 3],
    ],
  },
  troopers: 4,
  most: [
    [0, 2],
    [2, 5],
  ],
};

describe('sharing reinforcements out', () => {
  it('begins with what is proposed', () => {
    expect([...proposed(PROMPT)]).toEqual([
      [0, 1],
      [2, 3],
    ]);
    expect(left(PROMPT, proposed(PROMPT))).toBe(0);
    expect(mostOf(PROMPT).get(2)).toBe(5);
  });
  it('counts what is not shared out, also when it is too much', () => {
    expect(left(PROMPT, new Map([[0, 2]]))).toBe(2);
    expect(
      left(
        PROMPT,
        new Map([
          [0, 2],
          [2, 5],
        ]),
      ),
    ).toBe(-3);
  });
  it('names only the units that take some', () => {
    expect(
      answerOf(
        new Map([
          [0, 0],
          [2, 3],
        ]),
      ),
    ).toEqual({ type: 'share', shares: [[2, 3]] });
  });
  it('has nothing to propose where another question is asked', () => {
    const bare: CampaignPrompt = { ...PROMPT, default: { type: 'go_on' }, troopers: undefined, most: undefined };
    expect(proposed(bare).size).toBe(0);
    expect(left(bare, proposed(bare))).toBe(0);
    expect(mostOf(bare).size).toBe(0);
  });
});
