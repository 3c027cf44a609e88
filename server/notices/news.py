"""The news of a notice: which decisions wait, in a sentence and in fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from msgspec import Struct

MOST_TOLD = 10
"""How many decisions a notice lists; it counts the others."""


class Waits(Struct, frozen=True):
    """A decision that waits for a player: in which match, for which side, since when (ms since 1970). It tells what
    spectators may know, and no more.
    """

    match: str
    title: str
    edition: str
    turn: int
    seat: str
    side: str
    player: str
    since: int
    url: str = ""


class Notice(Protocol):
    """What any notice says: `text` for people; it is JSON for programs."""

    @property
    def text(self) -> str:
        """Sentences, and where more can be seen."""
        ...


class News(Struct, frozen=True):
    """What a notice says: `text` for people, the rest for programs."""

    event: Literal["your_turn", "test"]
    text: str
    waits: tuple[Waits, ...] = ()


def news(waits: Sequence[Waits], *, named: bool) -> News:
    """Return what tells a player of the decisions that wait.

    Args:
        waits: the decisions, at least one.
        named: whether others read it too, so that it names the player.
    """
    told = waits[:MOST_TOLD]
    lines = [_line(one, named=named) for one in told]
    if len(waits) > len(told):
        lines.append(f"And {len(waits) - len(told)} more.")
    return News("your_turn", "\n".join(lines), tuple(told))


def _line(one: Waits, *, named: bool) -> str:
    name = one.player if named and one.player else ""
    whose = f"{name}, it is your turn" if name else "It is your turn"
    link = f" {one.url}" if one.url else ""
    return f"{whose} in {one.title} ({one.edition}): {one.side}, turn {one.turn}.{link}"


TEST = News("test", "Underfire tells you here when a decision of yours waits.")
"""What is sent when a way is tried."""
