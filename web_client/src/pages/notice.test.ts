import { describe, expect, it } from 'vitest';
import { passages } from './notice';

describe('the notice', () => {
  it('is told in passages, those with indented lines under a title', () => {
    expect(passages('One\nand two.\n\n\nA game: free\n    by her,\n    with thanks.\n\n')).toEqual([
      { title: '', text: 'One and two.' },
      { title: 'A game: free', text: 'by her, with thanks.' },
    ]);
  });

  it('may be empty', () => {
    expect(passages('\n')).toEqual([]);
  });
});
