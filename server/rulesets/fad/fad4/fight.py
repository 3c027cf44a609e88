"""FAD 4's close assault: all figures of both squads move into contact and fight, and the owners pick their dead."""

from __future__ import annotations

from server.kernel.state import State
from server.rulesets.fad.chapters import Fight, Losses
from server.rulesets.fad.charge import close_in
from server.rulesets.fad.game import BUSY, FadRules


def _fighters(_rules: FadRules, state: State, unit: str, _enemy: str) -> tuple[str, ...]:
    # fad4/assault.move-in; fad5/adv.characters.attach: not a character who has acted this turn
    return tuple(key for key, figure in state.units[unit].living.items() if BUSY not in figure.conditions)


def _losses(_rules: FadRules, state: State, unit: str, _enemy: str, _count: int) -> Losses:
    # fad4/assault.select-losses
    return Losses((), tuple(state.units[unit].living))


FIGHT = Fight(gather=close_in, fighters=_fighters, losses=_losses)
