"""What-if in whole random games of every edition: wherever a seat imagines its units, the server answers."""

from __future__ import annotations

import random

import pytest

from client_protocol.codec import pack
from client_protocol.from_client import AskWhatIf, GhostPlaces
from client_protocol.from_server import WhatIf
from server.kernel.belief import believed
from server.kernel.bodies import is_vehicle
from server.kernel.space.geometry import Point
from server.kernel.state import State, Unit
from server.matches.projections.what_if import what_if
from server.opponents.simulation import play
from server.rulesets.library import edition
from tests.rulesets.openings import EVERY_KIND, opening

SELDOM = 10
"""Steps of a game from one what-if to the next."""


def ghosts(chance: random.Random, state: State, seat: str) -> dict[str, GhostPlaces]:
    """Return places for a seat's units anywhere: in order, in a heap, on top of others, each figure on its own, half over the
    edge.
    """
    own = [
        unit for unit in state.units.values() if state.seat_of(unit.id) == seat and not unit.left and not unit.attached
    ]
    return {
        unit.id: _ghost(chance, state, unit) for unit in chance.sample(own, chance.randint(min(1, len(own)), len(own)))
    }


def _ghost(chance: random.Random, state: State, unit: Unit) -> GhostPlaces:
    width, height = state.table.width, state.table.height
    taken = [at for other in state.units.values() for at, _ in other.places()]
    middle = (chance.randint(0, width), chance.randint(0, height))
    if taken and chance.randrange(2):
        middle = chance.choice(taken)
    loose = chance.choice([0, 500, 1_500, 6_000])

    def near() -> Point:
        x, y = (at + chance.randint(-loose, loose) for at in middle)
        return (min(max(x, 0), width), min(max(y, 0), height))

    facings = {key: chance.randint(-36_000, 36_000) for key in unit.living} if is_vehicle(unit) else {}
    return GhostPlaces({key: near() for key in unit.living}, facings)


@pytest.mark.parametrize(("name", "kind"), EVERY_KIND)
def test_every_what_if_in_a_game_has_an_answer(name: str, kind: str) -> None:
    rules, chance = edition(name), random.Random(f"{name} {kind}")
    told = 0
    for number, played in enumerate(play(rules, opening(name, kind, 0), 0, orders=True)):
        if number % SELDOM:
            continue
        for seat in {side.seat for side in played.after.sides.values()}:
            state = believed(played.after, seat)
            imagined = ghosts(chance, state, seat)
            for unit in list(imagined)[:1]:
                found = what_if(rules, state, seat, AskWhatIf("i", unit, imagined))
                assert isinstance(found, WhatIf), found
                pack(found)
                enemies = {key for key, other in state.units.items() if other.side != state.units[unit].side}
                assert all(row.target in enemies for row in found.targets if row.previews), "friends are not fired at"
                told += 1
    assert told
