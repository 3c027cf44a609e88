/** Merge patches (RFC 7396), with structural sharing: what a patch does not name stays the very same object. */
import type { UnitView, View } from './protocol';

type Json = unknown;
type JsonMap = { [key: string]: Json };

const isMap = (value: Json): value is JsonMap => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The target with the patch on it: maps are merged, null removes, everything else replaces (RFC 7396, section 2). */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isMap(patch)) return patch;
  const merged: JsonMap = isMap(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else Object.defineProperty(merged, key, { value: mergePatch(merged[key], value), ...PLAIN });
  }
  return merged;
}

// An assignment to a key called __proto__ would change the map's nature instead of its contents.
const PLAIN = { writable: true, enumerable: true, configurable: true } as const;

/**
 * A view with a patch on it. A merge patch cannot say null, only leave a key out: the places where a view holds a null
 * (a figure that is off the table or has no hull, no result yet, no clock) get it back.
 */
export function patchView(view: View, patch: Record<string, unknown>): View {
  const merged = mergePatch(view, patch) as View;
  merged.result ??= null;
  merged.clock ??= null;
  if (isMap(patch.units)) {
    for (const [id, change] of Object.entries(patch.units)) {
      const unit: UnitView | undefined = merged.units[id];
      if (!unit || !isMap(change) || !isMap(change.figures)) continue;
      for (const key of Object.keys(change.figures)) {
        const figure = unit.figures[key];
        if (!figure) continue;
        figure.at ??= null;
        figure.hull ??= null;
      }
    }
  }
  return merged;
}
