import { describe, expect, it } from 'vitest';
import { shownOf } from './shown';

const wait = (match: string, title: string) => ({ match, title, side: 'Blue platoon', turn: 3 });

describe('a notice', () => {
  it('of one decision says where and leads there', () => {
    const shown = shownOf({ event: 'your_turn', text: 'x', waits: [wait('k3 v9', 'Ridge Farm')] });
    expect(shown.title).toBe('It is your turn');
    expect(shown.body).toBe('Ridge Farm: Blue platoon, turn 3');
    expect(shown.path).toBe('/#/m/k3%20v9');
  });

  it('of several counts them and leads to the start page', () => {
    const waits = [wait('a', 'Ridge Farm'), wait('b', 'Toll Bridge'), wait('c', 'Ridge Farm')];
    const shown = shownOf({ event: 'your_turn', text: 'x', waits });
    expect([shown.title, shown.body, shown.path]).toEqual(['3 decisions wait for you', 'Ridge Farm, Toll Bridge', '/']);
  });

  it('of a deadline says which and leads to the league', () => {
    const text =
      'Your match against Bo in Autumn is to be played until 2026-12-05 00:06 UTC. https://x.org/#/league/8h2m';
    const shown = shownOf({ event: 'deadline', text, league: '8h2m', name: 'Autumn', fixture: 3 });
    expect(shown.title).toBe('A deadline nears: Autumn');
    expect(shown.body).toBe('Your match against Bo in Autumn is to be played until 2026-12-05 00:06 UTC.');
    expect([shown.tag, shown.path]).toEqual(['league-8h2m-3', '/#/league/8h2m']);
  });

  it('of a test says its text', () => {
    expect(shownOf({ event: 'test', text: 'Here you are told.' }).body).toBe('Here you are told.');
  });
});
