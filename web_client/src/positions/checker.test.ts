import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SetupChecked } from '../lib/protocol';
import { Unanswered } from '../lib/requests';
import { AGAIN } from '../library/asking.svelte';
import { REST, SetupChecker } from './checker.svelte';
import { newSetup, type Setup } from './setup';

const setup = newSetup('some', 'Test');
const named = (name: string): Setup => ({ ...setup, name });
const fine = { type: 'setup_checked', problem: '', view: {}, table: {}, words: {} } as unknown as SetupChecked;
const wrong: SetupChecked = { ...fine, problem: 'No.', view: null, table: null };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('what the rules say', () => {
  it('is asked once the player pauses, about the last change', async () => {
    const asked: string[] = [];
    const checker = new SetupChecker((each) => {
      asked.push(each.name);
      return Promise.resolve(fine);
    });
    checker.look(named('one'));
    await vi.advanceTimersByTimeAsync(REST - 1);
    checker.look(named('two'));
    expect([asked, checker.waiting]).toEqual([[], true]);
    await vi.advanceTimersByTimeAsync(REST);
    expect([asked, checker.waiting, checker.problem]).toEqual([['two'], false, '']);
  });

  it('keeps the last good picture while there is a problem', async () => {
    const answers = [fine, wrong];
    const checker = new SetupChecker(() => Promise.resolve(answers.shift()!));
    for (const name of ['good', 'bad']) {
      checker.look(named(name));
      await vi.advanceTimersByTimeAsync(REST);
    }
    expect(checker.problem).toBe('No.');
    expect(checker.good).toBe(fine);
  });

  it('is heard of the last that was asked alone, in whatever order the answers come', async () => {
    const open: ((answer: SetupChecked) => void)[] = [];
    const checker = new SetupChecker(() => new Promise((resolve) => open.push(resolve)));
    for (const name of ['one', 'two']) {
      checker.look(named(name));
      await vi.advanceTimersByTimeAsync(REST);
    }
    open[1]!(fine);
    await vi.advanceTimersByTimeAsync(0);
    open[0]!(wrong);
    await vi.advanceTimersByTimeAsync(0);
    expect(checker.problem).toBe('');
  });

  it('is asked again where they had no time, and told where they could not be asked', async () => {
    const refusal = (code: string) => ({
      type: 'refused' as const,
      id: '',
      code,
      sentence: 'x',
      rule: '',
      where: null,
      figure: '',
      match: '',
    });
    let reason = new Unanswered('Slowly.', refusal('rate'));
    const checker = new SetupChecker(() => Promise.reject(reason));
    checker.look(setup);
    await vi.advanceTimersByTimeAsync(REST);
    expect([checker.waiting, checker.fault]).toEqual([true, '']);
    reason = new Unanswered('Too large.', refusal('upload'));
    await vi.advanceTimersByTimeAsync(AGAIN);
    expect([checker.waiting, checker.fault]).toEqual([false, 'Too large.']);
    checker.look(setup);
    checker.close();
    await vi.advanceTimersByTimeAsync(10 * AGAIN);
    expect(checker.waiting).toBe(true);
  });
});
