"""Which editions can be played here."""

from __future__ import annotations

from functools import cache

from server.kernel.ruleset import Ruleset, RulesetError
from server.rulesets.fad.ruleset import FadRuleset

EDITIONS = {"fad4": FadRuleset}


@cache
def edition(name: str) -> Ruleset:
    """The rule set of the edition `name`, loaded once. Raises `RulesetError`."""
    family = EDITIONS.get(name)
    if family is None:
        raise RulesetError(f"there is no edition {name!r} here; there are {', '.join(EDITIONS)}")
    return family(name)


def editions() -> tuple[Ruleset, ...]:
    """Every edition that can be played."""
    return tuple(edition(name) for name in EDITIONS)
