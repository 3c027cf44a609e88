"""The editions that this server can play."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache

from server.kernel.errors import RulesetError
from server.kernel.ruleset import Ruleset
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.fubar.ruleset import FubarRuleset
from server.rulesets.shared.setup.rows import forget

EDITIONS: dict[str, Callable[[str], Ruleset]] = {"fad4": FadRuleset, "fad5": FadRuleset, "fubar4": FubarRuleset}
"""The editions, each with the class of its family, which reads the edition's data."""
UNFINISHED: frozenset[str] = frozenset()
"""Editions that still lack rules: a server offers them only where its operator says so. None does at present."""


@cache
def edition(name: str) -> Ruleset:
    """Return the rule set of the edition `name`, loaded once. Raises `RulesetError` if there is no such edition."""
    family = EDITIONS.get(name)
    if family is None:
        raise RulesetError(f"there is no edition {name!r} here; there are {', '.join(EDITIONS)}")
    return family(name)


def find(name: str) -> Ruleset | None:
    """Return the rule set of the edition `name`, or None if there is no such edition."""
    return edition(name) if name in EDITIONS else None


def editions(unfinished: Collection[str] = ()) -> dict[str, Ruleset]:
    """Return the finished editions, by id, and those `unfinished` ones that the caller names.

    Raises `RulesetError` for a name that is no edition's.
    """
    for name in unfinished:
        edition(name)
    found = {name: edition(name) for name in EDITIONS if name in unfinished or name not in UNFINISHED}
    forget()
    return found


def every_edition() -> dict[str, Ruleset]:
    """Return every edition, by id, finished or not."""
    return editions(tuple(EDITIONS))
