"""Worlds that differ only in what an audience may not know are the same to it, to the byte, on every channel."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import redis
from msgspec.structs import replace

from client_protocol.choices import FiguresPlaced, Picked, Prompt
from client_protocol.codec import pack
from client_protocol.messages import Answer, ExportSetup, Inquire, Look, MakeMatch, Recall, Say
from server.kernel.ruleset import Ruleset
from server.matches import room as room_module
from server.matches import telling as telling_module
from server.matches.rooms import Rooms
from server.matches.store import MatchStore
from server.rulesets.fad.ruleset import FadRuleset
from tests.support.playing import Listener
from tests.support.room import DUEL, Table, begun, rooms_on
from tests.support.toy_rules import ToyRules

Secret = Callable[[Prompt], Picked]
"""What blue answers, unseen."""
World = dict[str, list[bytes]]
"""Everything that red ("red") and the watchers ("") get."""

BATTLE = MakeMatch("make-1", "fad4", "crossroads-patrol", "Ada", ("blue", "red"), {"deployment": "blind"})


async def look_around(table: Table, audience: str) -> list[bytes]:
    """Whatever an audience can get by asking."""
    room = table.room
    late = Listener()
    room.enter(audience, -1, late.connection)
    replies: list[object] = [
        await room.recall(audience, Recall("h", 1000)),
        room.export_setup(audience, ExportSetup("e")),
        room.info(),
    ]
    state = room._referee.fold.state
    mine = next(unit.id for unit in state.units.values() if unit.side == "red")
    theirs = next(unit.id for unit in state.units.values() if unit.side == "blue")
    replies.append(room.look(audience, Look("l", mine, theirs)))
    if audience:
        prompt = table.prompt(audience)
        default = prompt.default
        replies.append(await room.inquire(audience, Inquire("i", prompt.id, default.choice, default.values)))
        replies.append(await room.inquire(audience, Inquire("i", prompt.id, "no such choice")))
        replies.append(await room.answer(audience, Answer("12345678", "0", default.choice)))
    return [*late.frames, *(pack(reply) for reply in replies)]


async def world(rooms: Rooms, message: MakeMatch, before: int, answers: Sequence[Secret]) -> World:
    """A match in which blue answers so, and changes its mind so often; `before` asks of both were answered until then."""
    table = await begun(rooms, message)
    for _ in range(before):
        await table.deploy()
    for number, answer in enumerate(answers):
        prompt = table.prompt("blue")
        picked = answer(prompt)
        await table.give("blue", Answer(f"secret-{number}", prompt.id, picked.choice, picked.values))
    asked = {audience: await look_around(table, audience) for audience in ("red", "")}
    await table.room.say("blue", "", Say("say-0001", "done"))
    return {audience: [*table.listeners[audience].frames, *asked[audience]] for audience in asked}


async def worlds(
    url: str, rules: Ruleset, message: MakeMatch, before: int, *all_answers: Sequence[Secret]
) -> list[World]:
    found = []
    for answers in all_answers:
        with redis.Redis.from_url(url) as client:
            client.flushall()
        async with MatchStore(url) as store, rooms_on(store, rules) as rooms:
            found.append(await world(rooms, message, before, answers))
    return found


@pytest.fixture(autouse=True)
def no_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Match ids and secrets are the same in every world."""
    monkeypatch.setattr("secrets.choice", lambda letters: letters[0])
    monkeypatch.setattr("secrets.token_bytes", bytes)


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
        valkey_url, ToyRules(), DUEL, 1, [bids("1")], [bids("3")], [bids("2"), bids("1"), bids("3")]
    )
    assert one == other == changed
    assert len(one["red"]) > 10


@pytest.mark.rule("fad4/setup.victory")
async def test_where_blue_deploys_blind_is_unseen(valkey_url: str) -> None:
    one, other, changed = await worlds(
        valkey_url,
        FadRuleset("fad4"),
        BATTLE,
        0,
        [as_suggested],
        [the_other_way_round],
        [as_suggested, the_other_way_round],
    )
    assert one == other == changed
    assert len(one["red"]) > 10


@pytest.mark.parametrize("module", [room_module, telling_module])
async def test_these_tests_can_fail(valkey_url: str, monkeypatch: pytest.MonkeyPatch, module: object) -> None:
    """With `believed` broken in the room, previews tell of the bid; with a careless story, frames do."""
    if module is room_module:
        monkeypatch.setattr(module, "believed", lambda state, _audience: state)
    else:
        monkeypatch.setattr(module, "_story", lambda rules, state, fact, _a: rules.story(fact.fold(state), fact))
    one, other = await worlds(valkey_url, ToyRules(), DUEL, 1, [bids("1")], [bids("3")])
    assert one["red"] != other["red"]
