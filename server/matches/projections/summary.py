"""Summaries of matches for a start page, from public knowledge. Pure."""

from __future__ import annotations

from msgspec import Struct

from client_protocol.clocks import ClockTerms
from client_protocol.from_server import MatchSummary, Score
from client_protocol.view import ResultView
from server.kernel.answers.check import Ask
from server.kernel.belief import SPECTATORS, believed
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.matches.log.fold import Fold


class Glance(Struct, frozen=True):
    """What a summary is made of, as far as it can be had without counting figures: equal glances, equal summaries.

    The first four are what other servers learn of at once. The rest changes with every answer: `step` is the entry of the last
    one, and `branch` the entry from which the rules began.
    """

    players: dict[str, str]
    turn: int
    over: bool
    clock: ClockTerms | None
    spectators: int
    deciding: tuple[str, ...]
    since: int
    step: int
    branch: int

    def urgent(self, before: Glance) -> bool:
        """Whether other servers are to learn at once what has changed since a glance before."""
        return (self.players, self.turn, self.over, self.clock) != (
            before.players,
            before.turn,
            before.over,
            before.clock,
        )


def glance(fold: Fold, ask: Ask | None, spectators: int) -> Glance:
    """Return what has changed if the summary has changed. See `match_summary`."""
    state, clock = fold.state, fold.state.desk.clock
    return Glance(
        state.desk.players,
        state.turn.number,
        state.result is not None,
        None if clock is None else clock.terms,
        spectators,
        _deciding(ask, state),
        fold.decided_at,
        fold.marks[-1].number if fold.marks else 0,
        # Going back to a boundary changes the table, and nothing else of these.
        fold.branch,
    )


def match_summary(fold: Fold, ask: Ask | None, spectators: int, rules: Ruleset) -> MatchSummary:
    """Return the summary of a match for a start page.

    Args:
        fold: the match.
        ask: the open ask.
        spectators: the number of spectators.
        rules: its edition.
    """
    state = believed(fold.state, SPECTATORS)
    players, result, clock = state.desk.players, state.result, state.desk.clock
    full = all(seat in players for seat in fold.seats)
    return MatchSummary(
        match=fold.opened.match,
        title=fold.opened.title,
        edition=fold.opened.edition,
        state="over" if result is not None else "running" if full else "open",
        turn=state.turn.number,
        made_at=fold.made_at,
        seats=tuple((side.seat, side.name, players.get(side.seat, "")) for side in state.sides.values()),
        deciding=_deciding(ask, state),
        result=None if result is None else ResultView(result.winner, result.reason, result.rule, result.how),
        since=fold.decided_at,
        score=score(state),
        clock=None if clock is None else clock.terms,
        spectators=spectators,
        turn_limit=rules.turn_limit(state),
    )


def _deciding(ask: Ask | None, state: State) -> tuple[str, ...]:
    return () if ask is None else tuple(seat for seat in ask.seats if seat not in state.sealed)


def score(state: State) -> tuple[Score, ...]:
    """Return the score of each seat. A unit that has left the game is lost with all its figures."""
    units, objectives = state.units.values(), state.objectives.values()
    return tuple(
        Score(
            side.seat,
            left=sum(unit.strength for unit in units if unit.side == side.id and not unit.left),
            of=sum(len(unit.figures) for unit in units if unit.side == side.id),
            objectives=sum(objective.held_by == side.id for objective in objectives),
        )
        for side in state.sides.values()
    )
