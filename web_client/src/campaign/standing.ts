/** How the map of a campaign stands: who holds what, where forces stand, which battles are open, and where one's own may go. */
import { colourAt } from '../lib/colours';
import type { FixtureView, LeagueView, MapArea, MapForce } from '../lib/protocol';
import type { ChartArea, Flag } from './chart';

/** Signs of players, of one letter or two, which differ from each other; colours alone never tell them apart. */
export function signs(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name, at) => {
    const letters = [...name.replaceAll(/[^\p{L}\p{N}]/gu, '').toUpperCase()];
    const first = letters[0] ?? '?';
    const wishes = [first, ...letters.slice(1).map((letter) => first + letter), `${first}${at + 1}`];
    const sign = wishes.find((wish) => !taken.has(wish)) ?? String(at + 1);
    taken.add(sign);
    return sign;
  });
}

/** The signs of a league's players, by their keys, in the order in which they joined. Those of one side have one colour. */
export function flags(league: LeagueView): Map<string, Flag> {
  const players = league.players ?? [];
  const told = signs(players.map(({ name }) => name));
  return new Map(
    players.map(({ key, name, side = 0 }, at) => [
      key,
      {
        key,
        name,
        sign: told[at]!,
        colour: colourAt(side ? side - 1 : at),
        own: key === league.you,
        side: league.terms.sides?.[side - 1] ?? '',
      },
    ]),
  );
}

/** One's own force; undefined where there is none on the map. */
export const ownForce = (league: LeagueView): MapForce | undefined =>
  (league.map?.forces ?? []).find(({ player }) => player === league.you);

/** The battles of this turn that are not over, with their areas. */
export function openBattles(league: LeagueView): { fixture: FixtureView; area: string }[] {
  return (league.map?.battles ?? []).flatMap(({ fixture: number, area }) => {
    const fixture = (league.fixtures ?? []).find((each) => each.number === number);
    return fixture && fixture.state !== 'over' ? [{ fixture, area }] : [];
  });
}

/** The area of a fixture; undefined where it is fought for none. */
export function areaOf(league: LeagueView, fixture: number): MapArea | undefined {
  const area = league.map?.battles?.find((each) => each.fixture === fixture)?.area;
  return league.terms.map?.areas.find(({ id }) => id === area);
}

/** Where one's force may be ordered now, its own area first, to stay; empty where no order is due. */
export function choices(league: LeagueView): MapArea[] {
  const { map, terms } = league;
  const own = ownForce(league);
  if (!terms.map || map?.phase !== 'orders' || !own || own.engaged || league.state === 'over') return [];
  const near = terms.map.routes.flatMap(([one, other]) =>
    one === own.area ? [other] : other === own.area ? [one] : [],
  );
  return [own.area, ...near].flatMap((id) => terms.map!.areas.find((each) => each.id === id) ?? []);
}

/** The names of the players whose orders are still to come. */
export const missing = (league: LeagueView): string[] =>
  (league.map?.forces ?? [])
    .filter(({ ordered }) => !ordered)
    .map(({ player }) => league.players?.find(({ key }) => key === player)?.name ?? 'A player');

/** The map's areas as they are drawn. */
export function standing(league: LeagueView): ChartArea[] {
  const { terms, map } = league;
  const known = flags(league);
  const held = new Map(map?.held ?? []);
  const fought = new Set(openBattles(league).map(({ area }) => area));
  return (terms.map?.areas ?? []).map((area) => ({
    ...area,
    worth: area.worth ?? 1,
    holder: known.get(held.get(area.id) ?? '') ?? null,
    forces: (map?.forces ?? [])
      .filter((force) => force.area === area.id)
      .flatMap(({ player }) => known.get(player) ?? []),
    fought: fought.has(area.id),
    note: '',
  }));
}

/** What there is in an area, in a sentence: `Ford, worth 3. Held by Ann. Here: Ben. A battle.` */
export function areaWords({ name, worth, holder, forces, fought }: ChartArea): string {
  const said = [`${name}, worth ${worth}.`, holder ? `Held by ${holder.name}.` : 'Held by no player.'];
  if (forces.length > 0) said.push(`Here: ${forces.map((each) => each.name).join(', ')}.`);
  if (fought) said.push('A battle is fought here.');
  return said.join(' ');
}
