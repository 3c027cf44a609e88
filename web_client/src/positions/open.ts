/** Ways into the editor from elsewhere: the setup file that a match gives of its position. */
import { paths } from '../lib/router.svelte';
import { parseSetup } from './setup';
import { positions } from './shelf.svelte';

/**
 * Keeps the position of a setup file's text, and says where it is set up.
 *
 * Rejects with BadFile, whose sentence is for people.
 */
export async function setUp(text: string): Promise<string> {
  return paths.position(positions.put(await parseSetup(text)));
}
