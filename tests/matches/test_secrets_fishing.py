"""Taking back reveals nothing hidden: a free take-back undoes only what has shown nothing, and whether it is free shows
nothing either.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from client_protocol.choices import PathsDeclared, UnitNamed
from client_protocol.codec import pack
from client_protocol.from_client import Answer, AskPreview, AskWhatIf, GhostPlaces, MakeMatch, Order, TakeBack
from client_protocol.from_server import Accepted, MatchMade, WhatIf
from client_protocol.view import View
from server.kernel.answers.sampling import sample
from server.kernel.belief import believed
from server.kernel.desk_facts import StandingOrder
from server.kernel.dice import RecordedDice
from server.kernel.facts import Fact
from server.kernel.files import setups
from server.kernel.procedure import rebuild
from server.kernel.state import State
from server.matches.play.taking_back import WayBack, way_back, ways_back
from server.matches.play.without_orders import WithoutOrders
from server.rulesets.fubar.reaction import ORDERS
from tests.rulesets.fubar4.battlefield import battle, fubar4, shifted, unit
from tests.support.playing import MatchInMemory
from tests.support.room import Table, eventually, ready
from tests.support.toy_rules import ToyRules
from tests.support.worlds import Told, World, lived, no_chance, seen

__all__ = ["no_chance"]

pytestmark = pytest.mark.usefixtures("no_chance")


# --- moves past units On Guard --------------------------------------------------------------------------------------


@pytest.fixture
def lucky(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every die show its highest face, so that every activation succeeds."""
    monkeypatch.setattr("server.kernel.dice.die", lambda _secret, _context, _stream, _number, sides: sides)


def passing(guard: tuple[float, float]) -> State:
    """Return blue-1 on the left, a red man On Guard with a pistol, which reaches 8", and others far away."""
    red = unit("red", guard, figures=1, arm="pistol", conditions=["on_guard"])
    return battle(unit("blue", (10, 10), figures=1), red, unit("blue", (4, 2)), unit("red", (4, 46)))


NEAR, FAR = (16, 17), (40, 45)
"""Where the guard stands: six inches from the middle of blue's path, or out of range."""


async def ready_to_run(world: World, guard: tuple[float, float], *orders: str) -> tuple[Table, PathsDeclared]:
    """Let red give orders; blue's first unit is about to run past the guard, by a given path."""
    message = MakeMatch("make-1", "", "", "Ada", ("blue", "red"), setup="u")
    reply = await world.rooms.make(message, setups.dump(setups.write(passing(guard))).encode())
    assert isinstance(reply, MatchMade), reply
    room = await world.rooms.get(reply.match)
    assert room is not None
    await ready(room)
    table = Table(room)
    await eventually(lambda: bool(table.asked))
    for number, order in enumerate(orders):
        assert isinstance(await room.order("red", Order(f"order-{number:02}", "red-1", order)), Accepted)
    await table.give("blue", Answer("activate-1", table.prompt("blue").id, "activate", (UnitNamed("blue-1"),)))
    way = shifted(room._referee.fold.state, "blue-1", 11, 0)
    return table, way


async def run_past(world: World, guard: tuple[float, float], *orders: str) -> Table:
    """Let it run."""
    table, way = await ready_to_run(world, guard, *orders)
    await table.give("blue", Answer("run-past-1", table.prompt("blue").id, "run", (way,)))
    return table


def view(table: Table) -> View:
    return table.room.teller.snapshot("blue").view


@pytest.mark.usefixtures("lucky")
@pytest.mark.rule("fubar4/action.on-guard")
async def test_before_a_move_nothing_reveals_the_standing_order_of_a_guard(valkey_url: str) -> None:
    """Neither the choices, nor previews of the path, nor what-ifs along it."""

    async def planning(world: World, *orders: str) -> Told:
        table, way = await ready_to_run(world, NEAR, *orders)
        prompt = table.prompt("blue").id
        replies = [await table.room.queries.preview("blue", AskPreview("i", prompt, "run", (way,)))]
        ghosts = {"blue-1": GhostPlaces({key: path[-1] for key, path in way.paths.items()})}
        imagined = [
            await table.room.queries.what_if("blue", AskWhatIf("g", unit, ghosts)) for unit in ("blue-1", "blue-2")
        ]
        assert all(isinstance(reply, WhatIf) and reply.targets for reply in imagined)
        told = await seen(world, table, "red")
        return {**told, "blue": [*told["blue"], *(pack(reply) for reply in (*replies, *imagined))]}

    none, *others = await lived(
        valkey_url,
        fubar4(),
        planning,
        *(lambda world, order=order: planning(world, order) for order in ORDERS if order),
    )
    assert all(other == none for other in others)


