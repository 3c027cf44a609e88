"""Lists, forks and replays reveal no secrets of a match either."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.codec import pack
from client_protocol.from_client import AskLuckReport, Concede, ExportText, ForkPoint, MakeMatch, Order, Replay, Say
from client_protocol.from_server import Accepted, MatchMade, Refused, ReplayPart
from server.gateway.lobby import Lobby
from server.kernel.belief import SPECTATORS, Audience, believed
from server.kernel.desk_facts import StandingOrder
from server.matches import room as room_module
from server.matches.log.audiences import audience_of, text_of
from server.matches.rooms import Rooms
from server.matches.setup import forks as forking_module
from server.matches.setup.forks import Fork, fork
from server.store.store import MatchStore
from tests.matches.test_secrets import GUNS, bringing, ordering
from tests.support.playing import Listener
from tests.support.playing import MatchInMemory as Played
from tests.support.room import DUEL, begun, eventually, never, rooms_on
from tests.support.toy_rules import ToyRules
from tests.support.worlds import Life, Told, World, lived, no_chance

__all__ = ["no_chance"]


# --- matches that go on from it ---------------------------------------------------------------------------------------


def ordered() -> Played:
    """Return a live match at a boundary, with an order of each seat given there, and one of blue's taken back before."""
    match = Played(ToyRules())
    match.seat_all()
    match.begin()
    match.order("blue-1", "stop")
    for seat in ("red", "blue"):
        ask = match.referee.ask
        assert ask is not None
        match.answer(seat, ask.seats[seat].default)
    match.order("red-1", "press")
    match.order("blue-1", "")
    match.order("blue-1", "stop")
    return match


@pytest.mark.parametrize("view", [SPECTATORS, "red"])
def test_a_fork_does_not_contain_other_seats_standing_orders(view: Audience) -> None:
    match = ordered()
    fold = match.referee.fold
    found = fork(match.entries, view, fold.seqs[view])
    assert isinstance(found, Fork)
    own = {unit: order for unit, order in fold.state.desk.orders.items() if unit == f"{text_of(view)}-1"}
    assert found.state.desk.orders == {}
    given = [fact for body in found.since for fact in body.facts if isinstance(fact, StandingOrder)]
    assert {fact.unit for fact in given} == set(own)
    assert b"stop" not in pack([found.state, list(found.since)])


def test_a_fork_between_boundaries_is_refused_as_orders_may_have_been_read() -> None:
    match = ordered()
    for seat in ("red", "blue"):
        ask = match.referee.ask
        assert ask is not None
        match.answer(seat, ask.seats[seat].default)
    refused = fork(match.entries, SPECTATORS, match.referee.fold.seqs[SPECTATORS])
    assert isinstance(refused, str)
    assert "may be hidden" in refused


