/** A league as the server has last shown it, asked for again and again while the page is seen, and acts in it. */
import type { Lobby } from '../lib/lobby.svelte';
import type { LeagueAct, LeagueShown, LeagueView } from '../lib/protocol';
import { Unanswered, passing } from '../lib/requests';
import { newId } from '../lib/wire';
import { sentenceOf } from '../lib/sentence';
import { said } from '../ui/said.svelte';
import { inviteOf } from './invites';

/** So long until the league is asked for again, in ms. */
export const AGAIN = 10_000;

export class Desk {
  /** The league, as it was last shown; null before that. */
  league = $state.raw<LeagueView | null>(null);
  /** Why it is not shown; "" if it is, or is about to be. */
  missing = $state('');
  /** Why the last act was refused, and the rule behind that. */
  refusal = $state.raw<{ sentence: string; rule: string } | null>(null);
  /** Whether an act waits for its answer. */
  busy = $state(false);

  constructor(
    private readonly lobby: Lobby,
    readonly id: string,
  ) {}

  /** Asks for the league. What was shown before stays while the server does not answer. */
  async refresh(): Promise<void> {
    try {
      this.take(await this.ask({ type: 'ask_league', id: newId(), league: this.id, invite: inviteOf(this.id) }));
    } catch (reason) {
      const lasting = reason instanceof Unanswered && reason.refusal !== null && !passing(reason.refusal);
      if (lasting || !this.league) this.missing = sentenceOf(reason);
    }
  }

  /** Does something in the league; says whether it was done. */
  act(act: LeagueAct): Promise<boolean> {
    return this.attempt(async () => {
      const invite = inviteOf(this.id);
      const before = this.league?.news?.[0];
      this.take(await this.ask({ type: 'act_in_league', id: newId(), league: this.id, act, invite }));
      const last = this.league?.news?.[0];
      said.say(last && last.at !== before?.at ? last.text : 'Done.');
    });
  }

  /** Does something that may be refused, and keeps the refusal; says whether it was done. */
  async attempt(what: () => Promise<void>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.refusal = null;
    try {
      await what();
      return true;
    } catch (reason) {
      const rule = reason instanceof Unanswered ? (reason.refusal?.rule ?? '') : '';
      this.refusal = { sentence: sentenceOf(reason, 'That did not work.'), rule };
      return false;
    } finally {
      this.busy = false;
    }
  }

  private ask(message: Parameters<Lobby['ask']>[0]): Promise<LeagueShown> {
    return this.lobby.ask<LeagueShown>(message);
  }

  private take({ league }: LeagueShown): void {
    this.league = league;
    this.missing = '';
  }
}