@pytest.mark.usefixtures("lucky")
@pytest.mark.rule("fubar4/action.on-guard")
async def test_a_move_that_a_hold_order_lets_pass_is_not_taken_back_freely(valkey_url: str) -> None:
    """No prompt shows that the guard holds its fire, and a prompt shows that it does not: either reveals the order."""

    async def fishing(world: World, *orders: str) -> Told:
        table = await run_past(world, NEAR, *orders)
        assert ("red" in table.asked) is (orders != ("hold",))
        assert view(table).seats["blue"].take_back == "consent"
        assert isinstance(await table.room.settle_on_desk("blue", TakeBack("take-back-1")), Accepted)
        (offer,) = view(table).offers.values()
        assert offer.kind == "take_back"
        return await seen(world, table, "red")

    holds, asks, again = await lived(
        valkey_url,
        fubar4(),
        lambda world: fishing(world, "hold"),
        fishing,
        lambda world: fishing(world, "hold", ""),
    )
    assert holds != asks
    assert asks == again


@pytest.mark.usefixtures("lucky")
@pytest.mark.rule("fubar4/action.on-guard")
async def test_a_move_out_of_all_reactions_reach_is_taken_back_freely_under_any_order(valkey_url: str) -> None:
    async def fishing(world: World, *orders: str) -> Told:
        table = await run_past(world, FAR, *orders)
        assert view(table).seats["blue"].take_back == "free"
        return await seen(world, table, "red")

    none, *others = await lived(
        valkey_url,
        fubar4(),
        fishing,
        *(lambda world, order=order: fishing(world, order) for order in ORDERS if order),
    )
    assert all(other == none for other in others)


@pytest.mark.usefixtures("lucky")
async def test_the_test_of_free_take_backs_can_fail(valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WithoutOrders, "differs", lambda *_: False)
    with pytest.raises(AssertionError, match="free"):
        await test_a_move_that_a_hold_order_lets_pass_is_not_taken_back_freely(valkey_url)


# --- whole games -----------------------------------------------------------------------------------------------------


def other_facts(match: MatchInMemory, way: WayBack, order: str) -> Iterable[Fact]:
    """Return what would have followed the undone decisions if all units had had this order."""
    fold = match.referee.fold
    run = rebuild(match.rules, *fold.at(way.to), RecordedDice(()))
    run.fold([StandingOrder(unit, order) for unit in run.state.units])
    for _, step in fold.steps_after(way.to.number):
        assert step.picked is not None
        yield from run.answer(step.seat, step.picked).facts


def test_a_move_that_can_be_taken_back_freely_is_the_same_under_any_orders() -> None:
    """Random seats with random orders: no free take-back has revealed an order."""
    free = decided_by_orders = 0
    for seed in range(6):
        chance = random.Random(seed)
        match = begun(12)
        without_orders = WithoutOrders(match.rules)
        for _ in match.play(lambda state, asked: sample(state, asked, chance)):  # noqa: B023 - used at once
            fold, ask = match.referee.fold, match.referee.ask
            for seat in fold.seats:
                way = way_back(fold, ask, seat, without_orders=without_orders)
                careless = way_back(fold, ask, seat)
                if way is None or careless is None:
                    continue
                decided_by_orders += careless.free and not way.free
                if way.free:
                    free += 1
                    facts = [fact for _, step in fold.steps_after(way.to.number) for fact in step.facts]
                    assert all(list(other_facts(match, way, order)) == facts for order in match.rules.orders)
            if chance.random() < 0.5:
                match.order(f"{chance.choice(fold.seats)}-1", chance.choice(list(match.rules.orders)))
    assert free > 5
    assert decided_by_orders > 5


def begun(rounds: int) -> MatchInMemory:
    match = MatchInMemory(ToyRules(rounds))
    match.seat_all()
    match.begin()
    return match


def test_whether_a_take_back_is_free_depends_on_public_knowledge_only() -> None:
    """With orders that had no effect the same take-backs are free as with none."""
    found = []
    for orders in ((), ("press",), ("ask",)):
        chance = random.Random(5)
        match = begun(6)
        without_orders = WithoutOrders(match.rules)
        ways = []
        while (ask := match.referee.ask) is not None:
            for seat in match.referee.fold.seats:
                for order in orders:
                    match.order(f"{seat}-1", order)
            seat = next(seat for seat in ask.seats if seat not in match.referee.fold.state.sealed)
            match.answer(seat, sample(believed(match.referee.fold.state, seat), ask.seats[seat], chance))
            ways.append(ways_back(match.referee.fold, match.referee.ask, without_orders))
        found.append(ways)
    assert found[0] == found[1] == found[2]
