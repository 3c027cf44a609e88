import { describe, expect, it } from 'vitest';
import { paths, route } from '../router.svelte';

describe('addresses of what comes after a match', () => {
  it.each(['blue', '', '*', 'a/b'])('name a step as %o saw it', (view) => {
    expect(route(paths.replay('m/1', view, 12))).toEqual({ page: 'replay', match: 'm/1', view, frame: 12 });
    expect(route(paths.replay('m/1', view))).toEqual({ page: 'replay', match: 'm/1', view, frame: null });
    expect(route(paths.fork('m/1', view, 0))).toEqual({ page: 'fork', match: 'm/1', view, frame: 0 });
  });

  it('are words that can be read', () => {
    expect(paths.replay('m', '', 3)).toBe('#/m/m/replay/watchers/3');
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
