/** Files that people hand on: JSON, or TOML for those who write by hand. */

/** A file that cannot be read; the message is a sentence for people. */
export class BadFile extends Error {}

/**
 * What a file's text holds, not looked at yet.
 *
 * `most` is how many characters are read, `what` what it should be ("a force"). Throws BadFile.
 */
export async function readFile(content: string, most: number, what: string): Promise<unknown> {
  if (content.length > most) throw new BadFile(`The file is too large to be ${what}.`);
  const bare = content.replace(/^\uFEFF/, '').trim();
  if (bare === '') throw new BadFile('The file is empty.');
  return bare.startsWith('{') ? json(bare) : toml(bare);
}

function json(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    throw new BadFile('The file looks like JSON, but it is incomplete.');
  }
}

async function toml(content: string): Promise<unknown> {
  // Few bring anything as TOML: the reader comes when it is needed.
  const { parse, TomlError } = await import('smol-toml');
  try {
    return parse(content);
  } catch (reason) {
    const line = reason instanceof TomlError ? ` Line ${reason.line} cannot be read.` : '';
    throw new BadFile(`The file is neither JSON nor TOML.${line}`);
  }
}

/** The name of a thing as part of a file's name; `otherwise` if nothing of it can stand there. */
export function plainName(name: string, otherwise: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain || otherwise;
}
