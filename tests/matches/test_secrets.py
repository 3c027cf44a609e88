"""Worlds that differ only in what an audience may not know are the same to it, to the byte, on every channel."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import pytest
import redis
from msgspec.structs import replace

from client_protocol.choices import FiguresPlaced, Picked, Prompt, Value
from client_protocol.codec import pack
from client_protocol.forces import Force
from client_protocol.messages import (
    Accepted,
    Answer,
    ExportSetup,
    Inquire,
    Look,
    MakeMatch,
    Order,
    Recall,
    Replay,
    Say,
    SeatTaken,
    TakeSeat,
)
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.matches import entries as entries_module
from server.matches import narration
from server.matches import onlooking as onlooking_module
from server.matches import replay as replay_module
from server.matches import stories as stories_module
from server.matches import telling as telling_module
from server.matches.rooms import Rooms
from server.matches.store import MatchStore
from server.rulesets.library import editions
from tests.support.playing import Listener
from tests.support.room import DUEL, THREE_WAY, Table, begun, made, rooms_on
from tests.support.toy_rules import ToyRules, force
from tests.system.play import peaceful

Secret = Callable[[Prompt], Picked]
"""What blue answers, unseen."""
World = dict[str, list[bytes]]
"""Everything that each audience but blue gets: the other seats, and the watchers ("")."""
Live = Callable[[Rooms], Awaitable[World]]
"""Lets a world come about."""

Ready = Callable[[Prompt], bool]
"""Whether this is what blue is to answer unseen."""


def battle(rules: Ruleset) -> MakeMatch:
    """A match of the edition's first scenario, in which both deploy blind."""
    scenario = rules.info.scenarios[0]
    seats = tuple(seat for seat, _ in scenario.seats)
    return MakeMatch("make-1", rules.info.id, scenario.id, "Ada", seats, {"deployment": "blind"})


async def look_around(table: Table, audience: str) -> list[bytes]:
    """Whatever an audience can get by asking."""
    room = table.room
    late = Listener()
    room.enter(audience, -1, late.connection)
    replies: list[object] = [
        await room.onlooking.recall(audience, Recall("h", 1000)),
        await room.onlooking.replay(audience, Replay("r", audience, 5)),
        room.onlooking.export_setup(audience, ExportSetup("e")),
        room.info(),
    ]
    state = room._referee.fold.state
    mine = next(unit.id for unit in state.units.values() if unit.side == "red")
    theirs = next(unit.id for unit in state.units.values() if unit.side == "blue")
    replies.append(room.onlooking.look(audience, Look("l", mine, theirs)))
    if audience:
        replies.append(await room.order(audience, Order("order-xx", theirs, "stop")))
        replies.append(await room.order(audience, Order("order-yy", theirs, "no such order")))
    if audience in table.asked:
        prompt = table.prompt(audience)
        default = prompt.default
        replies.append(await room.onlooking.inquire(audience, Inquire("i", prompt.id, default.choice, default.values)))
        replies.append(await room.onlooking.inquire(audience, Inquire("i", prompt.id, "no such choice")))
        replies.append(await room.answer(audience, Answer("12345678", "0", default.choice)))
    return [*late.frames, *(pack(reply) for reply in replies)]


async def world(rooms: Rooms, message: MakeMatch, ready: Ready, answers: Sequence[Secret]) -> World:
    """A match in which blue answers so, and changes its mind so often; until that is asked all answer as proposed."""
    table = await begun(rooms, message)
    while not ready(table.prompt("blue")):
        await table.deploy()
    for number, answer in enumerate(answers):
        prompt = table.prompt("blue")
        picked = answer(prompt)
        await table.give("blue", Answer(f"secret-{number}", prompt.id, picked.choice, picked.values))
    return await seen(table)


async def seen(table: Table) -> World:
    """What everybody but blue has been told, is told on asking, and is told next."""
    asked = {audience: await look_around(table, audience) for audience in table.listeners if audience != "blue"}
    await table.room.say("blue", "", Say("say-0001", "done"))
    again = {audience: pack(await table.room.onlooking.replay(audience, Replay("r", audience))) for audience in asked}
    return {audience: [*table.listeners[audience].frames, *asked[audience], again[audience]] for audience in asked}


async def lived(url: str, rules: Ruleset, *lives: Live) -> list[World]:
    """Worlds, each in a database of its own."""
    found = []
    for live in lives:
        with redis.Redis.from_url(url) as client:
            client.flushall()
        async with MatchStore(url) as store, rooms_on(store, rules) as rooms:
            found.append(await live(rooms))
    return found


