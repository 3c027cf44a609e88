/** A setup on its way to the server, and what the rules say of it. */
import type { Lobby } from '../lib/lobby.svelte';
import type { SetupChecked } from '../lib/protocol';
import { newId } from '../lib/wire';
import type { Setup } from './setup';

/** A setup as the bytes of its upload. */
export const encoded = (setup: Setup): Uint8Array => new TextEncoder().encode(JSON.stringify(setup));

/** The position that a setup describes, as the server reads it. */
export async function checkSetup(lobby: Lobby, setup: Setup): Promise<SetupChecked> {
  const upload = await lobby.upload(encoded(setup));
  return lobby.ask<SetupChecked>({ type: 'check_setup', id: newId(), upload });
}
