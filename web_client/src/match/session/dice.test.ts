import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { nextStep, share, takeAlong, taken } from './dice';

describe('the share of the dice', () => {
  it('is the same whenever it is asked for, and fits its digest', () => {
    const commit = nextStep('m', 's', ['s', 't'], [], []);
    const reveal = nextStep('m', 's', ['s', 't'], ['s', 't'], []);
    if (commit?.type !== 'commit' || reveal?.type !== 'reveal') throw new Error('wrong steps');
    const digest = createHash('sha256').update(Buffer.from(reveal.randomness, 'hex')).digest('hex');
    expect(commit.digest).toBe(digest);
    expect(nextStep('m', 's', ['s', 't'], ['s'], [])).toBeNull();
    expect(nextStep('m', 's', ['s', 't'], ['s', 't'], ['s'])).toBeNull();
  });

  it('is not replaced by something that is none', () => {
    for (const nonsense of ['nonsense', 'ab'.repeat(32) + '\n', 'AB'.repeat(32)]) takeAlong('m', 'kept', nonsense);
    expect(nextStep('m', 'kept', ['kept'], ['kept'], [])).toMatchObject({
      randomness: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('comes from a link where there is none, and is replaced by none that the server has not taken', () => {
    const [first, second] = ['01'.repeat(32), '02'.repeat(32)];
    const reveal = (refused: string[] = []) => nextStep('m', 'link', ['link'], ['link'], [], refused);
    takeAlong('m', 'link', first);
    expect(reveal()).toMatchObject({ randomness: first });
    takeAlong('m', 'link', second);
    expect(share('m', 'link')).toBe(first);
    expect(reveal()).toMatchObject({ randomness: first });
    expect(reveal([first])).toMatchObject({ randomness: second });
    expect(reveal([first, second])).toBeNull();
    taken('m', 'link', second);
    expect(share('m', 'link')).toBe(second);
    expect(reveal([second])).toBeNull();
  });
});
