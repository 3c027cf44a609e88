/** The match that another one goes on from, by the sentence that says where it comes from; null if there is none. */
export const otherMatch = (origin: string): string | null => /of the match ([\w-]+)\.$/.exec(origin)?.[1] ?? null;
