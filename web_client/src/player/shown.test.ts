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

  it('of a test says its text', () => {
    expect(shownOf({ event: 'test', text: 'Here you are told.' }).body).toBe('Here you are told.');
  });
});
