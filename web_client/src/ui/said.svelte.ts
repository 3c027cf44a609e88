/** Sentences for screen readers: a polite live region that says each once. */
class Said {
  text = $state('');

  /** Says a sentence; the same one twice is said twice. */
  say(sentence: string): void {
    this.text = this.text === sentence ? `${sentence}\u00a0` : sentence;
  }
}

export const said = new Said();
