import { flushSync } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Choice, Parameter, Picked, Prompt, Refused } from '../../lib/protocol';
import { Unanswered } from '../../lib/requests';
import { prompt as promptOf, table, view } from '../../lib/views.fixture';
import { Draft } from '../../table/draft.svelte';
import type { MatchState } from './match.svelte';
import { Orders } from './orders.svelte';

const NO_ODDS: Refused = {
  type: 'refused',
  id: 'i1',
  code: 'nothing_to_preview',
  sentence: 'There is no preview of this choice.',
  rule: '',
  where: null,
  figure: '',
  match: '',
};
const UNIT: Parameter = {
  type: 'unit',
  label: 'Unit',
  candidates: ['b1', 'b2'].map((unit) => ({ unit, note: '', why: null })),
};

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** The orders of a seat whose answers are kept, and whose server gives these odds. */
function at(open: Prompt, preview: () => Promise<unknown> = () => Promise.reject(new Unanswered('none', NO_ODDS))) {
  const sent: Picked[] = [];
  const match = {
    prompt: open,
    view: view(),
    sending: null as string | null,
    refusal: null as Refused | null,
    status: null,
    link: { state: 'live' },
    preview,
    answer: (_: Prompt, picked: Picked) => sent.push(picked),
  };
  const orders = new Orders(
    match as unknown as MatchState,
    new Draft(
      () => view(),
      () => table,
    ),
  );
  orders.follow();
  return { orders, sent, match };
}

async function settle(orders: Orders): Promise<void> {
  orders.askPreview();
  await vi.advanceTimersByTimeAsync(1_000);
  flushSync();
}

const named = (open: Prompt): Prompt => ({
  ...open,
  choices: open.choices.map((choice) => ({ ...choice, preview: true })),
});

it('sends at once what only names a unit, and has no odds', async () => {
  const { orders, sent } = at(named(promptOf(UNIT)));
  orders.draft.take('go');
  orders.draft.setUnit(0, 'b2');
  await settle(orders);
  expect(sent).toEqual([{ choice: 'go', values: [{ type: 'unit', unit: 'b2' }] }]);
});

it('waits for a second press where there are odds to read', async () => {
  const odds = { type: 'preview', id: 'i1', title: '', dice: '3D6', numbers: [], chances: [], notes: [] };
  const { orders, sent } = at(named(promptOf(UNIT)), () => Promise.resolve(odds));
  orders.draft.take('go');
  orders.draft.setUnit(0, 'b2');
  await settle(orders);
  expect(sent).toEqual([]);
  expect(orders.preview).toEqual(odds);
});

it('does not send what was drafted for the player, before it is named', async () => {
  const lone: Parameter = { ...UNIT, candidates: UNIT.candidates.slice(0, 1) };
  const { orders, sent } = at(named(promptOf(lone)));
  orders.draft.take('go');
  expect(orders.draft.complete).toBe(true);
  await settle(orders);
  expect(sent).toEqual([]);
  orders.draft.setUnit(0, 'b1');
  await settle(orders);
  expect(sent).toHaveLength(1);
});

const placement = (unit: string): Parameter => ({
  type: 'placement',
  units: [unit],
  zone: [
    [0, 0],
    [table.width, 0],
    [table.width, table.height],
    [0, table.height],
  ],
  gaps: [4000],
  barred: [[]],
  suggested: [Object.fromEntries(Object.entries(view().units[unit]!.figures).map(([id, { at }]) => [id, at!]))],
  gap_rule: '',
  facings: [{}],
  landing: null,
  avoid: [],
  clear: 0,
  clear_rule: '',
  bonds: [],
});
const deploys = (...keys: string[]): Prompt => {
  const open = promptOf(placement('b1'));
  const choices: Choice[] = keys.map((key) => ({ ...open.choices[0]!, key }));
  return { ...open, id: keys.join(), choices, default: { choice: keys[0]!, values: [] } };
};

it('sets all units down where suggested, one after the other, until something else is asked', () => {
  const { orders, sent, match } = at(deploys('one', 'two'));
  expect(orders.placements).toHaveLength(2);
  orders.placeRest();
  // The next question may come before it is said that the answer is in.
  match.prompt = deploys('two');
  match.sending = 'one';
  orders.follow();
  expect(sent).toHaveLength(1);
  match.sending = null;
  orders.follow();
  expect(sent.map(({ choice }) => choice)).toEqual(['one', 'two']);
  match.prompt = promptOf(UNIT);
  orders.follow();
  expect(orders.placing).toBe(false);
  match.prompt = deploys('three');
  orders.follow();
  expect(sent).toHaveLength(2);
});

it('stops setting units down where the server refuses one, and begins again when it is asked to', () => {
  const { orders, sent, match } = at(deploys('one', 'two'));
  orders.placeRest();
  match.refusal = { ...NO_ODDS, code: 'placement' };
  orders.follow();
  expect([sent.length, orders.placing]).toEqual([1, false]);
  orders.placeRest();
  expect([sent.length, orders.placing]).toEqual([2, true]);
});

const plain = (key: string): Choice => ({
  key,
  label: key,
  rule: '',
  consequence: '',
  parameters: [],
  why: null,
  preview: false,
});
/** A shot that is offered, or not to be fired. */
const shot = (...more: Choice[]): Prompt => {
  const open = named(promptOf(UNIT));
  return { ...open, choices: [...open.choices, plain('hold'), ...more] };
};

it('opens with the first target where all else one may answer is no', () => {
  const { orders, sent } = at(shot());
  expect(orders.draft.choice?.key).toBe('go');
  expect(orders.draft.values).toEqual([{ type: 'unit', unit: 'b1' }]);
  expect(orders.others.map(({ key }) => key)).toEqual(['hold']);
  expect(sent).toEqual([]);
});

it('sends nothing that the player has not confirmed, odds or not', async () => {
  const { orders, sent } = at(shot());
  await settle(orders);
  expect(sent).toEqual([]);
  orders.choose(orders.others[0]!);
  expect(sent).toEqual([{ choice: 'hold', values: [] }]);
});

it('names the nearest target of an attack that is taken, and no unit of one’s own', () => {
  const at2 = (...units: string[]): Prompt => {
    const open = named(
      promptOf({ type: 'unit', label: 'Unit', candidates: units.map((unit) => ({ unit, note: '', why: null })) }),
    );
    return { ...open, choices: [...open.choices, plain('a'), plain('b'), plain('c')] };
  };
  for (const [units, first] of [
    [['r1', 'r2'], 'r1'],
    [['b1', 'b2'], null],
  ] as const) {
    // prettier-ignore
    const { orders, sent } = at(at2(...units));
    orders.choose(orders.prompt!.choices[0]!);
    expect(orders.draft.values).toEqual([first && { type: 'unit', unit: first }]);
    expect(sent).toEqual([]);
  }
});

it('lists the choices where there are more of them, or where one is forbidden', () => {
  const closed = { ...plain('charge'), why: { sentence: 'No.', rule: '' } };
  for (const open of [shot(plain('a'), plain('b')), shot(closed)]) {
    const { orders } = at(open);
    expect(orders.draft.choice).toBeNull();
    expect(orders.others).toEqual([]);
  }
});

it('goes back to the list, and stays there', () => {
  const { orders } = at(shot());
  orders.cancel();
  orders.follow();
  expect(orders.draft.choice).toBeNull();
});
