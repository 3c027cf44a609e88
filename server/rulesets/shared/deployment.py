"""Deployment: in turns, one unit each, or blind, all at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec import Struct

from client_protocol.choices import Choice, FiguresPlaced, Picked, PlacementParameter
from server.kernel.facts import PhaseBegan, SideToAct, UnitLeft, UnitPlaced
from server.kernel.formation import Ground, set_down
from server.kernel.geometry import Point
from server.kernel.procedure import Game, Steps, ask, ask_all
from server.kernel.prompts import Asked, bases, terrain_of
from server.kernel.state import State, Unit
from server.rulesets.shared.roll_off import roll_off
from server.rulesets.shared.turns import round_from

R = TypeVar("R")

NO_ROOM = "no_room"
"""Why a unit left that found no room in its side's zone."""


class Deployment(Struct, frozen=True):
    """How a family deploys.

    `rule` and `gap_rule` are the rules by which one deploys and keeps together; `gap` is how far apart (mil) a unit's figures may
    stand (0: not asked), `barred` the terrain pieces on which a unit may not stand; `blind` whether all place everything at once,
    unseen; `then` the phase that follows.
    """

    rule: str
    gap_rule: str
    gap: Callable[[State, Unit], int]
    barred: Callable[[State, Unit], tuple[str, ...]]
    blind: bool = False
    then: str = "turn"


def undeployed(state: State, side: str) -> list[Unit]:
    """The units of `side` that are still to be placed."""
    return [unit for unit in state.units_of(side) if not unit.on_table and not unit.aboard]


def room_for(state: State, side: str, deployment: Deployment) -> str | None:
    """Why the units of `side` do not all fit into its zone, in a sentence; None when they do."""
    _, left_over = _berths(state, undeployed(state, side), deployment)
    if not left_over:
        return None
    names = " and ".join(unit.name for unit in left_over)
    return f"The deployment zone of {state.sides[side].name} has no room for {names}."


def deploy(game: Game[R], deployment: Deployment) -> Steps[None]:
    """One step of the deployment: a unit in turns, or everything at once when blind."""
    if not any(undeployed(game.state, side) for side in game.state.sides):
        yield PhaseBegan(deployment.then)
    elif deployment.blind:
        yield from _blind(game, deployment)
    elif not game.state.turn.active:
        # The loser of the roll begins.
        order = yield from roll_off(game, "deployment", deployment.rule, "lowest")
        yield SideToAct(order[-1])
    else:
        yield from _one_unit(game, game.state.turn.active, deployment)


def _one_unit(game: Game[R], side: str, deployment: Deployment) -> Steps[None]:
    seat = game.state.sides[side].seat
    state = game.believed(seat)
    choices = []
    for unit in undeployed(state, side):
        berths, _ = _berths(state, [unit], deployment)
        if berths:
            choices.append(_choice(f"deploy:{unit.id}", f"Deploy {unit.name}", state, side, berths, deployment))
        else:
            yield UnitLeft(unit.id, NO_ROOM, deployment.rule)
    if choices:
        default = Picked(choices[0].key, (_suggestion(choices[0]),))
        picked = yield from ask(seat, Asked("Deploy one of your units", tuple(choices), default, deployment.rule))
        yield from _place(picked, [picked.choice.removeprefix("deploy:")])
    # The next side round that has one to place.
    following = round_from(side, list(game.state.sides))
    yield SideToAct(next((other for other in following if undeployed(game.state, other)), side))


def _blind(game: Game[R], deployment: Deployment) -> Steps[None]:
    asked: dict[str, Asked] = {}
    for side in list(game.state.sides.values()):
        state = game.believed(side.seat)
        berths, left_over = _berths(state, undeployed(state, side.id), deployment)
        for unit in left_over:
            yield UnitLeft(unit.id, NO_ROOM, deployment.rule)
        if berths:
            choice = _choice("deploy", "Deploy your units", state, side.id, berths, deployment)
            default = Picked("deploy", (_suggestion(choice),))
            asked[side.seat] = Asked("Deploy all of your units, unseen", (choice,), default, deployment.rule)
    if asked:
        picked = yield from ask_all(asked)
        for side in list(game.state.sides.values()):
            if side.seat in picked:
                yield from _place(picked[side.seat], [unit.id for unit in undeployed(game.state, side.id)])
    yield PhaseBegan(deployment.then)


class _Berth(Struct, frozen=True):
    """Where a unit finds room."""

    unit: Unit
    gap: int
    barred: tuple[str, ...]
    places: dict[str, Point]


def _berths(state: State, units: Sequence[Unit], deployment: Deployment) -> tuple[list[_Berth], list[Unit]]:
    """Room for as many of `units` (of one side) as find it, one after the other, and the units that do not."""
    found: list[_Berth] = []
    left_over: list[Unit] = []
    size = (state.table.width, state.table.height)
    taken = bases(state)
    for unit in units:
        gap, barred = deployment.gap(state, unit), deployment.barred(state, unit)
        ground = Ground(size, terrain_of(state, barred), taken)
        places = set_down(unit, state.sides[unit.side].zone, ground, gap)
        if places:
            taken += [(at, unit.figures[key].radius) for key, at in places.items()]
            found.append(_Berth(unit, gap, barred, places))
        else:
            left_over.append(unit)
    return found, left_over


def _choice(key: str, label: str, state: State, side: str, berths: Sequence[_Berth], deployment: Deployment) -> Choice:
    barred = dict.fromkeys(piece for berth in berths for piece in berth.barred)
    parameter = PlacementParameter(
        units=tuple(berth.unit.id for berth in berths),
        zone=state.sides[side].zone,
        gaps=tuple(berth.gap for berth in berths),
        barred=tuple(barred),
        suggested=tuple(berth.places for berth in berths),
        gap_rule=deployment.gap_rule,
    )
    return Choice(key, label, deployment.rule, "", (parameter,))


def _suggestion(choice: Choice) -> FiguresPlaced:
    parameter = choice.parameters[0]
    assert isinstance(parameter, PlacementParameter), "deployment places figures"
    return FiguresPlaced(parameter.suggested)


def _place(picked: Picked, units: list[str]) -> Steps[None]:
    placed = picked.values[0]
    assert isinstance(placed, FiguresPlaced), "checked against the choice"
    for unit, places in zip(units, placed.places, strict=True):
        yield UnitPlaced(unit, places)
