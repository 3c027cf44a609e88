import { describe, expect, it } from 'vitest';
import { paths, route } from './router.svelte';

describe('addresses', () => {
  it('go there and back', () => {
    expect(route('')).toEqual({ page: 'start' });
    expect(route(paths.start)).toEqual({ page: 'start' });
    expect(route(paths.match('m/1'))).toEqual({ page: 'match', match: 'm/1' });
    expect(route(paths.join('m', 'red', 'i n'))).toEqual({ page: 'join', match: 'm', seat: 'red', invite: 'i n' });
    expect(route(paths.join('m', 'red'))).toEqual({ page: 'join', match: 'm', seat: 'red', invite: '' });
    expect(route(paths.rules('fad', 'fad/turn.a'))).toEqual({ page: 'rules', edition: 'fad', rule: 'fad/turn.a' });
    expect(route(paths.about)).toEqual({ page: 'about' });
    expect(route(paths.leagues)).toEqual({ page: 'leagues', making: false });
    expect(route(paths.newLeague)).toEqual({ page: 'leagues', making: true });
    expect(route(paths.league('l/1'))).toEqual({ page: 'league', league: 'l/1', invite: '' });
    expect(route(paths.league('l', 'i n'))).toEqual({ page: 'league', league: 'l', invite: 'i n' });
    expect(route(paths.roster('l/1', 'k'))).toEqual({ page: 'roster', league: 'l/1', player: 'k' });
    expect(route(paths.me)).toEqual({ page: 'me', seed: '' });
    expect(route(paths.recover('0f'))).toEqual({ page: 'me', seed: '0f' });
    expect(route(paths.player('8a'))).toEqual({ page: 'player', key: '8a' });
    expect(route(paths.forces)).toEqual({ page: 'forces' });
    expect(route(paths.force('f/1'))).toEqual({ page: 'force', id: 'f/1' });
    expect(route(paths.shared('a-_9'))).toEqual({ page: 'shared', packed: 'a-_9' });
    expect(route(paths.play('fad', 'mine:f'))).toEqual({ page: 'start', edition: 'fad', pick: 'mine:f' });
    expect(route('#/nowhere').page).toBe('unknown');
    expect(route('#/m/%E0%A4%A').page).toBe('match');
  });
});

describe('addresses of what comes after a match', () => {
  it.each(['blue', '', '*', 'a/b'])('name a step as %o saw it', (view) => {
    expect(route(paths.replay('m/1', view, 12))).toEqual({ page: 'replay', match: 'm/1', view, frame: 12 });
    expect(route(paths.replay('m/1', view))).toEqual({ page: 'replay', match: 'm/1', view, frame: null });
    expect(route(paths.fork('m/1', view, 0))).toEqual({ page: 'fork', match: 'm/1', view, frame: 0 });
  });

  it('are words that can be read', () => {
    expect(paths.replay('m', '', 3)).toBe('#/m/m/replay/spectators/3');
    expect(paths.replay('m', '*', 3)).toBe('#/m/m/replay/all/3');
    expect(paths.replay('m')).toBe('#/m/m/replay');
  });

  it('leave out what is not said, and take no nonsense for a step', () => {
    expect(route(paths.replay('m'))).toEqual({ page: 'replay', match: 'm', view: null, frame: null });
    expect(route('#/m/m/replay/all/-4')).toEqual({ page: 'replay', match: 'm', view: '*', frame: null });
    expect(route('#/fork/m/all/soon').page).toBe('unknown');
    expect(route(paths.end('m'))).toEqual({ page: 'end', match: 'm' });
    expect(route(paths.positions)).toEqual({ page: 'positions' });
    expect(route(paths.position('p/2'))).toEqual({ page: 'position', id: 'p/2' });
  });
});
