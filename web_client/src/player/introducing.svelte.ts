/** The player's page and the server: showing that the key is ours, and how we want to be told that it is our turn. */
import type { Lobby } from '../lib/lobby.svelte';
import type {
  Accepted,
  Challenge,
  Introduced,
  NoticeSettings,
  NoticesSet,
  PublicPlayer,
  TopicGiven,
} from '../lib/protocol';
import { keepToken, holding } from '../lib/storage';
import { newId } from '../lib/wire';
import type { Key } from './key';

export class Introducing {
  player = $state.raw<PublicPlayer | null>(null);
  notices = $state.raw<NoticeSettings | null>(null);
  /** The key for push subscriptions of this server; "" where it sends none. */
  pushKey = $state('');
  /** Whether players have topics of their own at the feed's broker. */
  topics = $state(false);
  /** How many seats have come to this browser with the key. */
  brought = $state(0);

  constructor(private readonly lobby: Lobby) {}

  /** Introduces the player, and takes the seats that are tied to the key. Rejects with a sentence. */
  async introduce(key: Key, name: string): Promise<void> {
    const { signedPlayer } = await import('./key');
    const { challenge } = await this.lobby.ask<Challenge>({ type: 'ask_challenge', id: newId() });
    const signature = signedPlayer(key, challenge, name);
    const known = await this.lobby.ask<Introduced>({
      type: 'introduce',
      id: newId(),
      key: key.key,
      name,
      signature,
    });
    this.player = known.player;
    this.notices = known.notices;
    this.pushKey = known.push_key;
    this.topics = known.topics;
    const lacking = known.seats.filter(({ match, seat }) => !(seat in holding(match).tokens));
    for (const { match, seat, token } of lacking) keepToken(match, seat, token);
    this.brought += lacking.length;
  }

  /** Says how the player wants to be told; with `test` that is tried. What went wrong, a sentence each. */
  async tell(notices: NoticeSettings, test = false): Promise<readonly string[]> {
    const { faults } = await this.lobby.ask<NoticesSet>({ type: 'set_notices', id: newId(), notices, test });
    this.notices = notices;
    return faults;
  }

  /** A new password for the player's own topic. */
  async topic(): Promise<TopicGiven> {
    const given = await this.lobby.ask<TopicGiven>({ type: 'ask_topic', id: newId() });
    this.notices = { ...this.notices, topic: true };
    return given;
  }

  /** Has the server forget the player. */
  async forget(): Promise<void> {
    await this.lobby.ask<Accepted>({ type: 'forget_player', id: newId() });
    this.player = null;
    this.notices = null;
  }
}
