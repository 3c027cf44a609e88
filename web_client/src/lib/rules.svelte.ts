/** The rule reference of an edition, fetched once, and the rule that is being read in a dialog. */
export interface RuleText {
  id: string;
  title: string;
  chapter: string;
  text: string;
  /** Where other editions differ. */
  elsewhere: readonly Elsewhere[];
}

/** What holds in another edition: its id and name, its entry ("" if it has none), and a sentence. */
export interface Elsewhere {
  edition: string;
  name: string;
  rule: string;
  text: string;
}

export interface Reference {
  edition: string;
  rules: RuleText[];
}

class Rules {
  /** The rule shown in the dialog; null when it is closed. */
  reading = $state.raw<{ edition: string; rule: string } | null>(null);
  private readonly books = new Map<string, Promise<Reference>>();

  /** An edition's reference; a failed attempt is not remembered. */
  book(edition: string): Promise<Reference> {
    let book = this.books.get(edition);
    if (!book) {
      book = load(edition);
      book.catch(() => this.books.delete(edition));
      this.books.set(edition, book);
    }
    return book;
  }

  read(edition: string, rule: string): void {
    this.reading = { edition, rule };
  }

  shut(): void {
    this.reading = null;
  }
}

async function load(edition: string): Promise<Reference> {
  const answer = await fetch(`/rules/${encodeURIComponent(edition)}.json`);
  if (!answer.ok) throw new Error(`The rules of ${edition} could not be loaded.`);
  return (await answer.json()) as Reference;
}

export const rules = new Rules();

/** A rule's id with its edition in front, as the reference has it. */
export const fullRule = (edition: string, rule: string): string => (rule.includes('/') ? rule : `${edition}/${rule}`);
