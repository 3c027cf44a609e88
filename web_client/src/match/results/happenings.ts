/** What happened at the table, action by action, as the log tells it: what the strip of results shows and the table draws. */
import type { Die, Story } from '../../lib/protocol';
import type { Strike } from '../../table/changes';
import type { Entry } from '../session/story';

/** One action and what it led to. */
export interface Happening {
  /** The frames of its first and its last line. */
  first: number;
  seq: number;
  /** The key of its first line in the log. */
  key: string;
  /** What was done, in the log's own sentence. */
  done: string;
  kind: string;
  side: string;
  dice: readonly Die[];
  /** What the first dice said, and what came of it: losses and markers. */
  outcomes: readonly string[];
  /** Whether figures or vehicles were lost. */
  lost: boolean;
  strikes: readonly Strike[];
  /** When its last line came live (0: it was recalled). */
  arrived: number;
}

/** Lines about what the units do. Others are about the desk, or only say whose turn it is. */
const AT_THE_TABLE = ['fire', 'assault', 'move', 'morale', 'loss', 'roll', 'end'];
const OUTCOMES = ['loss', 'morale', 'end'];

/** Whether a line says what a unit does, before the dice say how well. */
const declares = ({ kind, dice, units }: Story): boolean =>
  ['fire', 'assault', 'move'].includes(kind) && !dice?.length && (units?.length ?? 0) > 0;

/** How many actions one can look back at. */
export const MOST_HAPPENINGS = 20;

/** The last `most` actions in these lines that still stand, oldest first. */
export function happenings(entries: readonly Entry[], most = MOST_HAPPENINGS): Happening[] {
  const found: Happening[] = [];
  let held: Entry[] = [];
  const close = (): void => {
    if (held.length > 0) found.unshift(told(held));
    held = [];
  };
  for (let i = entries.length - 1; i >= 0 && found.length < most; i--) {
    const entry = entries[i]!;
    const { story } = entry;
    if (entry.undone || story.kind === 'chat') continue;
    if (AT_THE_TABLE.includes(story.kind)) held.unshift(entry);
    // A sentence of its own begins with what is declared; a move goes on with what is declared of its way.
    if (story.kind === 'turn' || (declares(story) && !goesOn(entries, i))) close();
  }
  if (found.length < most) close();
  return found;
}

/** Whether the line at `i` only says more of what the line before it declared of the same unit. */
function goesOn(entries: readonly Entry[], i: number): boolean {
  const [before, now] = [entries[i - 1], entries[i]!];
  return (
    before !== undefined &&
    !before.undone &&
    before.seq === now.seq &&
    declares(before.story) &&
    now.story.kind === 'move' &&
    before.story.units?.[0] === now.story.units?.[0]
  );
}

function told(lines: readonly Entry[]): Happening {
  const stories = lines.map(({ story }) => story);
  const [first, last] = [lines[0]!, lines.at(-1)!];
  const rest = stories.slice(1);
  const came = rest.filter(({ kind }) => OUTCOMES.includes(kind));
  const rolled = rest.flatMap(({ dice, text }) => (dice?.length ? [result(text)] : []));
  return {
    first: first.seq,
    seq: last.seq,
    key: first.key,
    done: first.story.text,
    kind: first.story.kind,
    side: first.story.side ?? '',
    dice: stories.flatMap(({ dice }) => dice ?? []),
    outcomes: [...rolled.slice(0, 1), ...came.map(({ text }) => text)],
    lost: came.some(({ kind }) => kind === 'loss'),
    strikes: stories.flatMap((story) => strike(story) ?? []),
    arrived: last.arrived,
  };
}

/** What a line about dice says after it has said which: "Fire Effect 5 against 1st Squad: 1 hit." says "1 hit.". */
function result(text: string): string {
  const [, said] = /: (.*)$/.exec(text) ?? [];
  return said ? said.charAt(0).toUpperCase() + said.slice(1) : text;
}

function strike(story: Story): Strike | null {
  const [from, to] = story.units ?? [];
  if (!declares(story) || !from || !to || (story.kind !== 'fire' && story.kind !== 'assault')) return null;
  return { from, to, kind: story.kind };
}
