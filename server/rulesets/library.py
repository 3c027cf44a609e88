"""Which editions can be played here."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from server.kernel.errors import RulesetError
from server.kernel.ruleset import Ruleset
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.fubar.ruleset import FubarRuleset

EDITIONS: dict[str, Callable[[str], Ruleset]] = {"fad4": FadRuleset, "fubar4": FubarRuleset}
"""The editions that can be played, and the family that reads each."""


@cache
def edition(name: str) -> Ruleset:
    """The rule set of the edition `name`, loaded once. Raises `RulesetError`."""
    family = EDITIONS.get(name)
    if family is None:
        raise RulesetError(f"there is no edition {name!r} here; there are {', '.join(EDITIONS)}")
    return family(name)


def find(name: str) -> Ruleset | None:
    """The rule set of the edition `name`; None when there is no such edition here."""
    return edition(name) if name in EDITIONS else None


def editions() -> dict[str, Ruleset]:
    """Every edition that can be played, by id."""
    return {name: edition(name) for name in EDITIONS}
