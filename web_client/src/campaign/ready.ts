/** Ready maps to begin with. */
import type { Sketch } from './sketch';

export interface ReadyMap {
  readonly id: string;
  readonly name: string;
  readonly sketch: Sketch;
}

type Place = readonly [id: string, name: string, x: number, y: number, worth: number];

function sketch(places: readonly Place[], routes: string, homes: string): Sketch {
  return {
    areas: places.map(([id, name, x, y, worth]) => ({ id, name, x, y, worth, scenario: '' })),
    routes: routes.split(' ').map((route) => {
      const [one, other] = route.split('-');
      return [one!, other!] as const;
    }),
    homes: homes.split(' '),
  };
}

export const READY: readonly ReadyMap[] = [
  {
    id: 'river',
    name: 'The river: two players',
    sketch: sketch(
      [
        ['west', 'West Farm', 0, 500, 1],
        ['bridge', 'Bridge', 330, 60, 2],
        ['ford', 'Ford', 500, 500, 3],
        ['weir', 'Weir', 670, 940, 2],
        ['east', 'East Farm', 1000, 500, 1],
      ],
      'west-bridge west-ford west-weir bridge-ford ford-weir bridge-east ford-east weir-east',
      'west east',
    ),
  },
  {
    id: 'valleys',
    name: 'Three valleys: three players',
    sketch: sketch(
      [
        ['north', 'North Valley', 500, 40, 1],
        ['west', 'West Valley', 0, 900, 1],
        ['east', 'East Valley', 1000, 900, 1],
        ['pass', 'Goat Pass', 230, 430, 2],
        ['woods', 'Old Woods', 770, 430, 2],
        ['mill', 'Mill', 500, 940, 2],
        ['town', 'Market Town', 500, 580, 4],
      ],
      'north-pass pass-west north-woods woods-east west-mill mill-east town-pass town-woods town-mill',
      'north west east',
    ),
  },
  {
    id: 'crossroads',
    name: 'The crossroads: four players',
    sketch: sketch(
      [
        ['northwest', 'North Camp', 0, 60, 1],
        ['northeast', 'East Camp', 1000, 60, 1],
        ['southeast', 'South Camp', 1000, 940, 1],
        ['southwest', 'West Camp', 0, 940, 1],
        ['ridge', 'Ridge', 500, 160, 2],
        ['quarry', 'Quarry', 910, 500, 2],
        ['station', 'Station', 500, 840, 2],
        ['chapel', 'Chapel', 90, 500, 2],
        ['cross', 'Crossroads', 500, 500, 4],
      ],
      'northwest-ridge ridge-northeast northeast-quarry quarry-southeast southeast-station station-southwest ' +
        'southwest-chapel chapel-northwest cross-ridge cross-quarry cross-station cross-chapel',
      'northwest southeast northeast southwest',
    ),
  },
];
