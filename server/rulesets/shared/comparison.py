"""Where the editions of a family differ, in one sentence each, for players who know the other edition."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import msgspec
from msgspec import Struct

from server.kernel.ruleset import Elsewhere
from server.rulesets.shared.setup.rows import read

FILE = "comparison.toml"


class Side(Struct, frozen=True, forbid_unknown_fields=True):
    """What holds in one edition: its entries in the reference (none if it has no such rule), and a sentence."""

    says: str
    entries: tuple[str, ...] = ()


@cache
def differences(family: str) -> tuple[dict[str, Side], ...]:
    """Return the differences of a family's editions, each by the editions' names; none if the family compares nothing."""
    path: Traversable = files("server.rulesets") / family / FILE
    if not path.is_file():
        return ()
    return msgspec.convert(read(path)["difference"], tuple[dict[str, Side], ...])


def elsewhere(family: str, edition: str, entry: str) -> Iterator[Elsewhere]:
    """Yield what holds in the family's other editions where `edition` has an entry of its reference."""
    for sides in differences(family):
        own = sides.get(edition)
        if own is None or entry not in own.entries:
            continue
        for other, side in sides.items():
            if other != edition:
                yield Elsewhere(other, next(iter(side.entries), ""), side.says)
