"""Worlds that differ only in what an audience may not know are the same to it, to the byte, on every channel."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace

from client_protocol.choices import FiguresPlaced, Picked, Prompt, Value
from client_protocol.forces import Force
from client_protocol.from_client import Answer, AskWhatIf, MakeMatch, Order, TakeSeat
from client_protocol.from_server import Accepted, Refused, SeatTaken, WhatIf
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.matches.log import entries as entries_module
from server.matches.projections import frames as telling_module
from server.matches.projections import narration
from server.matches.projections import queries as queries_module
from server.matches.projections import replay as replay_module
from server.matches.projections import story as stories_module
from server.matches.projections.queries import Queries
from server.matches.projections.what_if import what_if
from server.rulesets.library import editions
from tests.support.room import DUEL, THREE_WAY, Table, begun, eventually, made
from tests.support.toy_rules import ToyRules, force
from tests.support.worlds import Life, Told, World, lived, no_chance, seen
from tests.system.play import peaceful

__all__ = ["no_chance"]

pytestmark = pytest.mark.usefixtures("no_chance")

Secret = Callable[[Prompt], Picked]
"""What blue answers, unseen."""
Ready = Callable[[Prompt], bool]
"""Tells whether this is the prompt that blue answers unseen."""


def battle(rules: Ruleset) -> MakeMatch:
    """Return a match of the edition's first scenario, in which both sides deploy blind."""
    scenario = rules.info.scenarios[0]
    seats = tuple(seat for seat, _ in scenario.seats)
    return MakeMatch("make-1", rules.info.id, scenario.id, "Ada", seats, {"deployment": "blind"})


async def world(here: World, message: MakeMatch, ready: Ready, answers: Sequence[Secret]) -> Told:
    """Return a match in which blue gives this answer and replaces it this often; until that prompt all seats give default
    answers.
    """
    table = await begun(here.rooms, message)
    while not ready(table.prompt("blue")):
        await table.deploy()
    for number, answer in enumerate(answers):
        prompt = table.prompt("blue")
        picked = answer(prompt)
        await table.give("blue", Answer(f"secret-{number}", prompt.id, picked.choice, picked.values))
    return await seen(here, table)


async def worlds(
    url: str, rules: Ruleset, message: MakeMatch, ready: Ready, *all_answers: Sequence[Secret]
) -> list[Told]:
    lives: list[Life] = [lambda here, a=answers: world(here, message, ready, a) for answers in all_answers]  # type: ignore[misc]
    return await lived(url, rules, *lives)


def bidding(prompt: Prompt) -> bool:
    return prompt.title == "Bid"


def placing(prompt: Prompt) -> bool:
    return any(isinstance(value, FiguresPlaced) for value in prompt.default.values)


def bids(choice: str) -> Secret:
    return lambda _prompt: Picked(choice)


def as_suggested(prompt: Prompt) -> Picked:
    return prompt.default


def the_other_way_round(prompt: Prompt) -> Picked:
    """Exchange the places of each unit's figures."""
    (value,) = prompt.default.values
    assert isinstance(value, FiguresPlaced)
    places = tuple(dict(zip(unit, reversed(unit.values()), strict=True)) for unit in value.places)
    assert places != value.places
    return replace(prompt.default, values=(FiguresPlaced(places),))


async def test_a_sealed_bid_changes_no_other_audiences_frames(valkey_url: str) -> None:
    one, other, changed = await worlds(
        valkey_url, ToyRules(), DUEL, bidding, [bids("1")], [bids("3")], [bids("2"), bids("1"), bids("3")]
    )
    assert one == other == changed
    assert len(one["red"]) > 10


@pytest.mark.rule("fad4/setup.victory")
@pytest.mark.rule("fubar4/setup.victory")
@pytest.mark.parametrize("rules", editions().values(), ids=editions())
async def test_a_blind_deployment_changes_no_other_audiences_frames(valkey_url: str, rules: Ruleset) -> None:
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


def ordering(message: MakeMatch, *orders: str) -> Life:
    """Let blue give these orders, one after the other, while all seats bid."""

    async def live(here: World) -> Told:
        table = await begun(here.rooms, message)
        await table.deploy()
        for number, order in enumerate(orders):
            reply = await table.room.order("blue", Order(f"order-{number:02}", "blue-1", order))
            assert isinstance(reply, Accepted)
        return await seen(here, table)

    return live


def played(message: MakeMatch, *orders: str, most: int = 10_000) -> Life:
    """Play the whole match, or this many answers of it: blue gives orders at every prompt, which have no effect."""

    async def live(here: World) -> Told:
        table = await begun(here.rooms, message)
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
        if answers < most:
            await eventually(lambda: table.room.published)
        return await seen(here, table)

    return live


def parts(picked: Picked) -> tuple[str, tuple[Value, ...]]:
    return picked.choice, picked.values


@pytest.mark.parametrize("message", [DUEL, THREE_WAY], ids=["two seats", "three seats"])
async def test_a_standing_order_changes_no_other_audiences_frames(valkey_url: str, message: MakeMatch) -> None:
    lives = (ordering(message, *orders) for orders in ((), ("stop",), ("press", "stop", "ask")))
    none, one, many = await lived(valkey_url, ToyRules(), *lives)
    assert none == one == many
    assert set(none) == {"red", "", "green"} - ({"green"} if message is DUEL else set())
    assert all(len(frames) > 7 for frames in none.values())


