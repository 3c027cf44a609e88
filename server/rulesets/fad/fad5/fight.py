"""FAD 5's close assault: figures that see an enemy fight, defenders are not moved, and figures in contact fall first."""

from __future__ import annotations

from server.kernel.procedure import Steps
from server.kernel.standing import touches
from server.kernel.state import State
from server.rulesets.fad.chapters import Fight, Losses
from server.rulesets.fad.game import FadGame, FadRules


def _gather(_game: FadGame, _attacker: str, _target: str) -> Steps[None]:
    # fad5/assault.contributing: no figure is moved into contact beyond those that charged there
    yield from ()


def _fighters(rules: FadRules, state: State, unit: str, enemy: str) -> tuple[str, ...]:
    # fad5/assault.contributing: figures that see an enemy, at any distance; figures in contact always see it
    sight = rules.field(state)
    theirs = state.units[enemy].places()
    return tuple(
        key
        for key, figure in state.units[unit].living.items()
        if figure.at is not None
        and any(
            touches((figure.at, figure.radius), (at, radius)) or sight.sees(figure.at, figure.radius, at, radius)
            for at, radius in theirs
        )
    )


def _losses(rules: FadRules, state: State, unit: str, enemy: str, count: int) -> Losses:
    # fad5/assault.losses: those in contact first, then those in sight, each as their owner chooses
    theirs = state.units[enemy].places()
    fighting = _fighters(rules, state, unit, enemy)
    living = state.units[unit].living
    touching = tuple(
        key
        for key in fighting
        if (at := living[key].at) is not None and any(touches((at, living[key].radius), base) for base in theirs)
    )
    if count <= len(touching):
        return Losses((), touching)
    return Losses(touching, tuple(key for key in fighting if key not in touching))


FIGHT = Fight(
    gather=_gather,
    fighters=_fighters,
    losses=_losses,
    note="Counted as if every figure sees the enemy once they are in contact; who does not takes no part.",
)
