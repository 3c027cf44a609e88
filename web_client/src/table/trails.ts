/** What the table shows of the last move that came less far than it might have: where it was heading, and where it went. */
import type { Story, Trail } from '../lib/protocol';

/** The trails of the newest move in these lines of the log, what was declared first; none once another unit activates. */
export function newestTrails(lines: readonly Story[]): Trail[] {
  const found: Trail[] = [];
  for (let i = lines.length - 1; i >= 0; i--) {
    const { kind, trail } = lines[i]!;
    if (kind === 'turn') break;
    if (!trail) continue;
    if (found[0] && found[0].unit !== trail.unit) break;
    found.unshift(trail);
    if (trail.declared) break;
  }
  return found;
}
