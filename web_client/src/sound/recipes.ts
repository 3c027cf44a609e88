/** The sounds, each as the few strokes that it is made of: nothing is recorded or fetched. */

/** A stroke of a sound. Times are in seconds from its beginning, pitches in hertz. */
export interface Stroke {
  /** A hiss, or a tone of this wave. */
  wave: 'noise' | OscillatorType;
  at: number;
  lasts: number;
  /** Where the tone, or what is let through of the hiss, begins and ends. */
  from: number;
  to: number;
  loud: number;
}

export type SoundName = 'dice' | 'fire' | 'assault' | 'move' | 'loss' | 'asked';

const click = (at: number, from: number, loud = 0.5): Stroke => ({
  wave: 'noise',
  at,
  lasts: 0.03,
  from,
  to: from,
  loud,
});
const tone = (at: number, lasts: number, from: number, to = from, loud = 0.4): Stroke => ({
  wave: 'sine',
  at,
  lasts,
  from,
  to,
  loud,
});

export const RECIPES: Record<SoundName, readonly Stroke[]> = {
  dice: [click(0, 3200), click(0.07, 2600), click(0.13, 3600), click(0.22, 2900, 0.35), click(0.3, 3100, 0.2)],
  fire: [0, 0.09, 0.18].map((at) => ({ wave: 'noise', at, lasts: 0.12, from: 1800, to: 200, loud: 0.8 })),
  assault: [
    { wave: 'triangle', at: 0, lasts: 0.12, from: 1250, to: 900, loud: 0.3 },
    { wave: 'triangle', at: 0.11, lasts: 0.2, from: 1700, to: 1100, loud: 0.3 },
    { wave: 'noise', at: 0, lasts: 0.1, from: 900, to: 300, loud: 0.5 },
  ],
  move: [click(0, 500, 0.4), click(0.14, 420, 0.4), click(0.28, 500, 0.3)],
  loss: [tone(0, 0.35, 170, 55, 0.7)],
  asked: [tone(0, 0.18, 660), tone(0.14, 0.3, 880)],
};
