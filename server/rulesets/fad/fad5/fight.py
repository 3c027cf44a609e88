"""FAD 5's close assault: figures that see an enemy fight, defenders are not moved, and figures in contact fall first."""

from __future__ import annotations

from client_protocol.choices import Choice, PathsDeclared, Picked
from server.kernel.answers.check import Asked
from server.kernel.facts import Declared
from server.kernel.procedure import Steps, ask
from server.kernel.space.geometry import gap, to_mil
from server.kernel.standing import touches
from server.kernel.state import State
from server.rulesets.fad import movement
from server.rulesets.fad.chapters import Fight, Losses
from server.rulesets.fad.fad5.withdrawal import withdraw
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.travel import go


def _gather(_game: FadGame, _attacker: str, _target: str) -> Steps[None]:
    # fad5/assault.contributing: no figure is moved into contact beyond those that charged there
    yield from ()


def _fighters(rules: FadRules, state: State, unit: str, enemy: str) -> tuple[str, ...]:
    # fad5/assault.contributing: figures that see an enemy, at any distance; figures in contact always see it
    # as in shooting: vehicles block it, and those of the squads themselves do not
    sight, blocking = rules.field(state), rules.hulls(state)
    theirs = state.units[enemy].places()
    return tuple(
        key
        for key, figure in state.units[unit].living.items()
        if figure.at is not None
        and any(
            touches((figure.at, figure.radius), (at, radius))
            or sight.sees(figure.at, figure.radius, at, radius, blocking)
            for at, radius in theirs
        )
    )


def _losses(rules: FadRules, state: State, unit: str, enemy: str, count: int) -> Losses:
    # fad5/assault.losses: those in contact first, then those in sight, each as their owner chooses; by default the nearest
    theirs = state.units[enemy].places()
    living = state.units[unit].living

    def away(key: str) -> int:
        at = living[key].at
        return min((to_mil(gap(at, living[key].radius, *base)) for base in theirs), default=0) if at is not None else 0

    fighting = tuple(sorted(_fighters(rules, state, unit, enemy), key=away))
    touching = tuple(
        key
        for key in fighting
        if (at := living[key].at) is not None and any(touches((at, living[key].radius), base) for base in theirs)
    )
    if count <= len(touching):
        return Losses((), touching)
    return Losses(touching, tuple(key for key in fighting if key not in touching))


def _fall_short(game: FadGame, attacker: str, target: str, manner: str) -> Steps[None]:
    # fad5/assault.free-shot-losses: no figure can reach the target any more, and what is left is a plain Move
    rule = "assault.free-shot-losses"
    yield Declared(attacker, "falls-short", rule, target)
    if manner == movement.LEAP:
        # fad5/transport.disembark: it goes no farther than a charge out of the vehicle takes it
        return
    seat = game.state.seat_of(attacker)
    state = game.believed(seat)
    parameter = movement.path_parameter(game.rules, state, attacker, movement.MOVE)
    name, other = state.units[attacker].name, state.units[target].name
    choices = (
        Choice("move", "Move", rule, "A plain Move, without the bonus of an assault.", (parameter,)),
        Choice("stay", "Stay", rule),
    )
    asked = Asked(f"{name} cannot reach {other} any more", choices, Picked("stay"), rule, attacker)
    picked = yield from ask(seat, asked)
    if picked.choice == "move":
        declared = picked.values[0]
        assert isinstance(declared, PathsDeclared), "checked against the choice"
        yield from go(game, attacker, declared, movement.MOVE, rule)


FIGHT = Fight(
    gather=_gather,
    fighters=_fighters,
    losses=_losses,
    fall_short=_fall_short,
    withdraw=withdraw,
    keeps_together=True,
    note="The odds assume that all figures see the enemy once in contact; figures that do not see it do not fight.",
)
