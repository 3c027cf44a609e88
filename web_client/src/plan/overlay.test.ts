import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WhatIf, WhatIfTarget } from '../lib/protocol';
import { table, view } from '../lib/views.fixture';
import { SETTLED } from './asking.svelte';
import { ghostKey } from './ghosts';
import { PlanOverlay } from './overlay';
import { Planning } from './planning.svelte';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const seen = (target: string): WhatIfTarget =>
  ({ target, sight: { type: 'sight', target, rays: [], summary: '' } }) as unknown as WhatIfTarget;

/** A plan laid over the fixture's table. What it asks is answered with both red units and a problem. */
function laid(seat = 'blue') {
  const answer = {
    type: 'what_if',
    id: 'i',
    targets: [seen('r1'), seen('r2')],
    problems: ['It stands too far away.'],
  };
  const planning = new Planning({
    seat,
    view: view(),
    ground: table,
    link: { state: 'live' },
    whatIf: (unit) => Promise.resolve({ ...answer, unit } as WhatIf),
  });
  planning.toggle();
  const settle = async (): Promise<void> => {
    planning.follow();
    await vi.advanceTimersByTimeAsync(SETTLED);
  };
  return { planning, overlay: new PlanOverlay(planning), settle };
}

describe('a plan that lies over the table', () => {
  it('says what to do, then how far the ghost is from its unit and what is wrong with it', async () => {
    const { planning, overlay, settle } = laid();
    expect(overlay.status).toMatchObject({ amount: '', fault: '', hint: 'Planning: drag or tap one of your units.' });
    planning.choose('b1');
    expect(overlay.status.hint).toBe(`Planning ${planning.name('b1')}: drag it, or tap where it should be.`);
    planning.nudge([3000, 0]);
    await settle();
    expect(overlay.status).toEqual({ amount: '3″', meaning: 'planned', fault: 'It stands too far away.', hint: '' });
    planning.nudge([-3000, 0]);
    expect(overlay.status.amount).toBe('0″');
  });

  it('tells those who watch to do nothing', () => {
    expect(laid('').overlay.status.hint).toBe('');
  });

  it('shows the lines to what is looked at, else to what was asked for', async () => {
    const { planning, overlay, settle } = laid();
    planning.choose('b1');
    expect(overlay.sight(['r1', null])).toBeNull();
    await settle();
    expect(overlay.sight([null, null])).toBeNull();
    planning.aim('r2');
    expect(overlay.sight([null, 'b2'])?.target).toBe('r2');
    expect(overlay.sight([null, 'r1'])?.target).toBe('r1');
    expect(overlay.sight(['r2', 'r1'])?.target).toBe('r2');
  });

  it('is measured with its ghosts, counted on its tool, and left by it', () => {
    const { planning, overlay } = laid();
    expect(overlay.tool).toMatchObject({ label: 'Plan with ghosts', count: 0, on: true });
    planning.choose('b1');
    planning.nudge([3000, 0]);
    expect(overlay.measured(view()).units[ghostKey('b1')]).toEqual(overlay.unit);
    expect(overlay.tool).toMatchObject({ label: 'Plan with ghosts, 1 planned', count: 1 });
    overlay.tool.press();
    expect([overlay.on, overlay.tool.on]).toEqual([false, false]);
  });
});
