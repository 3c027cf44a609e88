"""Names of seats, sides, time spans and moments, and how typed names are cleaned. Pure."""

from __future__ import annotations

import datetime as dt

from server.kernel.state import State

ID_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""What ids of matches and leagues are made of: what is not easily taken for something else."""
ID_LETTERS = 12


def side_of(state: State, seat: str) -> str:
    """Return the side that `seat` plays, or ""."""
    return next((side.id for side in state.sides.values() if side.seat == seat), "")


def player(state: State, seat: str) -> str:
    """Return the display name of the player at `seat`: their name, or the side's while the seat is free."""
    name = state.desk.players.get(seat, "")
    side = state.sides.get(side_of(state, seat))
    return name or (side.name if side is not None else seat)


def span(seconds: int) -> str:
    """Return a span of time in words, in its largest units."""
    parts = []
    for name, size in (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1)):
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {name}{'' if count == 1 else 's'}")
    return " ".join(parts[:2]) or "no time"


def moment(ms: int) -> str:
    """Return a moment (ms since 1970) in words, to the minute."""
    return dt.datetime.fromtimestamp(ms / 1000, dt.UTC).strftime("%Y-%m-%d %H:%M UTC")


def tidy(text: str) -> str:
    """Return typed text on one line, without invisible characters and those that change the direction of writing."""
    seen = "".join(" " if c.isspace() else c for c in text if c.isspace() or c.isprintable() or c == "\u200d")
    return " ".join(seen.split())
