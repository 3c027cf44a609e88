import { describe, expect, it } from 'vitest';
import type { View } from '../../lib/protocol';
import { manySides } from '../../lib/views.fixture';
import { awaited, deciding } from './deciding';

type State = Partial<View['seats'][string]>;

/** The three sides' battle, with these seats as told. */
function battle(states: Record<string, State>): View {
  const view = manySides();
  const seats = Object.entries(view.seats).map(([seat, is]) => [seat, { ...is, asked: false, ...states[seat] }]);
  return { ...view, seats: Object.fromEntries(seats) as View['seats'] };
}

const said = (states: Record<string, State>, seat = 'blue', hotSeat = false): string =>
  deciding({ view: battle(states), seat, revealed: ['blue', 'red', 'green'] }, hotSeat);

describe('who decides, among three', () => {
  it('is waited for by name before all seats are taken', () => {
    expect(said({ red: { name: '' } })).toBe('Waiting for a player for Red');
    expect(said({ red: { name: '' }, green: { name: '' } })).toBe('Waiting for players for Red and Green');
  });

  it('is one of them, or several', () => {
    expect(said({ red: { asked: true } })).toBe('Red (Bo) decides');
    expect(said({ red: { asked: true }, green: { asked: true } })).toBe('Red (Bo) and Green (Cy) decide');
    expect(said({ blue: { asked: true }, red: { asked: true }, green: { asked: true } })).toBe(
      'You, Red and Green decide',
    );
  });

  it('is each seat that has not answered yet', () => {
    const answered = { asked: true, sealed: true };
    const asked = { asked: true };
    expect(said({ blue: answered, red: asked, green: asked })).toBe('Waiting for Red and Green');
    expect(said({ blue: answered, red: answered, green: asked })).toBe('Waiting for Green');
    expect(said({ blue: answered, red: answered, green: asked }, '')).toBe('Green (Cy) decides');
    expect(said({ blue: answered, red: asked, green: asked }, 'blue', true)).toBe('Red and Green decide');
    expect(awaited(battle({ blue: answered, red: asked, green: answered }), 'blue')).toBe('Red');
    expect(awaited(battle({ blue: answered }), 'blue')).toBe('the others');
  });
});
