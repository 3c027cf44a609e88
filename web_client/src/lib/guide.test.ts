import { expect, it } from 'vitest';
import { after, lessonOf, wordsOf, type Guided } from './guide';
import type { Prompt } from './protocol';
import { path, prompt } from './views.fixture';

const lesson = (...choices: string[]) => ({
  choices,
  title: 'T',
  text: 'It asks “{prompt}”: press “{go}”, not {fly}.',
});
const asked = (id: string, ...keys: string[]): Prompt => {
  const one = prompt(path());
  const choice = one.choices[0]!;
  return { ...one, id, title: 'Which?', choices: keys.map((key) => ({ ...choice, key, label: `Do ${key}` })) };
};

it('explains each kind of prompt the first time it is asked, in the words of the prompt', () => {
  let guided: Guided = { lessons: [lesson('go', 'stay'), lesson('go'), lesson('go')], given: {} };
  const first = asked('p1', 'go:b1', 'other');
  expect(lessonOf(guided, first)).toBe(1);
  guided = after(guided, 1, first);
  // As long as it is open it keeps its lesson; the next of the kind has the next one.
  expect(lessonOf(guided, first)).toBe(1);
  expect(after(guided, 1, first)).toBe(guided);
  expect(lessonOf(guided, asked('p2', 'go'))).toBe(2);
  expect(lessonOf(guided, asked('p3', 'stay', 'go'))).toBe(0);
  expect(lessonOf(guided, asked('p4', 'other'))).toBe(-1);
  expect(wordsOf(guided.lessons[1]!, first)).toBe('It asks “Which?”: press “Do go:b1”, not fly.');
});
