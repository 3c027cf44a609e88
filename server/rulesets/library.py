"""Which editions can be played here."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache

from server.kernel.errors import RulesetError
from server.kernel.ruleset import Ruleset
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.fubar.ruleset import FubarRuleset

EDITIONS: dict[str, Callable[[str], Ruleset]] = {"fad4": FadRuleset, "fad5": FadRuleset, "fubar4": FubarRuleset}
"""The editions that can be played, and the family that reads each."""
UNFINISHED = frozenset({"fad5"})
"""Those that lack rules yet: a server offers them only where its operator says so."""


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


def editions(unfinished: Collection[str] = ()) -> dict[str, Ruleset]:
    """The finished editions, by id, and those of the `unfinished` ones that are named. Raises `RulesetError` for a name that is
    none of an edition.
    """
    for name in unfinished:
        edition(name)
    return {name: edition(name) for name in EDITIONS if name in unfinished or name not in UNFINISHED}


def every_edition() -> dict[str, Ruleset]:
    """Every edition, by id, finished or not."""
    return editions(tuple(EDITIONS))
