import { LONGEST } from '../lib/protocol';

/** A name that is not taken and at most so long: `Woods`, `Woods 2` ... */
export function freeName(wish: string, taken: Iterable<string>, most: number = LONGEST.Name): string {
  const all = new Set(taken);
  if (!all.has(wish)) return wish;
  const bare = wish.replace(/ \d+$/, '');
  for (let n = 2; ; n++) {
    const end = ` ${n}`;
    const next = bare.slice(0, most - end.length) + end;
    if (!all.has(next)) return next;
  }
}
