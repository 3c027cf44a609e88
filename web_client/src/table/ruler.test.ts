import { afterEach, describe, expect, it } from 'vitest';
import { viewer } from '../lib/measure.svelte';
import { view } from '../lib/views.fixture';
import { Ruler } from './ruler.svelte';

afterEach(() => (viewer.measure = 'inches'));

describe('a ruler', () => {
  it('that is already laid is read in the measure that the viewer chooses', () => {
    const ruler = new Ruler(() => view());
    ruler.toggle();
    ruler.lay([20000, 5000], 0);
    ruler.lay([23000, 9000], 0);
    expect(ruler.text).toBe('5″');
    viewer.measure = 'centimetres';
    expect(ruler.text).toBe('12.5\u00a0cm');
  });

  it('that has been drawn from one place to another stays, and the next point begins anew', () => {
    const ruler = new Ruler(() => view());
    ruler.toggle();
    ruler.lay([20000, 5000], 0);
    ruler.lay([23000, 9000], 0);
    ruler.end();
    ruler.point([40000, 40000], 0);
    expect(ruler.text).toBe('5″');
    ruler.lay([0, 0], 0);
    expect(ruler.marks).toHaveLength(1);
  });
});
