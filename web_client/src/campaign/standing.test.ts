import { describe, expect, it } from 'vitest';
import type { LeagueView, MapView } from '../lib/protocol';
import { between, clipped, fromPixels, layout, toPixels } from './chart';
import { areaOf, areaWords, choices, missing, openBattles, signs, standing } from './standing';
import { phaseWords } from './words';

const [ANN, BEN] = ['a'.repeat(64), 'b'.repeat(64)];
const DAY = 86_400_000;

function league(map: Partial<MapView>, more: Partial<LeagueView> = {}): LeagueView {
  return {
    id: 'l',
    state: 'runs',
    organisers: [],
    made_at: 0,
    round: 2,
    you: ANN,
    players: [
      { key: ANN, name: 'Ann', force: null, total: 0 },
      { key: BEN, name: 'Ben', force: null, total: 0 },
    ],
    terms: {
      name: 'Valley',
      edition: 'toy',
      scenarios: ['duel'],
      format: 'map',
      map: {
        areas: [
          { id: 'west', name: 'West', x: 0, y: 500, scenario: 'duel' },
          { id: 'ford', name: 'Ford', x: 500, y: 500, scenario: 'duel', worth: 3 },
          { id: 'east', name: 'East', x: 1000, y: 500, scenario: 'duel' },
        ],
        routes: [
          ['west', 'ford'],
          ['east', 'ford'],
        ],
        homes: ['west', 'east'],
      },
    },
    map: {
      phase: 'orders',
      forces: [
        { player: ANN, home: 'west', area: 'west', ordered: true },
        { player: BEN, home: 'east', area: 'ford' },
      ],
      held: [['ford', BEN]],
      ...map,
    },
    ...more,
  };
}

describe('signs', () => {
  it('differ, whatever the players are called', () => {
    expect(signs(['Ann', 'Ben', 'Andy', 'ann', '', '!!'])).toEqual(['A', 'B', 'AN', 'A4', '?', '?6']);
  });
});

describe('a map', () => {
  it('tells what there is in each area', () => {
    const areas = standing(league({}));
    expect(areas.map(areaWords)).toEqual([
      'West, worth 1. Held by no player. Here: Ann.',
      'Ford, worth 3. Held by Ben. Here: Ben.',
      'East, worth 1. Held by no player.',
    ]);
  });

  it('lets a player order to the neighbouring areas, or to stay', () => {
    expect(choices(league({})).map(({ id }) => id)).toEqual(['west', 'ford']);
    expect(choices(league({}, { you: BEN })).map(({ id }) => id)).toEqual(['ford', 'west', 'east']);
    expect(choices(league({}, { you: '' }))).toEqual([]);
    expect(choices(league({}, { state: 'over' }))).toEqual([]);
    expect(choices(league({ phase: 'battles' }))).toEqual([]);
    expect(choices(league({ forces: [{ player: ANN, home: 'west', area: 'west', engaged: true }] }))).toEqual([]);
  });

  it('knows its open battles, and where old ones were fought', () => {
    const fought = league(
      {
        battles: [
          { fixture: 1, area: 'west' },
          { fixture: 2, area: 'ford' },
        ],
      },
      {
        fixtures: [
          { number: 1, round: 1, players: [ANN, BEN], scenario: 'duel', state: 'over' },
          { number: 2, round: 2, players: [ANN, BEN], scenario: 'duel' },
        ],
      },
    );
    expect(openBattles(fought).map(({ area }) => area)).toEqual(['ford']);
    expect(standing(fought).filter((each) => each.fought)).toHaveLength(1);
    expect(areaOf(fought, 1)?.name).toBe('West');
    expect(areaOf(fought, 9)).toBeUndefined();
    expect(phaseWords({ ...fought, map: { ...fought.map!, phase: 'battles' } }, 0)).toContain('One battle is');
  });

  it('says whose orders are still to come, and until when', () => {
    expect(missing(league({}))).toEqual(['Ben']);
    expect(phaseWords(league({ until: 3 * DAY }), DAY / 2)).toBe(
      'Turn 2: orders are given within 3 days. Still to come: Ben.',
    );
    expect(phaseWords(league({ phase: 'rest' }), 0)).toBe('Turn 2 is over.');
  });
});

describe('a drawing', () => {
  it('finds the place below a pixel again', () => {
    for (const width of [320, 800]) {
      const frame = layout(width);
      for (const place of [
        { x: 0, y: 0 },
        { x: 1000, y: 1000 },
        { x: 250, y: 730 },
      ])
        expect(fromPixels(frame, toPixels(frame, place))).toEqual(place);
      expect(fromPixels(frame, { x: -50, y: 9999 })).toEqual({ x: 0, y: 1000 });
    }
  });

  it('cuts long names and keeps arrows off the discs', () => {
    expect(clipped('Market Town', 11)).toBe('Market Town');
    expect(clipped('Market Town Square', 11)).toBe('Market Tow…');
    expect(between({ x: 0, y: 0 }, { x: 100, y: 0 }, 20)).toEqual({ from: { x: 20, y: 0 }, to: { x: 80, y: 0 } });
  });
});
