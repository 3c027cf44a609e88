"""Deployment: in turns, the loser of a die first, or blind, both at once (fad4/setup.victory)."""

from __future__ import annotations

from client_protocol.choices import Choice, FiguresPlaced, Picked, PlacementParameter
from server.kernel.facts import PhaseBegan, SideToAct, UnitPlaced
from server.kernel.formation import Ground, set_down
from server.kernel.geometry import Point
from server.kernel.procedure import Steps, ask, ask_all
from server.kernel.prompts import Asked, bases, terrain_of
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.movement import CoherencyDistance
from server.rulesets.fad.roll_off import roll_off

RULE = "setup.victory"


def undeployed(state: State, side: str) -> list[Unit]:
    """The units of `side` that are not on the table yet."""
    return [unit for unit in state.units_of(side) if not unit.on_table]


def deploy(game: FadGame) -> Steps[None]:
    """One step of the deployment: a unit in turns, or everything at once when blind."""
    if not any(undeployed(game.state, side) for side in game.state.sides):
        yield PhaseBegan("turn")
    elif game.state.options.get("deployment") == "blind":
        yield from _blind(game)
    elif not game.state.turn.active:
        yield from _first(game)
    else:
        yield from _one_unit(game, game.state.turn.active)


def _first(game: FadGame) -> Steps[None]:
    while True:
        faces = yield from roll_off(game, "deployment", RULE)
        if faces.count(min(faces)) == 1:
            break
    # The loser of the roll begins.
    yield SideToAct(list(game.state.sides)[faces.index(min(faces))])


def _one_unit(game: FadGame, side: str) -> Steps[None]:
    units = undeployed(game.state, side)
    seat = game.state.sides[side].seat
    if units:
        state = game.believed(seat)
        choices = tuple(
            _choice(game.rules, state, f"deploy:{unit.id}", f"Deploy {unit.name}", [unit]) for unit in units
        )
        default = Picked(choices[0].key, (_suggestion(choices[0]),))
        picked = yield from ask(seat, Asked("Deploy one of your units", choices, default, RULE))
        yield from _place(picked, [picked.choice.removeprefix("deploy:")])
    sides = list(game.state.sides)
    after = sides[(sides.index(side) + 1) % len(sides)]
    yield SideToAct(after if undeployed(game.state, after) else side)


def _blind(game: FadGame) -> Steps[None]:
    asked: dict[str, Asked] = {}
    for side in game.state.sides.values():
        state = game.believed(side.seat)
        units = undeployed(state, side.id)
        if units:
            choice = _choice(game.rules, state, "deploy", "Deploy your units", units)
            asked[side.seat] = Asked(
                "Deploy all of your units, unseen", (choice,), Picked("deploy", (_suggestion(choice),)), RULE
            )
    picked = yield from ask_all(asked)
    for side in list(game.state.sides.values()):
        if side.seat in picked:
            yield from _place(picked[side.seat], [unit.id for unit in undeployed(game.state, side.id)])
    yield PhaseBegan("turn")


def _place(picked: Picked, units: list[str]) -> Steps[None]:
    placed = picked.values[0]
    assert isinstance(placed, FiguresPlaced), "checked against the choice"
    for unit, places in zip(units, placed.places, strict=True):
        yield UnitPlaced(unit, places)


def _choice(rules: FadRules, state: State, key: str, label: str, units: list[Unit]) -> Choice:
    side = state.sides[units[0].side]
    limits = tuple(rules.advisers.answer(state, CoherencyDistance(unit.id)).value for unit in units)
    barred = rules.pieces_with(state, "impassable")
    size = (state.table.width, state.table.height)
    ground = Ground(size, terrain_of(state, barred), bases(state))
    suggested: list[dict[str, Point]] = []
    for unit, limit in zip(units, limits, strict=True):
        places = set_down(unit, side.zone, ground, limit)
        assert places, f"the deployment zone of {side.name} has no room for {unit.name}"
        for figure, at in places.items():
            ground.take(at, unit.figures[figure].radius)
        suggested.append(places)
    parameter = PlacementParameter(
        units=tuple(unit.id for unit in units),
        zone=side.zone,
        gaps=limits,
        barred=barred,
        suggested=tuple(suggested),
        gap_rule="coherency.distance",
    )
    return Choice(key, label, RULE, "", (parameter,))


def _suggestion(choice: Choice) -> FiguresPlaced:
    parameter = choice.parameters[0]
    assert isinstance(parameter, PlacementParameter), "deployment places figures"
    return FiguresPlaced(parameter.suggested)
