/** The notice that the server gives: authors and licenses. */
export interface Passage {
  /** Empty where a passage has none. */
  title: string;
  text: string;
}

/** The passages of a text: blank lines stand between them, and the indented lines of one are told under those before. */
export function passages(text: string): Passage[] {
  return text
    .split(/\n\s*\n/)
    .filter((block) => block.trim() !== '')
    .map((block) => {
      const lines = block.split('\n');
      const indented = lines.filter((line) => /^\s/.test(line));
      const others = lines.filter((line) => !/^\s/.test(line));
      return indented.length > 0
        ? { title: joined(others), text: joined(indented) }
        : { title: '', text: joined(others) };
    });
}

const joined = (lines: readonly string[]): string =>
  lines
    .map((line) => line.trim())
    .filter(Boolean)
    .join(' ');

export async function fetchNotice(): Promise<Passage[]> {
  const answer = await fetch('/notice.txt');
  if (!answer.ok) throw new Error('The notice could not be loaded.');
  return passages(await answer.text());
}
