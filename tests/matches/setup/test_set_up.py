"""Matches that begin from a setup file: made, played, and loaded again from their logs."""

from __future__ import annotations

import json

import pytest

from client_protocol.from_client import MakeMatch
from client_protocol.from_server import MatchMade, Refused, Snapshot
from server.kernel.belief import SPECTATORS
from server.kernel.files import setups
from server.matches.rooms import Rooms
from server.opponents.simulation import play
from server.rulesets.library import edition, editions
from server.store.store import MatchStore
from tests.support.playing import Listener
from tests.support.room import Table, eventually, ready, rooms_on


def setup_of(name: str) -> dict[str, object]:
    """Return a position in the middle of a game, with a name of its own."""
    rules = edition(name)
    steps = list(play(rules, rules.open(rules.info.scenarios[0].id, {}), 3))
    return {**setups.write(steps[len(steps) // 2].after), "name": "After the rain"}


def message(setup: dict[str, object], mine: tuple[str, ...] | None = None) -> MakeMatch:
    sides = setup["side"]
    assert isinstance(sides, list)
    # The message's edition, scenario and options are ignored.
    return MakeMatch(
        "1", "chess", "x", "Ann", tuple(s["id"] for s in sides) if mine is None else mine, {"weather": 1}, setup="u"
    )


async def snapshot(rooms: Rooms, match: str) -> Snapshot:
    room = await rooms.get(match)
    assert room is not None
    spectator = Listener()
    room.enter(SPECTATORS, -1, spectator.connection)
    found = spectator.messages[0]
    assert isinstance(found, Snapshot)
    return found


@pytest.mark.parametrize("name", editions())
async def test_a_match_made_from_a_setup_can_be_loaded_again(store: MatchStore, name: str) -> None:
    setup = setup_of(name)
    data = json.dumps(setup).encode()
    async with rooms_on(store, edition(name)) as rooms:
        checked = await rooms.check_setup("0", data)
        made = await rooms.make(message(setup), data)
        assert isinstance(made, MatchMade), made
        assert [bool(given.token) for given in made.passes] == [True] * len(made.passes)
        seen = await snapshot(rooms, made.match)
        assert checked.view is not None
        assert (seen.edition, seen.view.title, seen.table) == (name, "After the rain", checked.table)
        assert (seen.view.units, seen.view.turn) == (checked.view.units, checked.view.turn)
        assert seen.origin
        room = await rooms.get(made.match)
        assert room is not None
        await ready(room)
        table = Table(room)
        await eventually(lambda: bool(table.asked))
        asked = table.asked
    async with rooms_on(store, edition(name)) as again:
        room = await again.get(made.match)
        assert room is not None
        assert Table(room).asked == asked
        (listed,) = await again.listing()
        assert (listed.title, listed.edition, listed.state) == ("After the rain", name, "running")


@pytest.mark.parametrize("name", editions())
async def test_a_match_that_cannot_begin_is_refused_and_none_is_made(store: MatchStore, name: str) -> None:
    setup = setup_of(name)
    async with rooms_on(store, edition(name)) as rooms:
        for data, code in (
            (b"", "bad_position"),
            (json.dumps({**setup, "unit": []}).encode(), "bad_position"),
            (json.dumps({**setup, "edition": "chess"}).encode(), "bad_position"),
        ):
            refused = await rooms.make(message(setup), data)
            assert isinstance(refused, Refused)
            assert (refused.id, refused.code, refused.sentence[-1]) == ("1", code, ".")
        data = json.dumps(setup).encode()
        assert (await rooms.make(message(setup, ("nobody",)), data)).code == "no_seat"  # type: ignore[union-attr]  # refused
        assert await rooms.listing() == ()
