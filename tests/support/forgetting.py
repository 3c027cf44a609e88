"""Rules that remember nothing of any match, as those of a server that has just been started."""

from __future__ import annotations

from contextlib import suppress

from server.kernel.errors import RulesetError
from server.kernel.memory import Memory, OfOneState, PairMemory
from server.kernel.ruleset import Ruleset
from server.rulesets.shared.edition import PlayableEdition


def forget(edition: Ruleset) -> None:
    """Let rules forget what they have found out about matches. To make new ones takes a tenth of a second."""
    for value in held(edition).values():
        if isinstance(value, Memory | PairMemory | OfOneState):
            value.forget()


def held(edition: Ruleset) -> dict[str, object]:
    """Return what the rules object of an edition holds, by name; nothing of rules that have none of their own."""
    found: dict[str, object] = {}
    if isinstance(edition, PlayableEdition):
        # The compiled form of the rules keeps no dictionary.
        own = (name for name in dir(edition.rules) if not name.startswith("__"))
        for name in own:
            with suppress(RulesetError):  # what the edition does not play
                found[name] = getattr(edition.rules, name)
    return found
