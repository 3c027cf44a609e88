/** What players offer each other, in sentences. */
import type { OfferKind, OfferView } from '../../lib/protocol';
import { termsWords } from '../../ui/terms';

/** An offer in a sentence about the seat that makes it; `you`: it is one's own. */
export function offerSentence(offer: OfferView, who: string, you: boolean): string {
  const name = you ? 'You' : who;
  const [asks, offers, wants] = you ? ['ask', 'offer', 'want'] : ['asks', 'offers', 'wants'];
  switch (offer.kind) {
    case 'draw':
      return `${name} ${offers} a draw.`;
    case 'pause':
      return `${name} ${wants} to stop the clocks for a while.`;
    case 'resume':
      return `${name} ${wants} the clocks to go on.`;
    case 'clock':
      return offer.clock
        ? `${name} ${offers} another clock: ${termsWords(offer.clock)}.`
        : `${name} ${offers} to go on without a clock.`;
    case 'hand_over':
      if (!offer.program) return `${name} ${wants} to play again, in the place of the computer.`;
      return offer.hand === offer.seat
        ? `${name} ${wants} ${offer.name} to play on in ${you ? 'your' : 'their'} place.`
        : `${name} ${wants} ${offer.name} to play on for a player who does not decide.`;
    case 'take_back':
      return `${name} ${asks} to take back:`;
  }
}

/** What the button says that agrees to it. */
export const agreeWords: Readonly<Record<OfferKind, string>> = {
  draw: 'Agree to a draw',
  pause: 'Stop the clocks',
  resume: 'Let the clocks go on',
  clock: 'Take this clock',
  take_back: 'Allow it',
  hand_over: 'Agree',
};
