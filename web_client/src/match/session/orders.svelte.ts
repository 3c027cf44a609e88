/** From an open prompt to a sent answer: the draft, its preview, and whether it may be sent. */
import type { Advice, Choice, Parameter, Preview, Prompt, Refused } from '../../lib/protocol';
import { Unanswered } from '../../lib/requests';
import { sentenceOf } from '../../lib/sentence';
import { legal, type Draft } from '../../table/draft.svelte';
import type { MatchState } from './match.svelte';

/** How long nothing must change before odds are asked for (ms): dragging would ask a hundred times. */
const SETTLED = 150;

export class Orders {
  preview = $state.raw<Preview | null>(null);
  /** Odds are on their way: what stands below them will move. */
  previewing = $state(false);
  /** Why a preview could not be fetched. */
  previewFault = $state('');
  /** What the computer would answer to the open prompt, once it was asked. */
  advice = $state.raw<Advice | null>(null);
  /** Why it has not said. */
  adviceFault = $state('');
  /** It is being asked. */
  advising = $state(false);
  /** A sealed answer is in, and its owner wants to change it. */
  changing = $state(false);
  /** What is left is being set down where it is suggested. */
  placing = $state(false);

  private inCover = false;
  /** The answer that was sent last, as text: a draft that differs from it is not in. */
  private sent = $state('');
  private asked = '';
  /** The draft, as text, of which the server has said that it has no odds. */
  private oddless = '';
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly match: MatchState,
    readonly draft: Draft,
  ) {}

  get prompt(): Prompt | null {
    return this.match.prompt;
  }

  /** A sealed answer is in, and nothing is to be done until the others have given theirs. */
  get waiting(): boolean {
    if (this.prompt?.answered !== true || this.changing) return false;
    if (this.match.sending !== null || this.match.refusal !== null) return false;
    return this.draft.choice === null || this.drafted === this.sent;
  }

  private get drafted(): string {
    return JSON.stringify([this.draft.choice?.key, this.draft.values]);
  }

  /** The only thing one can do, if there is only one and it wants details: it needs no pressing of a button. */
  get only(): Choice | null {
    const [first, second] = this.prompt?.choices ?? [];
    return first && !second && !first.why && first.parameters.length > 0 ? first : null;
  }

  /**
   * The choice that a prompt opens with, if all else that one may answer is a plain no ("Hold fire"), or has no odds: of several
   * units that it may name, the first stands there until another one is tapped; who shoots at whom stands there as suggested.
   */
  get leading(): Choice | null {
    const choices = this.prompt?.choices ?? [];
    if (choices.length < 2 || choices.length > 3 || choices.some(({ why }) => why)) return null;
    const leading = choices.find(({ parameters }) => parameters.length > 0);
    if (!leading || leading.parameters.length > 1) return null;
    const [{ type }] = leading.parameters as [Parameter];
    const others = choices.filter((one) => one !== leading);
    // Where to shoot from may be asked for in its place, which is another question and has no odds yet.
    const plain = others.every(({ preview, parameters }) => !preview && (parameters.length === 0 || leading.preview));
    return plain && (type === 'unit' || (type === 'assignment' && leading.preview)) ? leading : null;
  }

  /** What one may answer in place of the choice that the prompt opened with, while that one is taken. */
  get others(): readonly Choice[] {
    const { leading } = this;
    if (!leading || this.draft.choice?.key !== leading.key) return [];
    return this.prompt?.choices.filter((one) => one !== leading) ?? [];
  }

  /** This seat is asked in the middle of what a unit of another side does. */
  get between(): boolean {
    const { view, prompt } = this.match;
    if (!view || !prompt || prompt.sealed || !view.units[view.active_unit]) return false;
    return view.seats[prompt.seat]?.side !== view.active_side;
  }

  get canSend(): boolean {
    return this.draft.complete && this.match.sending === null && this.blocked === '';
  }

  /** Why nothing can be sent now, though the draft may be ready. */
  get blocked(): string {
    if (this.match.status?.state === 'read_only') return 'The server accepts no answers at the moment.';
    if (this.match.link.state === 'ended') return 'The connection is closed.';
    return '';
  }

  /** Follows the open prompt. To be called whenever it changes. */
  follow(): void {
    const fresh = this.prompt?.id !== this.draft.prompt?.id;
    this.draft.open(this.prompt);
    if (this.advice?.prompt !== this.prompt?.id) {
      this.advice = null;
      this.adviceFault = '';
    }
    if (!this.prompt?.answered) this.changing = false;
    if (this.only && this.draft.choice === null && !this.waiting) this.lead(this.only);
    if (fresh && this.leading && !this.waiting) this.lead(this.leading);
    if (this.placing) this.placeNext();
  }

  private lead(choice: Choice): void {
    if (this.draft.take(choice.key) && choice.parameters.length === 1) this.nameFirst(choice);
  }

  /** Names the usual unit, else the first one, which is nearest: its odds are there, and another one can be tapped. */
  private nameFirst({ parameters: [first] }: Choice): void {
    const [part] = this.draft.parts;
    const [nearest] = first?.type === 'unit' ? legal(first) : [];
    const [usual] = this.prompt?.default.choice === this.draft.choice?.key ? (this.prompt?.default.values ?? []) : [];
    const unit = usual?.type === 'unit' ? usual.unit : nearest?.unit;
    if (part?.kind === 'unit' && part.unit === null && unit !== undefined) part.name(unit);
  }

  /** Whether a choice is an attack: it names one unit of another side, and there are odds. */
  private attacks({ parameters: [first, ...more], preview }: Choice): boolean {
    if (!preview || more.length > 0 || first?.type !== 'unit') return false;
    const { view, prompt } = this.match;
    const own = view?.seats[prompt?.seat ?? '']?.side;
    return first.candidates.every(({ unit }) => view?.units[unit]?.side !== own);
  }

  /** The choices that set units down where it is suggested, if all that is asked is where units stand. */
  get placements(): readonly Choice[] {
    const choices = this.prompt?.choices ?? [];
    const places = choices.every(({ parameters: [first, ...more] }) => first?.type === 'placement' && !more.length);
    return places ? choices.filter(({ why }) => !why) : [];
  }

  /** Sets down all that is left where it is suggested, or `inCover`, until something else is asked. */
  placeRest(inCover = false): void {
    this.match.refusal = null;
    this.inCover = inCover;
    this.placing = true;
    this.placeNext();
  }

  private placeNext(): void {
    if (!this.prompt || this.match.sending !== null) return;
    const [next] = this.match.refusal === null ? this.placements : [];
    const taken = next !== undefined && this.draft.take(next.key);
    if (taken && this.inCover && this.draft.part?.kind === 'placement') this.draft.part.shelter();
    this.placing = taken && this.draft.complete;
    if (this.placing) this.send();
  }

  /** Whether the computer may be asked what it would do. */
  get coached(): boolean {
    return (this.match.view?.advice ?? false) && this.prompt !== null && !this.waiting;
  }

  /** Asks the computer what it would answer to the open prompt. */
  async askAdvice(): Promise<void> {
    const { prompt } = this;
    if (!prompt || !this.coached || this.advising) return;
    this.advising = true;
    this.adviceFault = '';
    try {
      const advice = await this.match.advice(prompt);
      if (this.prompt?.id === advice.prompt) this.advice = advice;
    } catch (fault) {
      if (this.prompt?.id === prompt.id) this.adviceFault = sentenceOf(fault);
    } finally {
      this.advising = false;
    }
  }

  /** Drafts what the computer advises. It is not sent. */
  takeAdvice(): void {
    const { advice } = this;
    if (!advice || this.match.sending || advice.prompt !== this.prompt?.id) return;
    this.draft.take(advice.choice, advice.values);
  }

  /** Takes a choice; one that needs no details and has no odds is sent at once. */
  choose(choice: Choice): void {
    if (choice.why || this.match.sending || !this.draft.take(choice.key)) return;
    if (choice.parameters.length === 0 && !choice.preview) this.send();
    else if (this.attacks(choice)) this.nameFirst(choice);
  }

  send(): void {
    if (!this.canSend || !this.prompt) return;
    this.sent = this.drafted;
    this.changing = false;
    this.match.answer(this.prompt, this.draft.toAnswer());
  }

  /** Back to the choices, if there are others. */
  cancel(): void {
    this.match.refusal = null;
    if (this.only) this.draft.part?.reset();
    else this.draft.cancel();
  }

  /** Opens a sealed answer again, as it was given. */
  change(): void {
    this.changing = true;
    this.follow();
  }

  /** Asks for the odds of what is drafted, if that has changed. To be called whenever the draft changes. */
  askPreview(): void {
    const { draft, prompt } = this;
    const picked = prompt && draft.choice?.preview && draft.complete ? draft.toAnswer() : null;
    const key = picked && prompt ? JSON.stringify([prompt.id, picked]) : '';
    const { named } = draft;
    // A choice is taken and sent within effects, which must not run again for what that changes.
    if (named && key !== '' && key === this.oddless) queueMicrotask(() => this.sendNamed());
    if (key === this.asked) return;
    this.asked = key;
    this.preview = null;
    this.previewFault = '';
    clearTimeout(this.timer);
    this.oddless = '';
    this.previewing = picked !== null && prompt !== null;
    if (!picked || !prompt) return;
    this.timer = setTimeout(
      async () => {
        try {
          const preview = await this.match.preview(prompt, picked);
          if (this.asked === key) this.preview = preview;
        } catch (fault) {
          const silent = fault instanceof Unanswered && fault.refusal?.code === 'nothing_to_preview';
          if (this.asked === key && silent) this.oddless = key;
          if (this.oddless === key) this.sendNamed();
          if (this.asked !== key || !(fault instanceof Unanswered) || silent) return;
          // What is refused at a place on the table is shown there, as when the answer itself is refused; and so is where a path may
          // not end, of which the server may know more.
          if (fault.refusal?.where || fault.refusal?.code === 'path_end') this.refuse(fault.refusal);
          else this.previewFault = fault.message;
        } finally {
          if (this.asked === key) this.previewing = false;
        }
      },
      named ? 0 : SETTLED,
    );
  }

  /** An answer that only names units, and has no odds to read, needs no second press. */
  private sendNamed(): void {
    if (!this.draft.named) return;
    this.draft.named = false;
    this.send();
  }

  /** What the server refused is shown where it is drawn. To be called whenever the refusal changes. */
  mark(): void {
    this.refuse(this.match.refusal);
  }

  private refuse(refusal: Refused | null): void {
    this.draft.refused = refusal && {
      sentence: refusal.sentence,
      rule: refusal.rule,
      ...(refusal.where ? { where: refusal.where } : {}),
      ...(refusal.figure ? { figure: refusal.figure } : {}),
    };
  }
}
