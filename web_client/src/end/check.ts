/**
 * Checking a match file in the browser: the chain of its entries, the shares of the dice, and every die anew.
 *
 * A check is a generator that yields after each small piece of work, so that its caller can show how far it is. What
 * is claimed, and what is not, stands in docs/dice.md.
 */
import { sha256 } from '../lib/sha256';
import { fromHex, hex } from '../lib/wire';
import {
  Fault,
  isFields,
  listed,
  readFile,
  textIn,
  type Entry,
  type Fields,
  type MatchFile,
  type Signature,
} from './archive';
import { derive, diceContext, type Derived } from './die';

const START = '0'.repeat(64);
const HEX32 = /^[0-9a-f]{64}$/;

/**
 * What dice hang on from some entry on: the commitment to the server's secret and the seats' shares. A match that was taken
 * over by another server has several, one after the other.
 */
export interface Source {
  commitment: string;
  /** In hexadecimal; "" if it was never published. */
  secret: string;
  digests: Map<string, string>;
  randomness: Map<string, string>;
}

/** One roll: dice that fell together. */
export interface Roll {
  entry: number;
  stream: string;
  first: number;
  sides: number;
  faces: readonly number[];
  source: Source;
  context: string;
}

/** How far a check is: entries of the chain, then dice. */
export interface Progress {
  stage: 'entries' | 'dice';
  done: number;
  of: number;
}

/** The result of a check. */
export interface Report {
  match: string;
  title: string;
  entries: number;
  head: string;
  /** The hashes of the entries, in order. */
  hashes: readonly string[];
  /** Who has signed the file, and for which entries; whether the signatures are valid is not checked here. */
  signatures: readonly Signature[];
  /** The sources of the dice, in order. */
  sources: readonly Source[];
  /** Every roll of the log. */
  rolls: readonly Roll[];
  /** Dice that were made again and are right. */
  right: number;
  /** Dice whose secret was never published. */
  open: number;
  /** Dice of the match that this one goes on from. */
  inherited: number;
  /** The first thing that is wrong; null if nothing is. */
  fault: Fault | null;
}

/** Checks a file, piece by piece. */
export function* check(bytes: Uint8Array): Generator<Progress, Report> {
  const hashes: string[] = [];
  const report: Report & { rolls: Roll[] } = {
    match: '',
    title: '',
    entries: 0,
    head: '',
    hashes: [],
    signatures: [],
    sources: [],
    rolls: [],
    right: 0,
    open: 0,
    inherited: 0,
    fault: null,
  };
  try {
    const file = readFile(bytes);
    report.head = file.head;
    report.signatures = file.signatures;
    report.hashes = hashes;
    yield* checkChain(file, hashes);
    report.entries = hashes.length;
    const log = new Log(file);
    report.match = log.match;
    report.title = log.title;
    report.inherited = log.inherited;
    for (const entry of file.entries.slice(1)) log.take(entry);
    report.sources = log.sources;
    report.rolls = log.rolls;
    yield* checkDice(log.rolls, report);
  } catch (reason) {
    if (!(reason instanceof Fault)) throw reason;
    report.fault = reason;
  }
  return report;
}

/** Each entry carries the hash of the one before it, and the file that of the last. */
function* checkChain({ entries, head }: MatchFile, hashes: string[]): Generator<Progress, void> {
  const fits: boolean[] = [];
  for (const [i, { number, bytes }] of entries.entries()) {
    if (number !== i + 1) throw new Fault(i + 1, `it says that it is entry ${number}.`);
    const hash = hex(sha256(bytes));
    hashes.push(hash);
    fits.push(hash === (entries[i + 1]?.prev ?? head));
    // A wrong hash means that one of two entries was changed; the next hash says which.
    if (i > 0 && !fits[i - 1]) throw changed(fits[i] ? i : i + 1);
    yield { stage: 'entries', done: i + 1, of: entries.length };
  }
  if (!fits[entries.length - 1]) throw changed(entries.length);
  if (entries[0]!.prev !== START) throw new Fault(1, 'it does not say that it is the first entry.');
}

const changed = (entry: number): Fault =>
  new Fault(entry, 'its hash is not the one that the next entry gives for it: it was changed.');

function* checkDice(rolls: readonly Roll[], report: Report): Generator<Progress, void> {
  const of = rolls.reduce((sum, roll) => sum + roll.faces.length, 0);
  for (const roll of rolls) {
    for (const [place, face] of roll.faces.entries()) {
      if (roll.source.secret === '') {
        report.open++;
      } else {
        const right = made(roll, place).face;
        if (face !== right) {
          throw new Fault(
            roll.entry,
            `it shows ${face}, but the secret gives ${right}.`,
            roll.stream,
            roll.first + place,
          );
        }
        report.right++;
      }
      yield { stage: 'dice', done: report.right + report.open, of };
    }
  }
}

/** A die of a roll, made from the numbers that were fixed before it fell. */
export function made(roll: Roll, place: number): Derived {
  return derive(fromHex(roll.source.secret), roll.context, roll.stream, roll.first + place, roll.sides);
}

/** The form in which matches are begun now (docs/dice.md); the first form had no number. */
const NEWEST_FORM = 2;

