import { describe, expect, it } from 'vitest';
import { paths, route } from '../../lib/router.svelte';
import { holding, keepToken } from '../../lib/storage';
import { share } from './dice';

describe('the address of a seat', () => {
  it('offers a seat to this browser, with its share of the dice, and changes nothing by that', () => {
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