async def worlds(
    url: str, rules: Ruleset, message: MakeMatch, ready: Ready, *all_answers: Sequence[Secret]
) -> list[World]:
    lives: list[Live] = [lambda rooms, a=answers: world(rooms, message, ready, a) for answers in all_answers]  # type: ignore[misc]
    return await lived(url, rules, *lives)


@pytest.fixture(autouse=True)
def no_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Match ids and secrets are the same in every world."""
    monkeypatch.setattr("secrets.choice", lambda letters: letters[0])
    monkeypatch.setattr("secrets.token_bytes", bytes)


def bidding(prompt: Prompt) -> bool:
    return prompt.title == "Bid"


def placing(prompt: Prompt) -> bool:
    return any(isinstance(value, FiguresPlaced) for value in prompt.default.values)


def bids(choice: str) -> Secret:
    return lambda _prompt: Picked(choice)


def as_suggested(prompt: Prompt) -> Picked:
    return prompt.default


def the_other_way_round(prompt: Prompt) -> Picked:
    """The figures of each unit change places."""
    (value,) = prompt.default.values
    assert isinstance(value, FiguresPlaced)
    places = tuple(dict(zip(unit, reversed(unit.values()), strict=True)) for unit in value.places)
    assert places != value.places
    return replace(prompt.default, values=(FiguresPlaced(places),))


async def test_what_blue_bids_unseen_is_unseen(valkey_url: str) -> None:
    one, other, changed = await worlds(
        valkey_url, ToyRules(), DUEL, bidding, [bids("1")], [bids("3")], [bids("2"), bids("1"), bids("3")]
    )
    assert one == other == changed
    assert len(one["red"]) > 10


@pytest.mark.rule("fad4/setup.victory")
@pytest.mark.rule("fubar4/setup.victory")
@pytest.mark.parametrize("rules", editions().values(), ids=editions())
async def test_where_blue_deploys_blind_is_unseen(valkey_url: str, rules: Ruleset) -> None:
    one, other, changed = await worlds(
        valkey_url,
        rules,
        battle(rules),
        placing,
        [as_suggested],
        [the_other_way_round],
        [as_suggested, the_other_way_round],
    )
    assert one == other == changed
    assert len(one["red"]) > 10


# --- standing orders -------------------------------------------------------------------------------------------------


def ordering(message: MakeMatch, *orders: str) -> Live:
    """Blue gives these orders, one after the other, while everybody bids."""

    async def live(rooms: Rooms) -> World:
        table = await begun(rooms, message)
        await table.deploy()
        for number, order in enumerate(orders):
            reply = await table.room.order("blue", Order(f"order-{number:02}", "blue-1", order))
            assert isinstance(reply, Accepted)
        return await seen(table)

    return live


def played(message: MakeMatch, *orders: str, most: int = 10_000) -> Live:
    """The whole match, or as many answers of it: blue gives orders at every prompt, and nothing comes of them."""

    async def live(rooms: Rooms) -> World:
        table = await begun(rooms, message)
        chosen = {"Bid": "2", "Press on?": "press"}
        number = answers = 0
        while table.asked and answers < most:
            answers += 1
            seat = next(seat for seat in table.asked if not table.prompt(seat).answered)
            for order in orders:
                number += 1
                await table.room.order("blue", Order(f"order-{number:02}", "blue-1", order))
            prompt = table.prompt(seat)
            picked = Picked(chosen[prompt.title]) if prompt.title in chosen else prompt.default
            await table.give(
                seat, Answer(f"answer-{number}-{len(table.listeners[''].frames)}", prompt.id, *parts(picked))
            )
        assert table.room.info().state == "over" or answers == most
        return await seen(table)

    return live


def parts(picked: Picked) -> tuple[str, tuple[Value, ...]]:
    return picked.choice, picked.values


@pytest.mark.parametrize("message", [DUEL, THREE_WAY], ids=["two seats", "three seats"])
async def test_what_blue_orders_is_unseen(valkey_url: str, message: MakeMatch) -> None:
    lives = (ordering(message, *orders) for orders in ((), ("stop",), ("press", "stop", "ask")))
    none, one, many = await lived(valkey_url, ToyRules(), *lives)
    assert none == one == many
    assert set(none) == {"red", "", "green"} - ({"green"} if message is DUEL else set())
    assert all(len(frames) > 7 for frames in none.values())


async def test_orders_that_come_to_nothing_leave_no_trace_in_a_whole_match(valkey_url: str) -> None:
    none, many = await lived(valkey_url, ToyRules(), played(THREE_WAY), played(THREE_WAY, "press", "ask"))
    # The ids of the answers are not told to others, and neither is their number.
    assert none == many
    assert all(len(frames) > 20 for frames in none.values())


@pytest.mark.parametrize("rules", [rules for rules in editions().values() if rules.orders], ids=lambda r: r.info.id)
async def test_orders_in_battle_are_unseen(valkey_url: str, rules: Ruleset) -> None:
    """By default nobody goes anywhere, so that there is nothing to react to."""
    message = MakeMatch("make-1", rules.info.id, peaceful(rules)[0], "Ada", ("blue", "red"))
    lives = (played(message, *orders, most=14) for orders in ((), (list(rules.orders)[-1],), tuple(rules.orders)))
    none, one, many = await lived(valkey_url, rules, *lives)
    assert none == one == many
    assert all(len(frames) > 14 for frames in none.values())


# --- hidden forces ---------------------------------------------------------------------------------------------------


def bringing(force: Force | None, *, hidden: bool = True) -> Live:
    """Blue sits down with a force; the others look around before the match begins."""
    message = replace(THREE_WAY, mine=("red", "green"), options={"hidden_forces": hidden})

    async def live(rooms: Rooms) -> World:
        match = (await made(rooms, message)).match
        room = await rooms.get(match)
        assert room is not None
        table = Table(room)
        assert isinstance(await rooms.take_seat(TakeSeat("t", match, "blue", "Bob", "", force)), SeatTaken)
        return await seen(table)

    return live


LIGHT, GUNS = force("Light", "rifle"), force("Guns", "gun", "rifle")


async def test_what_blue_brings_hidden_is_unseen(valkey_url: str) -> None:
    none, light, guns = await lived(valkey_url, ToyRules(), *(bringing(force) for force in (None, LIGHT, GUNS)))
    assert none == light == guns
    assert all(len(frames) > 5 for frames in none.values())
    open_none, open_light = await lived(
        valkey_url, ToyRules(), *(bringing(force, hidden=False) for force in (None, LIGHT))
    )
    assert all(open_none[audience] != open_light[audience] for audience in open_none)


async def test_what_the_maker_brings_hidden_is_unseen(valkey_url: str) -> None:
    def live(force: Force | None) -> Live:
        message = replace(
            DUEL, mine=("blue",), options={"hidden_forces": True}, forces={"blue": force} if force else {}
        )

        async def making(rooms: Rooms) -> World:
            room = await rooms.get((await made(rooms, message)).match)
            assert room is not None
            return await seen(Table(room))

        return making

    none, guns = await lived(valkey_url, ToyRules(), live(None), live(GUNS))
    assert none == guns


# --- these tests can fail --------------------------------------------------------------------------------------------


def everything(state: State, _audience: str) -> State:
    """A careless `believed`."""
    return state


@pytest.mark.parametrize("careless", ["believed", "replay", "noticing"])
async def test_the_tests_of_orders_can_fail(valkey_url: str, monkeypatch: pytest.MonkeyPatch, careless: str) -> None:
    if careless == "believed":
        monkeypatch.setattr(telling_module, "believed", everything)
    elif careless == "replay":
        monkeypatch.setattr(replay_module, "believed", everything)
    else:
        monkeypatch.setattr(entries_module.Aside, "private", False)
    none, one = await lived(valkey_url, ToyRules(), ordering(DUEL), ordering(DUEL, "stop"))
    assert all(none[audience] != one[audience] for audience in none)


@pytest.mark.parametrize("careless", ["believed", "story"])
async def test_the_tests_of_hidden_forces_can_fail(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch, careless: str
) -> None:
    if careless == "believed":
        monkeypatch.setattr(telling_module, "believed", everything)
    else:
        told = narration.beside
        monkeypatch.setattr(stories_module, "beside", lambda state, fact, _audience, at: told(state, fact, "blue", at))
    light, guns = await lived(valkey_url, ToyRules(), bringing(LIGHT), bringing(GUNS))
    assert all(light[audience] != guns[audience] for audience in light)


@pytest.mark.parametrize("module", [onlooking_module, stories_module])
async def test_these_tests_can_fail(valkey_url: str, monkeypatch: pytest.MonkeyPatch, module: object) -> None:
    """With `believed` broken in the room, previews tell of the bid; with a careless story, frames do."""
    if module is onlooking_module:
        monkeypatch.setattr(module, "believed", everything)
    else:
        monkeypatch.setattr(module, "_story", lambda rules, state, fact, _a: rules.story(fact.fold(state), fact))
    one, other = await worlds(valkey_url, ToyRules(), DUEL, bidding, [bids("1")], [bids("3")])
    assert one["red"] != other["red"]
