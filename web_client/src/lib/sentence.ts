/** The sentence of an error; `otherwise` where something else was thrown. */
export const sentenceOf = (reason: unknown, otherwise = String(reason)): string =>
  reason instanceof Error ? reason.message : otherwise;
