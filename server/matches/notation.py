"""A match as a text for people: tags, numbered activations, dice in braces. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from server.kernel.ruleset import Ruleset


def notation(rules: Ruleset, payloads: Sequence[bytes], view: str) -> str:
    """The match as the audience `view` may know it."""
    raise NotImplementedError
