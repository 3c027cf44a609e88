/** Whether an assignment or a stop answers its parameter, as `checks.ts` does it for the other kinds. */
import type { AssignmentParameter, StopParameter } from '../lib/protocol';
import type { Fault } from './checks';

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
