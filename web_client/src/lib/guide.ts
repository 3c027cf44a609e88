/** Guided battles of this browser: ordinary matches whose prompts are explained, each the first time it is asked. */
import type { Lesson, Prompt } from './protocol';
import { keep, recall } from './storage';

/** How far the guide of a match has come. */
export interface Guided {
  readonly lessons: readonly Lesson[];
  /** The prompt at which each lesson was given, by the lesson's place. */
  readonly given: Readonly<Record<number, string>>;
}

export const guidedBattle = (match: string): Guided | null => recall<Guided | null>(`guide/${match}`, null);

/** Keeps how far it has come; `null` ends the guide. */
export const keepGuide = (match: string, guided: Guided | null): boolean =>
  keep(`guide/${match}`, guided === null ? undefined : guided);

/** A choice's key without what follows its colon. */
const stem = (key: string): string => key.split(':', 1)[0]!;

/** The place of the lesson that belongs to a prompt: the one that it was given, or the next that fits; -1 for none. */
export function lessonOf(guided: Guided, prompt: Prompt): number {
  const given = Object.entries(guided.given).find(([, id]) => id === prompt.id);
  if (given) return Number(given[0]);
  const offered = new Set(prompt.choices.filter((choice) => !choice.why).map((choice) => stem(choice.key)));
  return guided.lessons.findIndex(
    ({ choices }, place) => guided.given[place] === undefined && choices.every((key) => offered.has(key)),
  );
}

/** The guide after a lesson was given at a prompt. */
export const after = (guided: Guided, place: number, prompt: Prompt): Guided =>
  guided.given[place] === prompt.id ? guided : { ...guided, given: { ...guided.given, [place]: prompt.id } };

/** A lesson's text with the prompt's own words in it. */
export function wordsOf(lesson: Lesson, prompt: Prompt): string {
  return lesson.text.replace(/\{([a-z-]+)\}/g, (_, key: string) => {
    if (key === 'prompt') return prompt.title;
    return prompt.choices.find((choice) => stem(choice.key) === key)?.label ?? key;
  });
}
