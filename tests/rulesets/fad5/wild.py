"""Positions in which squads fight hand to hand and break sooner than in the scenario, and vehicles shoot and are shot at."""

from __future__ import annotations

import random
from collections.abc import Mapping

from msgspec import UNSET
from msgspec.structs import replace

from client_protocol.shapes import OptionValue
from server.kernel.bodies import is_vehicle
from server.kernel.notes import Note
from server.kernel.state import State
from server.kernel.traits import Traits, has, of
from server.rulesets.fad.commanders import COMMANDER, COMPANY, PLATOON, VETERAN
from server.rulesets.fad.game import LEADER
from server.rulesets.fad.setup.book import Book
from server.rulesets.fad.vehicles.squads import SQUAD
from tests.rulesets.fad4 import wild
from tests.rulesets.fad5.battlefield import fad5, vehicle
from tests.support.battlefield import piece
from tests.support.tabletop import Row


def position(chance: random.Random, options: Mapping[str, OptionValue]) -> State:
    """Return a position as in FAD 4's random games: squads of every kind, 8 to 12 inches apart, with obstacles and a
    house between, and vehicles behind them. Some squads are allowed only scattered fire.
    """
    state = wild.position(
        chance,
        options,
        "fad5",
        terrain=[piece("mire", (40, 12), (48, 24))],
        between=lambda south: [*_lines(chance, south), _house(chance, south)],
        vehicles=_vehicles,
    )
    for unit in state.units.values():
        if not is_vehicle(unit) and chance.randrange(8) == 0:
            state = state.with_unit(replace(unit, traits={**of(unit), "scattered_fire": True}))
    if options.get("mixed_small_arms") == "on":
        state = _with_other_arms(chance, state)
    return state if chance.randrange(4) == 0 else _with_leaders(chance, state)


def _with_other_arms(chance: random.Random, state: State) -> State:
    """Return a position in which some riflemen have other small arms than their squads."""
    arms = [key for key, row in fad5().book.small_arms.items() if row.issued]
    for unit in state.units.values():
        if is_vehicle(unit) or has(unit, "sniper") or chance.randrange(2):
            continue
        figures = {
            key: replace(figure, role=chance.choice(arms)) if not figure.role and chance.randrange(3) == 0 else figure
            for key, figure in unit.figures.items()
        }
        state = state.with_unit(replace(unit, figures=figures))
    return state


def _lines(chance: random.Random, south: float) -> list[Row]:
    """Return lines of some heights, where no vehicle stands."""
    kinds = chance.sample(["hedge", "barricade", "fence", "high_wall", "rampart"], 3)
    heights = (south + 0.5, south + 3, south + 5.5)
    return [piece(kind, (22, y), (chance.choice([32, 48]), y)) for kind, y in zip(kinds, heights, strict=True)]


def _house(chance: random.Random, south: float) -> Row:
    """Return a house that can be entered, with its southern side there; a small one may collapse."""
    if chance.randrange(3) == 0:
        at = chance.choice([(9, south), (9, south + 5)])
        return piece("house", (6, south), (12, south + 5), openings=[{"kind": "door", "at": at, "width": 2}])
    kinds = ["door", "window", "gate", "barred_door"]
    places = [(10, south), (15, south), (10, south + 6), (15, south + 6), (6, south + 3)]
    openings = [{"kind": chance.choice(kinds), "at": at, "width": chance.choice([1.5, 2, 3])} for at in places]
    return piece("house", (6, south), (20, south + 6), openings=openings)


def _vehicles(
    chance: random.Random,
    book: Book,
    side: str,
    y: float,
    options: Mapping[str, OptionValue],
) -> list[Row]:
    """Return up to three vehicles, some of them damaged, in the air or of a formation, some with squads aboard."""
    found: list[Row] = []
    formation = {SQUAD: "Wolves"} if chance.randrange(2) else {}
    for place in range(chance.randrange(4)):
        carrier, seats = f"{side}-carrier-{place}", chance.choice([0, 5, 10, 10])
        found.append(
            _vehicle(chance, book, side, 12 + 12 * place, y) | formation | {"id": carrier, "seats": seats},
        )
        if seats and chance.randrange(2):
            squad = wild.squad(chance, book, side, None, 0, options, most=(seats - 1) // 2)
            found.append(squad | {"aboard": carrier})
    return found


def _vehicle(chance: random.Random, book: Book, side: str, x: float, y: float) -> Row:
    weapons = chance.sample(list(book.heavy_weapons), chance.randrange(1, 4))
    marks = [mark for mark in ("under_fire", "immobilised", "out_of_action", "crew_shaken") if chance.randrange(4) == 0]
    mobility = chance.choice(list(book.mobilities))
    if mobility == "fly":
        low = {"immobilised", "out_of_action"}
        marks += ["landed"] if low.intersection(marks) else chance.choice([[], [], ["landed"], ["touched_down"]])
    own: Row = {"open_topped": True} if chance.randrange(4) == 0 else {}
    own |= {"shock": chance.randrange(1, 7)} if chance.randrange(3) == 0 else {}
    return vehicle(
        side,
        (x, y),
        facing=chance.randrange(360),
        quality=chance.choice(list(book.qualities)),
        mobility=mobility,
        armour=chance.choice([(0, 0, 0), (5, 4, 3), (7, 5, 4), (9, 6, 4)]),
        weapons=weapons,
        hull=chance.choice([(2.0, 1.5), (4.0, 2.0)]),
        fire_control=chance.choice(list(book.fire_controls)),
        conditions=marks,
        pintle=["m1"] if chance.randrange(3) == 0 else [],
        traits=own,
    )


def _with_leaders(chance: random.Random, state: State) -> State:
    """Return a position in which some squads have a veteran leader or a commander, and some belong to platoons."""
    taken = set[tuple[str, str]]()
    for unit in state.units.values():
        if is_vehicle(unit):
            continue
        platoon = chance.choice(["", "First", "Second"])
        profile: dict[str, Note] = {**unit.profile, **({PLATOON: platoon} if platoon else {})}
        has_leader = len(unit.figures) == 1 or any(figure.role == LEADER for figure in unit.figures.values())
        traits: Traits = dict(of(unit))
        if has_leader and chance.randrange(2) == 0:
            traits[VETERAN] = True
        if has_leader and (unit.side, platoon) not in taken and chance.randrange(2) == 0:
            traits[chance.choice([COMMANDER, COMPANY])] = True
            taken.add((unit.side, platoon))
        state = state.with_unit(replace(unit, profile=profile, traits=traits or UNSET))
    return state
