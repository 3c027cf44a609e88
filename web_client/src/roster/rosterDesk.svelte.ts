/** A roster as the server has last shown it, and the steps that its owner takes after a battle. */
import type { Lobby } from '../lib/lobby.svelte';
import type { CampaignAnswer, LeagueAct, LeagueShown, RosterShown, RosterView } from '../lib/protocol';
import { newId } from '../lib/wire';
import { sentenceOf } from '../lib/sentence';
import { said } from '../ui/said.svelte';

export class RosterDesk {
  /** The roster, as it was last shown; null before that. */
  roster = $state.raw<RosterView | null>(null);
  /** Why it is not shown; "" if it is, or is about to be. */
  missing = $state('');
  /** Why the last answer was refused; "" if it was not. */
  refusal = $state('');
  /** Whether an answer waits for the server. */
  busy = $state(false);
  /** How many lines of the history are new since the owner acted last. */
  fresh = $state(0);

  constructor(
    private readonly lobby: Lobby,
    readonly league: string,
    readonly player: string,
    private readonly invite: () => string,
  ) {}

  /** Asks for the roster. What was shown before stays while the server does not answer. */
  async refresh(): Promise<void> {
    const { league, player } = this;
    try {
      const asked = { type: 'ask_roster', id: newId(), league, player, invite: this.invite() } as const;
      const { roster } = await this.lobby.ask<RosterShown>(asked);
      this.roster = roster;
      this.missing = '';
    } catch (reason) {
      if (!this.roster) this.missing = sentenceOf(reason);
    }
  }

  /** Takes the step that is due. */
  take(answer: CampaignAnswer): Promise<boolean> {
    return this.taking(() => this.step(answer));
  }

  /** Rolls until something else than dice is due. */
  rollAll(): Promise<boolean> {
    return this.take({ type: 'roll', on: true });
  }

  /** Names the figures of a unit, by their places; says whether that was done. */
  name(unit: number, names: string[]): Promise<boolean> {
    return this.taking(() => this.act({ type: 'name_figures', unit, names }));
  }

  private async taking(what: () => Promise<void>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.refusal = '';
    const before = this.roster?.history?.length ?? 0;
    try {
      await what();
      return true;
    } catch (reason) {
      this.refusal = sentenceOf(reason, 'That did not work.');
      // The step may have been taken on another device, or at its deadline.
      await this.refresh();
      return false;
    } finally {
      const lines = this.roster?.history ?? [];
      this.fresh = Math.max(0, lines.length - before);
      if (this.fresh > 0)
        said.say(
          lines
            .slice(-this.fresh)
            .map(({ text }) => text)
            .join(' '),
        );
      this.busy = false;
    }
  }

  private async step(answer: CampaignAnswer): Promise<void> {
    const step = this.roster?.step ?? 0;
    await this.act({ type: 'take_step', step, answer });
  }

  private async act(act: LeagueAct): Promise<void> {
    const invite = this.invite();
    await this.lobby.ask<LeagueShown>({ type: 'act_in_league', id: newId(), league: this.league, act, invite });
    await this.refresh();
  }
}
