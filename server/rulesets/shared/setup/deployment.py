"""Deployment: the sides place one unit each in turn, or all units at once, hidden from each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from client_protocol.choices import Bond, Choice, FiguresPlaced, Picked, PlacementParameter
from server.kernel.answers.check import Asked
from server.kernel.errors import RulesetError
from server.kernel.facts import PhaseBegan, SideToAct, UnitAttached, UnitBoarded, UnitLeft, UnitPlaced
from server.kernel.finding.bonds import loosened
from server.kernel.procedure import Game, Steps, ask, ask_all
from server.kernel.space.geometry import Point
from server.kernel.state import State, Unit
from server.kernel.structs import Fixed
from server.rulesets.shared.roll_off import roll_off
from server.rulesets.shared.setup.berths import Berth, FreeSpace, Spots
from server.rulesets.shared.turns import DEPLOYMENT, NEXT_TURN, round_from

R = TypeVar("R")

NO_ROOM = "no_room"
"""The reason of a unit that leaves because its side's zone has no free space for it."""


class Deployment(Fixed, frozen=True):
    """How a family deploys.

    Attributes:
        rule: the rule by which units deploy.
        gap_rule: the rule by which a unit's figures stay together.
        gap: the largest gap between a unit's figures, in mil; 0 if there is no limit.
        barred: the terrain pieces on which a unit may not stand.
        blind: whether the sides place all units at once, hidden from each other.
        then: the phase that follows.
        carriers: the vehicles of its side in which a unit may begin the game.
        riding: the rule by which it may.
        hosts: the units of its side to which a unit may be attached as it is deployed.
        attaching: the rule by which a unit is attached.
        bonds: the figures of a unit that keep nearer together than the rest of it.
        spots: where a unit would better stand than at the places that are found for it.
    """

    rule: str
    gap_rule: str
    gap: Callable[[State, Unit], int]
    barred: Callable[[State, Unit], tuple[str, ...]]
    blind: bool = False
    then: str = NEXT_TURN
    carriers: Callable[[State, Unit], Sequence[str]] = lambda _state, _unit: ()
    riding: str = ""
    hosts: Callable[[State, Unit], Sequence[str]] = lambda _state, _unit: ()
    attaching: Callable[[Unit], str] = lambda _unit: ""
    bonds: Callable[[State, Unit], Sequence[Bond]] = lambda _state, _unit: ()
    spots: Spots | None = None


def undeployed(state: State, side: str) -> list[Unit]:
    """Return the units of `side` that are not placed yet."""
    return [unit for unit in state.units_of(side) if not (unit.on_table or unit.aboard or unit.attached)]


def crowding(state: State, side: str, deployment: Deployment) -> str | None:
    """Return a sentence that names the units of `side` for which its zone has no free space, or None if all fit."""
    _, left_over = _placements(state, undeployed(state, side), deployment)
    if not left_over:
        return None
    names = " and ".join(unit.name for unit in left_over)
    return f"The deployment zone of {state.sides[side].name} has no free space for {names}."


def refuse_crowds(state: State, deployment: Deployment) -> None:
    """Check, before any unit is placed, that every zone has free space for its side's units. Raises `RulesetError`."""
    if state.turn.phase == DEPLOYMENT and not any(unit.on_table for unit in state.units.values()):
        for side in state.sides:
            crowded = crowding(state, side, deployment)
            if crowded is not None:
                raise RulesetError(crowded)


def deploy(game: Game[R], deployment: Deployment) -> Steps[None]:
    """Run one step of the deployment: one unit of the side to act, or all units at once if it is blind."""
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
    seat, zone = game.state.sides[side].seat, game.state.sides[side].zone
    state = game.believed(seat)
    choices: dict[str, Choice] = {}
    space = FreeSpace(state)
    for unit in undeployed(state, side):
        found = _placement(state, space, unit, deployment)
        key = f"deploy:{unit.id}"
        if found is not None:
            choices[key] = _choice(key, f"Deploy {unit.name}", zone, [found], deployment)
        else:
            yield UnitLeft(unit.id, NO_ROOM, deployment.rule)
    if choices:
        key, first = next(iter(choices.items()))
        default = Picked(key, (_suggestion(first),))
        title = "Deploy one of your units"
        seats = _boarding(state, side, deployment, on_table=True)
        offered = (*choices.values(), *(choice for choice, _ in seats.values()))
        picked = yield from ask(seat, Asked(title, offered, default, deployment.rule))
        if picked.choice in seats:
            yield seats[picked.choice][1]
        else:
            yield from _place(picked, _parameter(choices[picked.choice]))
    # The next side that still has a unit to place.
    following = round_from(side, list(game.state.sides))
    yield SideToAct(next((other for other in following if undeployed(game.state, other)), side))


def _boarding(
    state: State, side: str, deployment: Deployment, *, on_table: bool
) -> dict[str, tuple[Choice, UnitBoarded | UnitAttached]]:
    """Return the choices by which units of `side` may begin aboard a vehicle, or attached to a unit that is not placed yet. With
    `on_table` only placed vehicles are offered.
    """
    found: dict[str, tuple[Choice, UnitBoarded | UnitAttached]] = {}
    for unit in undeployed(state, side):
        for vehicle in deployment.carriers(state, unit):
            carrier = state.units[vehicle]
            if carrier.on_table or not on_table:
                key = f"board:{unit.id}:{vehicle}"
                label = f"Deploy {unit.name} aboard {carrier.name}"
                found[key] = (Choice(key, label, deployment.riding), UnitBoarded(unit.id, vehicle, deployment.riding))
        for host in deployment.hosts(state, unit):
            if not state.units[host].on_table and not state.units[host].aboard:
                key, rule = f"attach:{unit.id}:{host}", deployment.attaching(unit)
                label = f"Attach {unit.name} to {state.units[host].name}"
                found[key] = (Choice(key, label, rule), UnitAttached(unit.id, host, rule))
    return found


