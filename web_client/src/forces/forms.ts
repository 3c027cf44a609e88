/** What forces of an edition are put together from, and ready ones: fetched once. */
import type { Force, ForceForm } from '../lib/protocol';

export interface Forms {
  form: ForceForm;
  ready: Force[];
  /** The editions whose forces can be made into forces of this one. */
  converts: string[];
}

const fetched = new Map<string, Promise<Forms>>();

/** An edition's form and ready forces; a failed attempt is not remembered. Rejects with a sentence. */
export function formsOf(edition: string): Promise<Forms> {
  let forms = fetched.get(edition);
  if (!forms) {
    forms = load(edition);
    forms.catch(() => fetched.delete(edition));
    fetched.set(edition, forms);
  }
  return forms;
}

async function load(edition: string): Promise<Forms> {
  let answer: Response;
  try {
    answer = await fetch(`/forces/${encodeURIComponent(edition)}.json`);
  } catch {
    throw new Error('The server does not answer. Reload the page to fetch again what can be in a force.');
  }
  if (answer.status === 404) throw new Error(`No forces can be put together for ${edition} on this server.`);
  if (!answer.ok) throw new Error(`What can be in a force of ${edition} could not be fetched.`);
  return (await answer.json()) as Forms;
}