async def test_standing_orders_without_effect_leave_no_trace_in_a_whole_match(valkey_url: str) -> None:
    none, many = await lived(valkey_url, ToyRules(), played(THREE_WAY), played(THREE_WAY, "press", "ask"))
    # Other seats learn neither the ids of the answers nor their number.
    assert none == many
    assert all(len(frames) > 20 for frames in none.values())


@pytest.mark.parametrize("rules", [rules for rules in editions().values() if rules.orders], ids=lambda r: r.info.id)
async def test_standing_orders_in_a_battle_change_no_other_audiences_frames(valkey_url: str, rules: Ruleset) -> None:
    """By default no unit moves, so that there is nothing to react to."""
    message = MakeMatch("make-1", rules.info.id, peaceful(rules)[0], "Ada", ("blue", "red"))
    lives = (played(message, *orders, most=14) for orders in ((), (list(rules.orders)[-1],), tuple(rules.orders)))
    none, one, many = await lived(valkey_url, rules, *lives)
    assert none == one == many
    assert all(len(frames) > 14 for frames in none.values())


# --- hidden forces ---------------------------------------------------------------------------------------------------


def bringing(force: Force | None, *, hidden: bool = True) -> Life:
    """Let blue sit down with a force; the others look around before the match begins."""
    message = replace(THREE_WAY, mine=("red", "green"), options={"hidden_forces": hidden})

    async def live(here: World) -> Told:
        match = (await made(here.rooms, message)).match
        room = await here.rooms.get(match)
        assert room is not None
        table = Table(room)
        assert isinstance(await here.rooms.take_seat(TakeSeat("t", match, "blue", "Bob", "", force)), SeatTaken)
        return await seen(here, table)

    return live


LIGHT, GUNS = force("Light", "rifle"), force("Guns", "gun", "rifle")


async def test_a_hidden_force_changes_no_other_audiences_frames(valkey_url: str) -> None:
    none, light, guns = await lived(valkey_url, ToyRules(), *(bringing(force) for force in (None, LIGHT, GUNS)))
    assert none == light == guns
    assert all(len(frames) > 5 for frames in none.values())
    open_none, open_light = await lived(
        valkey_url, ToyRules(), *(bringing(force, hidden=False) for force in (None, LIGHT))
    )
    assert all(open_none[audience] != open_light[audience] for audience in open_none)


async def test_a_makers_hidden_force_changes_no_other_audiences_frames(valkey_url: str) -> None:
    def live(force: Force | None) -> Life:
        message = replace(
            DUEL, mine=("blue",), options={"hidden_forces": True}, forces={"blue": force} if force else {}
        )

        async def making(here: World) -> Told:
            room = await here.rooms.get((await made(here.rooms, message)).match)
            assert room is not None
            return await seen(here, Table(room))

        return making

    none, guns = await lived(valkey_url, ToyRules(), live(None), live(GUNS))
    assert none == guns


# --- these tests can fail --------------------------------------------------------------------------------------------


def everything(state: State, _audience: str) -> State:
    """Return a careless `believed`."""
    return state


@pytest.mark.parametrize("careless", ["believed", "replay", "noticing"])
async def test_the_tests_of_hidden_orders_can_fail(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch, careless: str
) -> None:
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
        told = narration.desk_story
        monkeypatch.setattr(
            stories_module, "desk_story", lambda state, fact, _audience, at: told(state, fact, "blue", at)
        )
    light, guns = await lived(valkey_url, ToyRules(), bringing(LIGHT), bringing(GUNS))
    assert all(light[audience] != guns[audience] for audience in light)


@pytest.mark.parametrize("module", [queries_module, stories_module])
async def test_the_tests_of_sealed_answers_can_fail(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch, module: object
) -> None:
    """With `believed` broken in the room, previews reveal the bid; with a careless story, frames do."""
    if module is queries_module:
        monkeypatch.setattr(module, "believed", everything)
    else:
        monkeypatch.setattr(module, "_story", lambda rules, state, fact, _a: rules.story(fact.fold(state), fact))
    one, other = await worlds(valkey_url, ToyRules(), DUEL, bidding, [bids("1")], [bids("3")])
    assert one["red"] != other["red"]


@pytest.mark.parametrize("hidden", ["orders", "bids"])
async def test_the_tests_of_what_ifs_can_fail(valkey_url: str, monkeypatch: pytest.MonkeyPatch, hidden: str) -> None:
    """With ghosts placed in the true state, what they see differs, and nothing else does."""

    async def careless(self: Queries, seat: str, message: AskWhatIf) -> WhatIf | Refused:
        return what_if(self._referee.rules, self._referee.fold.state, seat, message)

    monkeypatch.setattr(Queries, "what_if", careless)
    if hidden == "orders":
        one, other = await lived(valkey_url, ToyRules(), ordering(DUEL), ordering(DUEL, "stop"))
    else:
        one, other = await worlds(valkey_url, ToyRules(), DUEL, bidding, [bids("1")], [bids("3")])
    differing = [frame for frame, same in zip(one["red"], other["red"], strict=True) if frame != same]
    assert differing
    assert all(b"what_if" in frame for frame in differing)
