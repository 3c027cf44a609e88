/** By which keys the server signs files of matches: public halves, in hexadecimal. */
export interface Signers {
  /** Empty if files are not signed. */
  current: string;
  /** Those that were used before, the newest first. */
  older: string[];
}

export async function fetchSigners(): Promise<Signers> {
  const answer = await fetch('/signers.json');
  if (!answer.ok) throw new Error('The keys could not be loaded.');
  return (await answer.json()) as Signers;
}