/** The dice of a log, collected entry by entry. */
class Log {
  readonly match: string;
  readonly title: string;
  readonly inherited: number;
  readonly sources: Source[] = [];
  readonly rolls: Roll[] = [];
  private readonly secrets: readonly string[];
  private readonly counters = new Map<string, number>();

  constructor(file: MatchFile) {
    const opened = file.entries[0]!.body;
    if (opened.type !== 'opened') throw new Fault(1, 'it does not open a match.');
    if (opened.form !== undefined && opened.form !== NEWEST_FORM) {
      throw new Fault(
        1,
        'the match is written in a form that this page does not know. Reload the page, and check it again.',
      );
    }
    this.match = textIn(opened, 'match');
    this.title = textIn(opened, 'title');
    this.inherited = listed(opened, 'since').reduce((sum: number, body) => sum + fallenIn(body), 0);
    const told = file.entries.flatMap(({ number, body }) => published(body).map((secret) => ({ number, secret })));
    this.secrets = told.map(({ secret }) => secret);
    if (file.secret !== '' && !this.secrets.includes(file.secret)) {
      throw new Fault(0, 'the dice secret is not the one that the log publishes.');
    }
    const commitments = file.entries.flatMap(({ body }) => committed(body));
    const wrong = told.find(({ secret }) => !commitments.includes(hash(secret)));
    if (wrong)
      throw new Fault(
        wrong.number,
        'the dice secret is not the one that the server committed to before the dice fell.',
      );
    this.begin(1, textIn(opened, 'commitment'));
  }

  /** Takes in what an entry says of the dice: shares in an aside, rolls in a step. */
  take({ number, body }: Entry): void {
    switch (body.type) {
      case 'aside':
        for (const fact of listed(body, 'facts')) if (isFields(fact)) this.hear(number, fact);
        return;
      case 'step':
        for (const roll of listed(body, 'rolls')) this.fall(number, roll);
        return;
    }
  }

  private get source(): Source {
    return this.sources.at(-1)!;
  }

  private begin(entry: number, commitment: string): void {
    if (!HEX32.test(commitment)) throw new Fault(entry, 'it does not commit to a dice secret.');
    const secret = this.secrets.find((each) => hash(each) === commitment) ?? '';
    this.sources.push({ commitment, secret, digests: new Map(), randomness: new Map() });
  }

  private hear(entry: number, fact: Fields): void {
    const seat = textIn(fact, 'seat');
    const { digests, randomness } = this.source;
    switch (fact.type) {
      case 'committed':
        if (randomness.size > 0) {
          throw new Fault(entry, `${seat} commits to a share of the dice after other shares were revealed.`);
        }
        digests.set(seat, textIn(fact, 'digest'));
        return;
      case 'randomness': {
        const share = textIn(fact, 'randomness');
        if (randomness.has(seat) || !digests.has(seat)) {
          throw new Fault(entry, `${seat} reveals a share of the dice out of turn.`);
        }
        if (hash(share) !== digests.get(seat)) {
          throw new Fault(entry, `${seat}’s share of the dice is not the one that it committed to.`);
        }
        randomness.set(seat, share);
        return;
      }
      case 'dice_renewed':
        this.begin(entry, textIn(fact, 'commitment'));
    }
  }

  private fall(entry: number, roll: unknown): void {
    const [stream, first, sides, faces] = Array.isArray(roll) ? (roll as unknown[]) : [];
    if (typeof stream !== 'string' || typeof first !== 'number' || typeof sides !== 'number' || !Array.isArray(faces)) {
      throw new Fault(entry, 'its dice cannot be read.');
    }
    const { digests, randomness } = this.source;
    if (randomness.size === 0 || digests.size !== randomness.size) {
      throw new Fault(entry, 'a die falls before every seat has revealed its share of the dice.', stream, first);
    }
    if (first !== (this.counters.get(stream) ?? 0))
      throw new Fault(entry, 'it is not the next die of its stream.', stream, first);
    this.counters.set(stream, first + faces.length);
    const context = diceContext(this.match, randomness);
    this.rolls.push({ entry, stream, first, sides, faces: faces as number[], source: this.source, context });
  }
}

/** How many dice fell in a step. */
function fallenIn(body: unknown): number {
  if (!isFields(body)) return 0;
  const counts = listed(body, 'rolls').map((roll) =>
    Array.isArray(roll) && Array.isArray(roll[3]) ? roll[3].length : 0,
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The facts of a kind in an entry of the desk; none in other entries. */
function facts(body: Fields, kind: string): Fields[] {
  if (body.type !== 'aside') return [];
  return listed(body, 'facts').filter((fact): fact is Fields => isFields(fact) && fact.type === kind);
}

/** The dice secrets that an entry publishes. */
const published = (body: Fields): string[] => facts(body, 'secret').map((fact) => textIn(fact, 'secret'));

/** The dice secrets that an entry commits to. */
const committed = (body: Fields): string[] =>
  [...(body.type === 'opened' ? [body] : []), ...facts(body, 'dice_renewed')].map((each) => textIn(each, 'commitment'));

/** The SHA-256 of bytes in hexadecimal; "" if the text is not 32 bytes in hexadecimal. */
const hash = (text: string): string => (HEX32.test(text) ? hex(sha256(fromHex(text))) : '');
