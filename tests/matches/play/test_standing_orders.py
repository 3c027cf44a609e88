"""Standing orders: given by the owner, hidden from others, kept after a crash, obeyed."""

from __future__ import annotations

import pytest

from client_protocol.codec import pack
from client_protocol.from_client import Answer, ExportSetup, Order
from client_protocol.from_server import Accepted, Refused, Update
from server.matches.log.audiences import audience_of
from server.matches.rooms import Rooms
from server.store.store import MatchStore
from tests.support.room import THREE_WAY, Table, begun, eventually, made, rooms_on


def order(unit: str, what: str, id_: str = "order-01") -> Order:
    return Order(id_, unit, what)


async def test_a_standing_order_is_seen_by_its_owner_alone(rooms: Rooms) -> None:
    table = await begun(rooms)
    frames = {audience: list(listener.frames) for audience, listener in table.listeners.items()}
    prompt = table.prompt("red")
    reply = await table.room.order("red", order("red-1", "stop"))
    red = table.listeners["red"]
    assert reply == Accepted("order-01", red.seqs[-1])
    last = red.messages[-1]
    assert isinstance(last, Update)
    assert (last.patch, last.story, last.prompt, last.closed) == (
        {"units": {"red-1": {"order": "stop"}}},
        (),
        None,
        False,
    )
    for audience in ("blue", ""):
        assert table.listeners[audience].frames == frames[audience]
        assert table.room.teller.snapshot(audience_of(audience)).view.units["red-1"].order == ""
    # The open prompt stays open under its id.
    assert table.prompt("red") == prompt
    await table.give("red", Answer("answer-1", prompt.id, prompt.default.choice, prompt.default.values))


async def test_a_standing_order_sent_twice_is_given_once(rooms: Rooms, store: MatchStore) -> None:
    table = await begun(rooms)
    first = await table.room.order("red", order("red-1", "stop"))
    later = await table.room.order("red", order("red-1", "press", "order-02"))
    length = await store.length(table.room.match)
    # The first order sent again gets its first result, and does not undo the second.
    assert await table.room.order("red", order("red-1", "stop")) == first
    assert isinstance(later, Accepted)
    # An order that is already given needs no entry, and neither does an order to do what is the default.
    assert await table.room.order("red", order("red-1", "press", "order-03")) == Accepted("order-03", later.seq)
    assert await store.length(table.room.match) == length
    assert table.room.teller.snapshot("red").view.units["red-1"].order == "press"


@pytest.mark.parametrize(
    ("seat", "unit", "what", "code"),
    [
        ("red", "blue-1", "stop", "no_such_unit"),
        ("red", "no-such-unit", "stop", "no_such_unit"),
        ("red", "red-1", "dance", "no_such_order"),
        ("red", "red-1", "", "no_such_order"),
    ],
)
async def test_impossible_standing_orders_are_refused(
    rooms: Rooms, store: MatchStore, seat: str, unit: str, what: str, code: str
) -> None:
    table = await begun(rooms)
    length = await store.length(table.room.match)
    refused = await table.room.order(seat, order(unit, what))
    assert isinstance(refused, Refused)
    assert refused.code == code
    assert await store.length(table.room.match) == length


async def test_a_refused_order_reveals_nothing_about_other_players_units(rooms: Rooms) -> None:
    table = await begun(rooms)
    await table.room.order("blue", order("blue-1", "stop"))
    theirs = await table.room.order("red", order("blue-1", "stop"))
    nobodys = await table.room.order("red", order("nobody", "stop"))
    assert theirs == nobodys


async def test_standing_orders_can_be_given_only_during_a_match(rooms: Rooms) -> None:
    match = await made(rooms)
    room = await rooms.get(match.match)
    assert room is not None
    early = await room.order("red", order("red-1", "stop"))
    assert isinstance(early, Refused)
    assert early.code == "match_not_running"
    table = await begun(rooms)
    await table.play_out()
    late = await table.room.order("red", order("red-1", "stop"))
    assert isinstance(late, Refused)
    assert late.code == "match_not_running"


async def test_units_that_left_the_game_take_no_orders(rooms: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    table = await begun(rooms)
    monkeypatch.setattr("server.kernel.state.Unit.left", "routed")
    refused = await table.room.order("red", order("red-1", "stop"))
    assert isinstance(refused, Refused)
    assert "out of the game" in refused.sentence


async def test_an_order_given_during_a_procedure_outlives_every_crash_and_is_obeyed(
    rooms: Rooms, valkey_url: str
) -> None:
    table = await begun(rooms)
    await table.deploy()
    for seat in ("red", "blue"):
        await table.give(seat, table.choose(seat, "1"))
    (loser,) = table.asked
    winner = "blue" if loser == "red" else "red"
    assert isinstance(await table.room.order(winner, order(f"{winner}-1", "press")), Accepted)
    async with MatchStore(valkey_url) as again, rooms_on(again) as fresh:
        room = await fresh.get(table.room.match)
        assert room is not None
        for audience in ("red", "blue", ""):
            assert pack(room.teller.snapshot(audience_of(audience))) == pack(
                table.room.teller.snapshot(audience_of(audience))
            )
        there = Table(room)
        await there.give(loser, there.default(loser))
        assert there.prompt(winner).default.choice == "press"
        # The server that was there before follows, to the same prompt.
        await eventually(lambda: table.asked == [winner])
        assert table.prompt(winner) == there.prompt(winner)
        for audience in ("red", "blue", ""):
            frames = there.listeners[audience].frames[1:]
            assert frames == table.listeners[audience].frames[-len(frames) :]
        # A seat that orders a stop while it is asked still answers this time, with the default of that moment.
        assert isinstance(await room.order(winner, order(f"{winner}-1", "stop", "order-02")), Accepted)
        assert there.prompt(winner).default.choice == "press"
    async with MatchStore(valkey_url) as again, rooms_on(again) as fresh:
        room = await fresh.get(table.room.match)
        assert room is not None
        assert Table(room).prompt(winner).default.choice == "press"


async def test_exported_positions_contain_no_standing_orders(rooms: Rooms) -> None:
    table = await begun(rooms)
    before = table.room.queries.export_setup("red", ExportSetup("e"))
    await table.room.order("red", order("red-1", "stop"))
    assert table.room.queries.export_setup("red", ExportSetup("e")) == before


async def test_an_order_makes_a_frame_only_for_the_seat_that_gave_it(rooms: Rooms) -> None:
    table = await begun(rooms, THREE_WAY)
    seqs = {audience: len(listener.frames) for audience, listener in table.listeners.items()}
    assert isinstance(await table.room.order("green", order("green-1", "press")), Accepted)
    grown = {audience: len(listener.frames) - seqs[audience] for audience, listener in table.listeners.items()}
    assert grown == {"red": 0, "blue": 0, "green": 1, "": 0}