@pytest.mark.usefixtures("no_chance")
async def test_the_tests_of_forks_can_fail(valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If forking depended on what is in fact hidden, trying would reveal orders and forces."""
    monkeypatch.setattr(forking_module, "may_hide", lambda fold, view, **_: believed(fold.state, view) != fold.state)
    none, one = await lived(valkey_url, ToyRules(), ordering(DUEL), ordering(DUEL, "stop"))
    assert all(none[audience] != one[audience] for audience in none)
    none, one = await lived(valkey_url, ToyRules(), bringing(None), bringing(GUNS))
    assert all(none[audience] != one[audience] for audience in none)


@pytest.mark.parametrize("listed", [True, False])
async def test_a_fork_of_a_live_match_reveals_neither_the_number_of_entries_nor_an_unlisted_id(
    store: MatchStore, listed: bool
) -> None:
    async with rooms_on(store) as rooms:
        first = await begun(rooms, replace(DUEL, listed=listed))
        await first.room.say("red", "", Say("private-1", "Hm", "side"))
        await first.deploy()
        made = await rooms.make(forking(first.room.match, "", first.listeners[""].seqs[-1]))
        assert isinstance(made, MatchMade), made
        second = await rooms.get(made.match)
        assert second is not None
        spectator = Listener()
        second.enter(SPECTATORS, -1, spectator.connection)
        origin = second.teller.snapshot(SPECTATORS).origin
        named = f"the match {first.room.match}" if listed else "another match"
        assert origin == f"It goes on from a step of {named}."
        # Its log reveals neither, though it is published when that match is over.
        (payload, *_) = await second.payloads()
        assert (first.room.match.encode() in payload) is listed
        assert second._referee.fold.opened.forked is not None
        assert second._referee.fold.opened.forked.entry == 0


def forking(match: str, view: str, frame: int) -> MakeMatch:
    return replace(DUEL, id="fork-1", fork=ForkPoint(match, view, frame))


# --- lists ------------------------------------------------------------------------------------------------------------


async def start_page(rooms: Rooms, mine: tuple[str, ...] = ()) -> Listener:
    """Look at the start page."""
    lobby = Lobby(rooms, sleep=never)
    listener = Listener()
    await lobby.enter(listener.connection, mine)
    return listener


@pytest.mark.usefixtures("no_chance")
async def test_an_unlisted_match_is_unknown_to_clients_without_its_id(valkey_url: str) -> None:
    def life(*, played: bool) -> Life:
        async def live(world: World) -> Told:
            looking = await start_page(world.rooms, ("22222222222x",))
            if played:
                table = await begun(world.rooms, replace(DUEL, listed=False))
                await table.deploy()
                assert await world.rooms.summaries([table.room.match]) == (table.room.summary(),)
                named = await start_page(world.rooms, (table.room.match,))
                assert table.room.match.encode() in b"".join(named.frames)
            again = await start_page(world.rooms, ("22222222222x",))
            lists = [pack(await world.rooms.listing()), pack(await world.rooms.summaries(["22222222222x", ""]))]
            refused = await world.rooms.make(forking("22222222222x", "", 1))
            return {"": [*looking.frames, *again.frames, *lists, pack(refused)]}

        return live

    none, one = await lived(valkey_url, ToyRules(), life(played=False), life(played=True))
    assert none == one


@pytest.mark.usefixtures("no_chance")
async def test_the_test_of_lists_can_fail(valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room_module.Room, "listed", True)
    with pytest.raises(AssertionError, match="=="):
        await test_an_unlisted_match_is_unknown_to_clients_without_its_id(valkey_url)


# --- its past ---------------------------------------------------------------------------------------------------------


async def test_a_replay_shows_the_own_view_until_the_end_and_everything_after_it(store: MatchStore) -> None:
    async with rooms_on(store) as rooms:
        table = await begun(rooms)
        room = table.room
        await table.deploy()
        secrets = (b"Red is lost", b"My left is weak")
        await room.say(SPECTATORS, "Wat", Say("private-1", "Red is lost", "spectators"))
        await room.say("blue", "", Say("private-2", "My left is weak", "side"))
        assert isinstance(await room.order("blue", Order("order-01", "blue-1", "stop")), Accepted)

        async def replayed(seat: str, view: str) -> ReplayPart | Refused:
            return await room.queries.replay(audience_of(seat), Replay("r", view))

        for audience in table.listeners:
            foreign = [view for view in ("*", "", "red", "blue", "nobody") if view != audience]
            refused = {pack(await replayed(audience, view)) for view in foreign}
            assert len(refused) == 1, "equal words, whatever there is"
            assert isinstance(await room.queries.luck_report(AskLuckReport("l")), Refused)
        red = pack(await replayed("red", "red"))
        assert not any(secret in red for secret in secrets)

        await room.settle_on_desk("red", Concede("concede-1"))
        await eventually(lambda: room.published)
        for audience in table.listeners:
            everything = pack(await replayed(audience, "*"))
            assert all(secret in everything for secret in secrets)
            assert b"Red is lost" in pack(await replayed(audience, ""))
            assert b"My left is weak" in pack(await replayed(audience, "blue"))
            red = pack(await replayed(audience, "red"))
            assert not any(secret in red for secret in secrets), "what was seen from there is what was seen"
        text = await room.queries.export_text("red", ExportText("t"))
        assert text == await room.queries.export_text(SPECTATORS, ExportText("t"))
