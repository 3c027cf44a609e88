"""Who meets whom in the next round."""

from __future__ import annotations

from collections.abc import Sequence

from client_protocol.leagues import LeagueTerms
from server.leagues.rules.elimination import elimination
from server.leagues.rules.round_robin import round_robin
from server.leagues.rules.settled import Settled
from server.leagues.rules.sides import NO_SIDES, Sides, round_robin_of_sides, swiss_of_sides
from server.leagues.rules.swiss import swiss


def pairs(
    terms: LeagueTerms,
    seeding: Sequence[str],
    playing: Sequence[str],
    settled: Sequence[Settled],
    number: int,
    sides: Sides = NO_SIDES,
) -> tuple[tuple[str, ...], ...]:
    """Return the pairs of a round; one player alone has a bye.

    Args:
        terms: say who meets whom.
        seeding: all players, in the order in which they joined, also those who have left.
        playing: those who still play.
        settled: the fixtures that are over.
        number: the number of the round, counted from 1.
        sides: the sides of all players; empty where each plays alone.
    """
    match terms.format:
        case "round_robin":
            if sides:
                drawn = round_robin_of_sides(seeding, sides, number)
                return tuple(pair for pair in drawn if all(one in playing for one in pair))
            drawn = round_robin(seeding, number)
            present = [tuple(one for one in pair if one in playing) for pair in drawn]
            return tuple(pair for pair in present if pair)
        case "swiss":
            return swiss_of_sides(playing, settled, terms, sides) if sides else swiss(playing, settled, terms)
        case "elimination":
            return elimination(seeding, playing, settled, number)
        case "free" | "ladder" | "map":
            return ()
