/** Whether an assignment, a stop or a point answers its parameter, as `checks.ts` does it for the other kinds. */
import { atMost, contains, gap, inches, distance } from '../lib/geometry';
import { bears } from '../lib/hulls';
import type { AssignmentParameter, PointParameter, StopParameter, TableView, TerrainView, View } from '../lib/protocol';
import type { Fault } from './checks';
import { distanceTowards, standing } from './world';

/** What is wrong with giving these options to these rows: too few, too many, one of them too often. */
export function assignmentFaults(parameter: AssignmentParameter, given: Readonly<Record<string, string>>): Fault[] {
  const { least, most, limits } = parameter;
  const count = Object.keys(given).length;
  const wanted = least === most ? `${least}` : `${least} to ${most}`;
  if (count < least || count > most) return [{ sentence: `Give ${wanted}; ${count} given so far.`, rule: '' }];
  for (const [key, limit] of limits) {
    if (Object.values(given).filter((one) => one === key).length > limit) {
      return [{ sentence: `That may be given at most ${limit} times.`, rule: '' }];
    }
  }
  return [];
}

/** What is wrong with stopping at this place of the way. */
export function stopFaults(parameter: StopParameter, at: number): Fault[] {
  if (parameter.spans.some(([from, to]) => from <= at && at <= to)) return [];
  return [{ sentence: 'The unit cannot be stopped there.', rule: '' }];
}

/** The pieces of `shelters` in which those are not struck who stand there, since the point lies outside. */
export function shutAt(
  table: TableView,
  shelters: readonly string[],
  at: readonly [number, number],
): readonly TerrainView[] {
  return table.terrain.filter((piece) => shelters.includes(piece.id) && !piece.linear && !contains(piece.outline, at));
}

/**
 * What is wrong with aiming at this point. Whether it is in sight is not asked here: the server says so with the odds, and when the
 * answer is sent.
 */
export function pointFaults(
  view: View,
  table: TableView,
  parameter: PointParameter,
  at: readonly [number, number],
): Fault[] {
  const where: [number, number] = [at[0], at[1]];
  if (at[0] < 0 || at[1] < 0 || at[0] > table.width || at[1] > table.height) {
    return [{ sentence: 'The point must lie on the table.', rule: '', where }];
  }
  if (parameter.around !== null) {
    const off = distance(at, parameter.around);
    if (atMost(off, parameter.reach)) return [];
    const sentence = `${parameter.label}: that is ${inches(off, true)}" away, and ${inches(parameter.reach)}" is the limit.`;
    return [{ sentence, rule: parameter.reach_rule, where }];
  }
  const unit = view.units[parameter.unit];
  const gunner = standing(unit).find((figure) => figure.id === parameter.figure);
  const away = gunner ? distanceTowards(at, gunner) : 0;
  if (!atMost(away, parameter.reach)) {
    const limit = inches(parameter.reach);
    const sentence = `That point is ${inches(away, true)}" away; ${unit?.name ?? ''} reaches ${limit}" with it.`;
    return [{ sentence, rule: parameter.reach_rule, where }];
  }
  const anywhere = parameter.near.length === 0;
  const shut = shutAt(table, parameter.shelters, at);
  const caught = parameter.near.some((one) =>
    standing(view.units[one]).some(
      (figure) =>
        !figure.hull &&
        atMost(gap(at, 0, figure.at, figure.radius), parameter.radius) &&
        !shut.some((piece) => contains(piece.outline, figure.at)),
    ),
  );
  if (!anywhere && !caught) return [{ ...parameter.near_why, where }];
  const mount = unit?.mounts[parameter.mount];
  if (!gunner || !mount || bears(gunner, mount.middle, mount.spread, at)) return [];
  const sentence = `The ${parameter.label.toLowerCase()} does not bear on that point.`;
  return [{ sentence, rule: parameter.sight_rule, where }];
}
