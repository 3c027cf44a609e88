/** Reading a match file: its entries with their bytes, over which the chain of hashes goes. */
import { decode } from '@msgpack/msgpack';
import { hex } from '../lib/wire';

export const FORMAT = 'underfire match 1';
/** The format of files that carry signatures; there is no other difference. */
export const SIGNED = 'underfire match 2';

/** What is wrong in a file, and where: the entry counted from 1 (0: around the entries); the die, if it is one. */
export class Fault extends Error {
  constructor(
    readonly entry: number,
    readonly sentence: string,
    readonly stream = '',
    readonly die = -1,
  ) {
    const place = entry > 0 ? `Entry ${entry}` : 'The file';
    const which = die < 0 ? '' : `, die ${die}${stream && ` of the stream ${stream}`}`;
    super(`${place}${which}: ${sentence}`);
  }
}

export type Fields = Readonly<Record<string, unknown>>;

/** An entry of a log. `body` is a tagged map; `prev` the hash of the entry before it, in hexadecimal. */
export interface Entry {
  number: number;
  at: number;
  prev: string;
  body: Fields;
  bytes: Uint8Array;
}

export interface MatchFile {
  entries: Entry[];
  /** The hash of the last entry, in hexadecimal. */
  head: string;
  /** The dice secret in hexadecimal; "" while it is not published. */
  secret: string;
  /** Who has signed it, and for which entries; whether the signatures are valid is not checked here. */
  signatures: readonly Signature[];
}

export interface Signature {
  /** The public key, in hexadecimal. */
  key: string;
  first: number;
  last: number;
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

/** A list in a field; empty if there is none. */
export const listed = (fields: Fields, key: string): readonly unknown[] => {
  const value = fields[key];
  return Array.isArray(value) ? value : [];
};

/** A text in a field; "" if there is none. */
export const textIn = (fields: Fields, key: string): string => {
  const value = fields[key];
  return typeof value === 'string' ? value : '';
};

/** The match in a file. Throws a `Fault` if it is not a match file. */
export function readFile(bytes: Uint8Array): MatchFile {
  const file = unpacked(bytes, 0, 'it is not a match file, or it is damaged.');
  if (!isFields(file) || (file.format !== FORMAT && file.format !== SIGNED)) {
    throw new Fault(0, 'it is not a match file that this page can read.');
  }
  const { entries, head, secret } = file;
  const signatures = listed(file, 'signatures').map(readSignature);
  if (!Array.isArray(entries) || entries.length === 0) throw new Fault(0, 'it holds no entries.');
  if (!(head instanceof Uint8Array) || typeof secret !== 'string') {
    throw new Fault(0, 'a part of it is missing or damaged.');
  }
  const fields = signatures.length > 0 ? 5 : 4;
  if (Object.keys(file).length !== fields || (file.format === SIGNED) !== signatures.length > 0) {
    throw new Fault(0, 'a part of it is missing or damaged.');
  }
  return { entries: entries.map((entry, i) => readEntry(entry, i + 1)), head: hex(head), secret, signatures };
}

function readSignature(value: unknown): Signature {
  const { key, first, last } = isFields(value) ? value : {};
  if (!(key instanceof Uint8Array) || typeof first !== 'number' || typeof last !== 'number') {
    throw new Fault(0, 'a signature in it is damaged.');
  }
  return { key: hex(key), first, last };
}

function readEntry(bytes: unknown, number: number): Entry {
  if (!(bytes instanceof Uint8Array)) throw new Fault(number, 'it is damaged.');
  const envelope = unpacked(bytes, number, 'it is damaged.');
  if (!Array.isArray(envelope) || envelope.length !== 6) throw new Fault(number, 'it is damaged.');
  const [own, , at, , prev, body] = envelope as unknown[];
  if (typeof own !== 'number' || typeof at !== 'number' || !(prev instanceof Uint8Array) || !isFields(body)) {
    throw new Fault(number, 'it is damaged.');
  }
  return { number: own, at, prev: hex(prev), body, bytes };
}

function unpacked(bytes: Uint8Array, entry: number, sentence: string): unknown {
  try {
    return decode(bytes);
  } catch {
    throw new Fault(entry, sentence);
  }
}
