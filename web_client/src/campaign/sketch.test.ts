import { describe, expect, it } from 'vitest';
import { READY } from './ready';
import { changed, fault, joined, mapOf, rehomed, scenarioOf, toggled, withArea, without, type Sketch } from './sketch';

const RIVER = READY[0]!.sketch;
const EMPTY: Sketch = { areas: [], routes: [], homes: [] };

describe('ready maps', () => {
  it.each(READY)('can be played on: $id', ({ sketch }) => {
    expect(fault(sketch)).toBe('');
    const ids = sketch.areas.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...sketch.homes, ...sketch.routes.flat()].filter((id) => !ids.includes(id))).toEqual([]);
  });
});

describe('a sketch', () => {
  it('gets new areas where there is free space, with names of their own', () => {
    const { sketch, area } = withArea(RIVER);
    expect(sketch.areas).toHaveLength(6);
    expect(sketch.areas.filter(({ id, name }) => id === area.id || name === area.name)).toHaveLength(1);
    expect(Math.min(...RIVER.areas.map(({ x, y }) => Math.hypot(x - area.x, y - area.y)))).toBeGreaterThan(200);
    const twice = withArea(without(withArea(sketch).sketch, area.id));
    expect(new Set(twice.sketch.areas.map(({ id }) => id)).size).toBe(twice.sketch.areas.length);
  });

  it('keeps areas within the map', () => {
    const moved = changed(RIVER, 'ford', { x: 1200, y: -3.4 });
    expect(moved.areas.find(({ id }) => id === 'ford')).toMatchObject({ x: 1000, y: 0, name: 'Ford' });
    expect(RIVER.areas.find(({ id }) => id === 'ford')).toMatchObject({ x: 500 });
  });

  it('loses the routes and the home of an area with it', () => {
    const left = without(RIVER, 'west');
    expect(left.routes.flat()).not.toContain('west');
    expect(left.homes).toEqual(['east']);
  });

  it('has a route between two areas once, and none from an area to itself', () => {
    expect(joined(RIVER, 'ford', 'west')).toBe(true);
    const cut = toggled(RIVER, 'ford', 'west');
    expect(joined(cut, 'west', 'ford')).toBe(false);
    expect(joined(toggled(cut, 'west', 'ford'), 'ford', 'west')).toBe(true);
    expect(toggled(RIVER, 'ford', 'ford')).toBe(RIVER);
  });

  it('has homes in the order in which they were chosen', () => {
    expect(rehomed(RIVER, 'ford').homes).toEqual(['west', 'east', 'ford']);
    expect(rehomed(rehomed(RIVER, 'west'), 'west').homes).toEqual(['east', 'west']);
  });

  it('says what forbids a campaign', () => {
    expect(fault(EMPTY)).toContain('two areas');
    expect(fault(changed(RIVER, 'ford', { name: '  ' }))).toContain('no name');
    expect(fault(changed(RIVER, 'ford', { name: ' WEIR' }))).toContain('Two areas');
    expect(fault(withArea(RIVER).sketch)).toBe('No route leads to Area 6 from West Farm: join them.');
    expect(fault(rehomed(RIVER, 'west'))).toContain('homes');
  });

  it('becomes a map whose areas have scenarios of the league', () => {
    const own = changed(RIVER, 'ford', { scenario: 'hill' });
    expect(scenarioOf(own, 'ford', ['duel', 'hill'])).toBe('hill');
    expect(scenarioOf(own, 'ford', ['duel'])).toBe('duel');
    const map = mapOf(changed(own, 'weir', { name: ' Weir ' }), ['duel', 'patrol']);
    expect(map.areas.map(({ scenario }) => scenario)).toEqual(['duel', 'patrol', 'duel', 'patrol', 'duel']);
    expect(map.areas[3]!.name).toBe('Weir');
    expect(map.homes).toEqual(['west', 'east']);
  });
});
