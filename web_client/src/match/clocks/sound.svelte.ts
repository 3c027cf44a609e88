/** A short sound when one's own time gets low. It is off at first; this browser remembers the choice. */
import { keep, recall } from '../../lib/storage';

const KEY = 'sound';
const HERTZ = 880;
const SECONDS = 0.18;

class Sound {
  #on = $state(recall<boolean>(KEY, false) === true);
  private context: AudioContext | null = null;

  get on(): boolean {
    return this.#on;
  }

  set on(on: boolean) {
    this.#on = on;
    keep(KEY, on || undefined);
    if (on) this.beep();
  }

  beep(): void {
    if (!this.#on || typeof AudioContext === 'undefined') return;
    try {
      const context = (this.context ??= new AudioContext());
      void context.resume().catch(() => undefined);
      const [tone, volume] = [context.createOscillator(), context.createGain()];
      const now = context.currentTime;
      tone.frequency.value = HERTZ;
      // It swells and fades: a tone that is cut off clicks.
      volume.gain.setValueAtTime(0, now);
      volume.gain.linearRampToValueAtTime(0.2, now + SECONDS / 4);
      volume.gain.linearRampToValueAtTime(0, now + SECONDS);
      tone.connect(volume).connect(context.destination);
      tone.start(now);
      tone.stop(now + SECONDS);
    } catch {
      // A machine without sound.
    }
  }
}

export const sound = new Sound();
