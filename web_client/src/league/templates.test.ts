import { describe, expect, it } from 'vitest';
import { TEMPLATES } from './templates';

describe('templates of leagues', () => {
  it('are one for each format', () => {
    expect(TEMPLATES.map(({ fills }) => fills.format).sort()).toEqual([
      'elimination',
      'free',
      'ladder',
      'map',
      'round_robin',
      'swiss',
    ]);
  });

  it('say how many rounds there are where the format does not', () => {
    for (const { fills } of TEMPLATES) expect(fills.rounds > 0).toBe(['swiss', 'map'].includes(fills.format));
  });
});
