import { describe, expect, it } from 'vitest';
import { VIEW } from '../../lib/link.fixture';
import type { ClockView, OfferView, View } from '../../lib/protocol';
import { manySides } from '../../lib/views.fixture';
import { awaitedBy, begun, claimants, complete, offered, plays } from '../session/seats';
import { offerSentence } from './offers';

const offer = (more: Partial<OfferView> = {}): OfferView => ({
  seat: 'blue',
  kind: 'draw',
  accepted: [],
  clock: null,
  text: [],
  frame: -1,
  hand: '',
  program: '',
  name: '',
  ...more,
});
const seats = (view: View, change: Record<string, Partial<View['seats'][string]>>): View => ({
  ...view,
  seats: Object.fromEntries(
    Object.entries(view.seats).map(([seat, is]) => [seat, { ...is, ...change[seat] }]),
  ) as View['seats'],
});
const OVER = { winner: '', reason: '', rule: '', how: 'agreement' as const };

describe('offers', () => {
  it('are said of who makes them', () => {
    expect(offerSentence(offer(), 'Blue (Ann)', false)).toBe('Blue (Ann) offers a draw.');
    expect(offerSentence(offer(), 'Blue (Ann)', true)).toBe('You offer a draw.');
    expect(offerSentence(offer({ kind: 'clock' }), 'Ann', false)).toBe('Ann offers to go on without a clock.');
    const clock = { kind: 'live', bank: 600, increment: 5 } as const;
    expect(offerSentence(offer({ kind: 'clock', clock }), 'Ann', false)).toBe(
      'Ann offers another clock: 10 min each, 5 s more a decision.',
    );
  });

  it('say who would play a seat', () => {
    const leave = offer({ kind: 'hand_over', hand: 'blue', program: 'weak', name: 'Weak (computer)' });
    expect(offerSentence(leave, 'Blue (Ann)', false)).toBe(
      'Blue (Ann) wants Weak (computer) to play on in their place.',
    );
    expect(offerSentence({ ...leave, hand: 'red' }, 'Ann', true)).toBe(
      'You want Weak (computer) to play on for a player who does not decide.',
    );
    expect(offerSentence({ ...leave, program: '' }, 'Ann', false)).toBe(
      'Ann wants to play again, in the place of the computer.',
    );
    // Who does not decide, and who is a program, is not asked.
    expect(awaitedBy(manySides(), { ...leave, hand: 'red' })).toEqual(['green']);
    expect(awaitedBy(seats(manySides(), { green: { program: 'weak' } }), leave)).toEqual(['red']);
  });

  it('wait for all the others who still play', () => {
    const view = manySides();
    expect(awaitedBy(view, offer())).toEqual(['red', 'green']);
    expect(awaitedBy(view, offer({ accepted: ['red'] }))).toEqual(['green']);
    expect(awaitedBy(seats(view, { green: { conceded: true } }), offer({ accepted: ['red'] }))).toEqual([]);
    expect(awaitedBy({ ...view, result: OVER }, offer())).toEqual([]);
    const open = { ...view, offers: { 1: offer({ accepted: ['red'] }) } };
    const to = (...seats: string[]) => offered(open, { places: seats.map((seat) => ({ seat })) });
    expect([to('blue'), to('red'), to('blue', 'green'), to('')]).toEqual([false, false, true, false]);
  });
});

describe('the game', () => {
  const clock: ClockView = {
    terms: { kind: 'live', bank: 60, at_zero: 'claim' },
    at: 0,
    remaining: {},
    allowance: {},
    away: [],
    paused: false,
    up: ['red'],
  };

  it('may be claimed by another side than the one whose time is up', () => {
    const view = { ...manySides(), clock };
    expect(claimants(view, ['blue', 'red', 'green'])).toEqual(['blue', 'green']);
    expect(claimants(view, [''])).toEqual([]);
    expect(claimants({ ...view, clock: { ...clock, up: [] } }, ['blue'])).toEqual([]);
    expect(claimants({ ...view, result: OVER }, ['blue'])).toEqual([]);
    expect(claimants(seats(view, { blue: { conceded: true } }), ['blue', 'green'])).toEqual(['green']);
  });

  it('is played by seats that have not given up, once all are taken', () => {
    expect([plays(VIEW, 'b'), plays(VIEW, ''), complete(VIEW)]).toEqual([true, false, true]);
    expect(complete(seats(VIEW, { r: { name: '' } }))).toBe(false);
    const ready = (b: boolean, r: boolean) => begun(seats(VIEW, { b: { ready: b }, r: { ready: r } }));
    expect([ready(true, false), ready(true, true)]).toEqual([false, true]);
  });
});
