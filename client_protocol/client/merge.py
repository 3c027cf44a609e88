"""Merge patches (RFC 7396), by which views are updated."""

from __future__ import annotations

from collections.abc import Mapping


def merge_patch(target: object, patch: object) -> object:
    """Return the target with a patch applied; neither is changed, and unpatched parts are shared.

    Maps are merged key by key, null removes a key, and everything else, lists too, is replaced whole (RFC 7396, section 2).
    """
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(target) if isinstance(target, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged
