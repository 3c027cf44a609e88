"""Allocating hits to figures: to the closest, at random, or as the owner of the target picks."""

from __future__ import annotations

from client_protocol.choices import Choice, FiguresParameter, FiguresPicked, Picked
from server.kernel.answers.check import Asked
from server.kernel.facts import Rolled
from server.kernel.procedure import Steps, ask, roll
from server.kernel.state import State, Unit
from server.rulesets.fad.game import CHARACTER, LEADER, FadGame, FadRules
from server.rulesets.fad.shot import Shot

HIT_ALLOCATION = "hit_allocation"
CLOSEST, RANDOM, OWNER = "closest", "random", "owner"
"""The values of the option `hit_allocation`."""

DRAWN = "hits.allocation-random"
PICKED = "hits.allocation-owner"


def allocation(state: State) -> str:
    """Return how hits are allocated in this match."""
    return str(state.options.get(HIT_ALLOCATION, CLOSEST))


def allocate(game: FadGame, shot: Shot, hits: int) -> Steps[tuple[str, ...]]:
    """Return the figure that takes each hit: every visible figure takes one before any takes a second."""
    how = allocation(game.state)
    if shot.laid:
        # fad5/adv.mines.vs-infantry
        return closest(shot, hits)
    if how == RANDOM:
        return (yield from _drawn(game, shot, hits))
    if how == OWNER:
        return (yield from _as_picked(game, shot, hits))
    return closest(shot, hits)


def closest(shot: Shot, hits: int) -> tuple[str, ...]:
    """Return the figures that take the hits: the closest first (fad4/hits.allocate-closest)."""
    return tuple(shot.seen[i % len(shot.seen)] for i in range(hits))


def _drawn(game: FadGame, shot: Shot, hits: int) -> Steps[tuple[str, ...]]:
    """Draw a figure for each hit: without replacement until all visible ones are drawn (fad4/hits.allocation-random), or any
    of them each time (fad5/damage.allocate-random).
    """
    struck: list[str] = []
    left: list[str] = []
    for _ in range(hits):
        left = list(shot.seen) if game.rules.book.tables.hits.again or not left else left
        drawn = 0
        if len(left) > 1:
            count = len(left)
            (face,) = yield from roll(1, count, purpose="allocation")
            drawn = face - 1
            side = game.unit(shot.shooter).side
            yield Rolled("allocation", DRAWN, (face,), count, outcome=left[drawn], side=side, unit=shot.target)
        struck.append(left.pop(drawn))
    return tuple(struck)


def _as_picked(game: FadGame, shot: Shot, hits: int) -> Steps[tuple[str, ...]]:
    """Ask the owner of the target which figures take the hits that are left when all visible ones have equally many
    (fad4/hits.allocation-owner, fad5/damage.allocate-owner).
    """
    rounds, left = divmod(hits, len(shot.seen))
    whole = shot.seen * rounds
    if not left:
        return whole
    target = game.unit(shot.target)
    seat = game.state.seat_of(target.id)
    # fad5/damage.allocate-owner: who does not choose gives up the closest
    nearest = game.rules.book.tables.hits.given_up == CLOSEST
    default = shot.seen[:left] if nearest else least_worth(game.rules, target, left, shot.seen)
    pick = FiguresParameter(f"{target.name} takes {_hits(left)}", target.id, shot.seen, left, left)
    first = "The nearest" if nearest else "Nearest riflemen first"
    choice = Choice("allocate", "These are hit", PICKED, f"{first}, unless you pick others.", (pick,))
    more = " more" if rounds else ""
    title = f"{target.name} takes {_hits(left, more)}: choose who"
    picked = yield from ask(
        seat, Asked(title, (choice,), Picked("allocate", (FiguresPicked(default),)), PICKED, target.id)
    )
    value = picked.values[0]
    assert isinstance(value, FiguresPicked), "checked against the choice"
    return (*whole, *(figure for figure in shot.seen if figure in value.figures))


def _hits(count: int, more: str = "") -> str:
    return f"1{more} hit" if count == 1 else f"{count}{more} hits"


def least_worth(rules: FadRules, unit: Unit, count: int, among: tuple[str, ...]) -> tuple[str, ...]:
    """Return the `count` figures of `among` that an owner who does not choose gives up: riflemen first, then support gunners,
    the leader last.
    """

    def worth(key: str) -> int:
        role = unit.figures[key].role
        if role in {LEADER, CHARACTER}:
            return 2
        return int(rules.support(role) is not None or rules.heavy(role) is not None)

    return tuple(sorted(among, key=worth)[:count])
