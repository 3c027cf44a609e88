"""How many rounds a league has, and whether the next one can begin."""

from __future__ import annotations

from collections.abc import Sequence

from client_protocol.leagues import Format
from server.leagues.rules.elimination import goes_on, undecided
from server.leagues.rules.settled import Settled


def round_word(format_: Format) -> str:
    """Return what the fixtures of a format are grouped by: a map campaign has turns."""
    return "turn" if format_ == "map" else "round"


def rounds_needed(format_: Format, players: int, rounds: int) -> int:
    """Return how many rounds there are in all; 0 where that is open.

    Args:
        format_: who meets whom.
        players: how many players there are.
        rounds: how many rounds a Swiss league has by its terms (0: as many as single out a winner), or turns a campaign on a map
            (0: that is open).
    """
    if players < 2:
        return 0
    match format_:
        case "round_robin":
            return players - 1 + players % 2
        case "elimination":
            return (players - 1).bit_length()
        case "swiss":
            return rounds or (players - 1).bit_length()
        case "map":
            return rounds
        case "free" | "ladder":
            return 0


def blocked(
    format_: Format, players: Sequence[str], last: Sequence[Settled], unsettled: int, number: int, rounds: int
) -> str:
    """Return in a sentence why the next round cannot begin; "" if it can.

    Args:
        format_: who meets whom.
        players: those who play.
        last: the fixtures of the last round that are over.
        unsettled: how many fixtures are not over.
        number: the number of the last round.
        rounds: how many rounds there are in all.
    """
    if format_ in {"free", "ladder"}:
        return "This league has no rounds: players challenge each other."
    word = round_word(format_)
    if number >= rounds > 0:
        return f"The last {word} has begun." if unsettled else f"All {word}s are played."
    if len(players) < 2:
        return f"A {word} needs two players."
    if unsettled:
        are = "is 1 fixture" if unsettled == 1 else f"are {unsettled} fixtures"
        return f"There {are} to play, or to settle, before the next {word}."
    if format_ == "elimination" and undecided(last, players):
        return "A fixture of this round has no winner: settle who goes on."
    if format_ == "elimination" and last and not any(goes_on(one, players) for one in last):
        return "All players have left who have not lost."
    return ""
