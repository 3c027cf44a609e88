"""The steps of a generated set-up, in their order (fad4/npc.setup, fad5/scenario.sequence)."""

from __future__ import annotations

from collections.abc import Callable

from server.kernel.facts import Noted, SideToAct
from server.kernel.procedure import Steps
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.generated import counters
from server.rulesets.fad.generated.arriving import clash, start
from server.rulesets.fad.generated.choosing import choose_attitude, choose_stance, settle_recon
from server.rulesets.fad.generated.ground import place_objectives, take_edges
from server.rulesets.fad.generated.markers import count_markers, left_to_place, place_markers
from server.rulesets.fad.generated.missions import give_missions
from server.rulesets.fad.generated.noting import CLASH, STEP
from server.rulesets.fad.generated.revealing import reveal
from server.rulesets.fad.generated.spending import over, spend

Step = Callable[[FadGame], Steps[None]]


def step(game: FadGame) -> Steps[None]:
    """Return the step that comes next: a procedure of its own, so that each of them begins at a boundary."""
    return _STEPS[str(game.state.book[STEP])](game)


def _then(procedure: Step, following: str) -> Step:
    def run(game: FadGame) -> Steps[None]:
        yield from procedure(game)
        yield Noted(STEP, following)

    return run


def _missions(game: FadGame) -> Steps[None]:
    yield from give_missions(game)
    yield Noted(STEP, "clash" if game.state.book.get(CLASH) else "count")


def _place(game: FadGame) -> Steps[None]:
    if any(left_to_place(game.state, side) for side in game.state.sides):
        yield from place_markers(game)
    else:
        # fad5/scenario.spend-recon: who placed first begins
        yield SideToAct(str(game.state.book["generated.first"]))
        yield Noted(STEP, "spend")


def _spend(game: FadGame) -> Steps[None]:
    if over(game.state):
        yield Noted(STEP, "reveal")
    else:
        yield from spend(game)


def _reveal(game: FadGame) -> Steps[None]:
    """Reveal one marker that is left, or begin the first turn (fad5/scenario.reveal-forces)."""
    left = [marker.id for side in game.state.sides for marker in counters.contacts(game.state, side)]
    if left:
        yield from reveal(game, left[0], "scenario.reveal-forces")
    else:
        yield from start(game)


_STEPS: dict[str, Step] = {
    "stance": _then(choose_stance, "attitude"),
    "attitude": _then(choose_attitude, "recon"),
    "recon": _then(settle_recon, "edge"),
    "edge": _then(take_edges, "objectives"),
    "objectives": _then(place_objectives, "missions"),
    "missions": _missions,
    "clash": clash,
    "count": _then(count_markers, "place"),
    "place": _place,
    "spend": _spend,
    "reveal": _reveal,
}