def _blind_boarding(game: Game[R], deployment: Deployment) -> Steps[None]:
    """Ask each seat, one unit at a time, which units begin aboard a vehicle; the rest is then placed unseen."""
    done: set[str] = set()
    while True:
        seats: dict[str, dict[str, tuple[Choice, UnitBoarded | UnitAttached]]] = {}
        for side in game.state.sides.values():
            own = _boarding(game.believed(side.seat), side.id, deployment, on_table=False)
            if own and side.seat not in done:
                seats[side.seat] = own
        if not seats:
            return
        none = Choice("nobody-aboard", "No other unit begins aboard or attached", deployment.rule)
        title, default = "Which unit begins aboard a vehicle, or attached to another?", Picked("nobody-aboard")
        asked = {
            seat: Asked(title, (none, *(choice for choice, _ in own.values())), default, deployment.riding)
            for seat, own in seats.items()
        }
        picked = yield from ask_all(asked)
        for seat, own in seats.items():
            if picked[seat].choice in own:
                yield own[picked[seat].choice][1]
            else:
                done.add(seat)


def _blind(game: Game[R], deployment: Deployment) -> Steps[None]:
    yield from _blind_boarding(game, deployment)
    choices: dict[str, Choice] = {}
    for side in list(game.state.sides.values()):
        state = game.believed(side.seat)
        found, left_over = _placements(state, undeployed(state, side.id), deployment)
        for unit in left_over:
            yield UnitLeft(unit.id, NO_ROOM, deployment.rule)
        if found:
            choices[side.seat] = _choice("deploy", "Deploy your units", side.zone, found, deployment)
    if choices:
        title, rule = "Deploy all of your units, unseen", deployment.rule
        asked = {
            seat: Asked(title, (choice,), Picked("deploy", (_suggestion(choice),)), rule)
            for seat, choice in choices.items()
        }
        picked = yield from ask_all(asked)
        for seat, choice in choices.items():
            yield from _place(picked[seat], _parameter(choice))
    yield PhaseBegan(deployment.then)


class _Placement(Fixed, frozen=True):
    """A unit and the free space found for it."""

    unit: Unit
    gap: int
    barred: tuple[str, ...]
    berth: Berth
    bonds: tuple[Bond, ...]


def _placements(state: State, units: Sequence[Unit], deployment: Deployment) -> tuple[list[_Placement], list[Unit]]:
    """Return free space for as many of `units` (all of one side) as fit together, and the units that do not fit."""
    space = FreeSpace(state)
    found: list[_Placement] = []
    left_over: list[Unit] = []
    for unit in units:
        placement = _placement(state, space, unit, deployment)
        if placement is None:
            left_over.append(unit)
        else:
            space.take(unit, placement.berth)
            found.append(placement)
    return found, left_over


def _placement(state: State, space: FreeSpace, unit: Unit, deployment: Deployment) -> _Placement | None:
    """Return the free space for a unit; None if there is none."""
    gap, barred = deployment.gap(state, unit), deployment.barred(state, unit)
    bonds = deployment.bonds(state, unit)
    berth = space.find(unit, state.sides[unit.side].zone, gap, barred, bonds, deployment.spots)
    return None if berth is None else _Placement(unit, gap, barred, berth, loosened(unit, bonds, berth.places))


def _choice(
    key: str,
    label: str,
    zone: tuple[Point, ...],
    found: Sequence[_Placement],
    rules: Deployment,
) -> Choice:
    parameter = PlacementParameter(
        units=tuple(placement.unit.id for placement in found),
        zone=zone,
        gaps=tuple(placement.gap for placement in found),
        barred=tuple(placement.barred for placement in found),
        suggested=tuple(placement.berth.places for placement in found),
        gap_rule=rules.gap_rule,
        facings=tuple(p.berth.facings for p in found) if any(p.berth.facings for p in found) else (),
        bonds=tuple(bond for placement in found for bond in placement.bonds),
    )
    return Choice(key, label, rules.rule, "", (parameter,))


def _parameter(choice: Choice) -> PlacementParameter:
    parameter = choice.parameters[0]
    assert isinstance(parameter, PlacementParameter), "deployment places figures"
    return parameter


def _suggestion(choice: Choice) -> FiguresPlaced:
    return FiguresPlaced(_parameter(choice).suggested, _parameter(choice).facings)


def _place(picked: Picked, parameter: PlacementParameter) -> Steps[None]:
    placed = picked.values[0]
    assert isinstance(placed, FiguresPlaced), "checked against the choice"
    # The sender may leave facings out: those hulls then face as suggested.
    facings = placed.facings or parameter.facings or ({},) * len(parameter.units)
    for unit, places, faces in zip(parameter.units, placed.places, facings, strict=True):
        yield UnitPlaced(unit, places, faces)
