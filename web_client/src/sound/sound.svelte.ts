/** How loud this browser plays sounds, and playing them. Sound is off until the player asks for it. */
import { keep, recall } from '../lib/storage';
import { RECIPES, type SoundName, type Stroke } from './recipes';

const KEY = 'volume';

function kept(): number {
  const wish = recall<unknown>(KEY, 0);
  return typeof wish === 'number' && wish >= 0 && wish <= 1 ? wish : 0;
}

class Sound {
  #volume = $state(kept());
  #context: AudioContext | null = null;
  #hiss: AudioBuffer | null = null;

  constructor() {
    globalThis.addEventListener?.('storage', () => (this.#volume = kept()));
  }

  /** From 0 (off) to 1. */
  get volume(): number {
    return this.#volume;
  }

  set volume(volume: number) {
    this.#volume = volume;
    keep(KEY, volume);
  }

  /** Plays a sound, `after` so many seconds; nothing where sound is off or the browser has none. */
  play(name: SoundName, after = 0): void {
    if (this.#volume <= 0 || typeof AudioContext === 'undefined') return;
    const context = (this.#context ??= new AudioContext());
    // Browsers hold sound back until the player has touched the page.
    if (context.state === 'suspended') void context.resume().catch(() => undefined);
    for (const stroke of RECIPES[name]) this.#strike(context, stroke, context.currentTime + after + stroke.at);
  }

  #strike(context: AudioContext, stroke: Stroke, start: number): void {
    const end = start + stroke.lasts;
    const loudness = context.createGain();
    loudness.gain.setValueAtTime(stroke.loud * this.#volume, start);
    loudness.gain.exponentialRampToValueAtTime(0.001, end);
    loudness.connect(context.destination);
    const source = stroke.wave === 'noise' ? this.#noise(context, stroke, start, loudness) : context.createOscillator();
    if (source instanceof OscillatorNode && stroke.wave !== 'noise') {
      source.type = stroke.wave;
      source.frequency.setValueAtTime(stroke.from, start);
      source.frequency.exponentialRampToValueAtTime(stroke.to, end);
      source.connect(loudness);
    }
    source.start(start);
    source.stop(end);
  }

  #noise(context: AudioContext, stroke: Stroke, start: number, into: AudioNode): AudioBufferSourceNode {
    this.#hiss ??= hiss(context);
    const source = context.createBufferSource();
    source.buffer = this.#hiss;
    const filter = context.createBiquadFilter();
    filter.type = 'bandpass';
    filter.frequency.setValueAtTime(stroke.from, start);
    filter.frequency.exponentialRampToValueAtTime(stroke.to, start + stroke.lasts);
    source.connect(filter).connect(into);
    return source;
  }
}

/** A second of hiss. */
function hiss(context: AudioContext): AudioBuffer {
  const buffer = context.createBuffer(1, context.sampleRate, context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < samples.length; i++) samples[i] = Math.random() * 2 - 1;
  return buffer;
}

export const sound = new Sound();
