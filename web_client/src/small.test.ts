import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { nextStep, share, takeAlong, taken } from './dice';
import { effect, isSum, percent } from './parts/numbers';
import { paths, route } from './router.svelte';
import { sha256 } from './sha256';
import { holding, keepToken } from './storage';
import { hex } from './wire';

describe('SHA-256', () => {
  it.each([0, 1, 32, 55, 56, 63, 64, 65, 119, 120, 1000])('of %i bytes is what Node says', (length) => {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 31 + length) % 256);
    expect(hex(sha256(bytes))).toBe(createHash('sha256').update(bytes).digest('hex'));
  });
});

describe('addresses', () => {
  it('go there and back', () => {
    expect(route('')).toEqual({ page: 'start' });
    expect(route(paths.start)).toEqual({ page: 'start' });
    expect(route(paths.match('m/1'))).toEqual({ page: 'match', match: 'm/1' });
    expect(route(paths.join('m', 'red', 'i n'))).toEqual({ page: 'join', match: 'm', seat: 'red', invite: 'i n' });
    expect(route(paths.join('m', 'red'))).toEqual({ page: 'join', match: 'm', seat: 'red', invite: '' });
    expect(route(paths.rules('fad', 'fad/turn.a'))).toEqual({ page: 'rules', edition: 'fad', rule: 'fad/turn.a' });
    expect(route(paths.about)).toEqual({ page: 'about' });
    expect(route(paths.forces)).toEqual({ page: 'forces' });
    expect(route(paths.force('f/1'))).toEqual({ page: 'force', id: 'f/1' });
    expect(route(paths.shared('a-_9'))).toEqual({ page: 'shared', packed: 'a-_9' });
    expect(route(paths.play('fad', 'mine:f'))).toEqual({ page: 'start', edition: 'fad', pick: 'mine:f' });
    expect(route('#/nowhere').page).toBe('unknown');
    expect(route('#/m/%E0%A4%A').page).toBe('match');
  });

  it('offer a seat to this browser, with its share of the dice, and change nothing by that', () => {
    const bytes = 'ab'.repeat(32);
    keepToken('moved', 'red', 'right');
    const own = share('moved', 'red');
    const offer = { seat: 'red', token: 'wrong', share: bytes };
    expect(route(paths.seat('moved', 'red', 'wrong', bytes))).toEqual({ page: 'match', match: 'moved', offer });
    expect(route(paths.seat('moved', 'red', 'wrong'))).toMatchObject({ offer: { ...offer, share: '' } });
    expect(holding('moved').tokens).toEqual({ red: 'right' });
    expect(share('moved', 'red')).toBe(own);
  });
});

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

describe('numbers in words', () => {
  it('say what each line does', () => {
    expect(effect(['SET', 5, '', '', false], '')).toBe('5');
    expect(effect(['ADD', 1, '', '', false], '')).toBe('+1');
    expect(effect(['ADD', -2500, '', '', false], 'mil')).toBe('−2.5″');
    expect(effect(['SCALE', 150, '', '', false], '')).toBe('× 1.5');
    expect(effect(['CAP', 6, '', '', false], '')).toBe('at most 6');
    expect(effect(['CAP', 1, '', '', true], '')).toBe('at least 1');
    expect(effect(['SET', 4250, '', '', false], 'mil')).toBe('4.25″');
  });

  it('say the result where it is not said yet', () => {
    expect(isSum([3, [['SET', 3, '', '', false]], ''])).toBe(false);
    expect(
      isSum([
        4,
        [
          ['SET', 3, '', '', false],
          ['ADD', 1, '', '', false],
        ],
        '',
      ]),
    ).toBe(true);
    expect(isSum([-1, [['ADD', -1, '', '', false]], ''])).toBe(true);
  });

  it('never call certain what is not', () => {
    expect([0, 3, 4200, 9999, 10000].map(percent)).toEqual(['0 %', 'under 1 %', '42 %', 'over 99 %', '100 %']);
  });
});
