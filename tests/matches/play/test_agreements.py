"""Endings by concession and by agreement, and the offers that may be made, answered and withdrawn."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import cast

import pytest
from msgspec.structs import replace

from client_protocol.clocks import ClockTerms
from client_protocol.from_client import Answer, Concede, MakeOffer, Respond, Say, TakeBack
from client_protocol.from_server import Accepted, Refused, Update
from client_protocol.view import ResultView, View
from server.kernel.desk_facts import OfferAccepted, OfferClosed, Offered
from server.kernel.state import Offer
from server.matches.log import match_file
from server.matches.log.audiences import audience_of
from server.matches.log.entries import Ended, decode
from server.matches.play.abandonment import Abandonment
from server.matches.play.agreements import settling
from server.matches.projections import offers
from server.matches.rooms import Rooms
from server.matches.verify.match_file import verify
from server.store.store import MatchStore
from tests.support.playing import MatchInMemory
from tests.support.room import DUEL, THREE_WAY, Table, begun, entries_of, eventually, made, rooms_on
from tests.support.toy_rules import ToyRules

CLOCK = ClockTerms("live", bank=60)


@pytest.fixture
async def rooms(store: MatchStore) -> AsyncIterator[Rooms]:
    async with rooms_on(store, ToyRules(rounds=6)) as opened:
        yield opened


def view(table: Table, audience: str = "") -> View:
    return table.room.teller.snapshot(audience_of(audience)).view


def refused(reply: Accepted | Refused, code: str) -> None:
    assert isinstance(reply, Refused), reply
    assert reply.code == code
    assert reply.sentence.endswith(".")


async def over(table: Table) -> ResultView:
    await eventually(lambda: table.room.published)
    result = view(table).result
    assert result is not None
    assert table.asked == []
    assert view(table, "red").phase == "over"
    return result


async def test_a_seat_that_concedes_loses(rooms: Rooms, store: MatchStore) -> None:
    table = await begun(rooms)
    await table.give("red", table.default("red"))
    assert isinstance(await table.room.settle_on_desk("red", Concede("concede-1")), Accepted)
    result = await over(table)
    assert (result.winner, result.how, result.rule) == ("blue", "concession", "")
    assert result.reason == "Red has conceded."
    # The sealed answer is dropped, and no seat is asked anything.
    refused(await table.room.answer("blue", Answer("answer-01", "1", "place")), "match_not_running")
    refused(await table.room.settle_on_desk("blue", Concede("concede-2")), "match_not_running")
    entries = await entries_of(store, table.room.match)
    assert isinstance(decode(len(entries) - 1, entries[-2]).body, Ended)
    report = verify(match_file.export(entries), lambda _edition: ToyRules(rounds=6))
    assert report.ended == "Red has conceded."


async def test_when_one_of_three_concedes_the_others_play_on(rooms: Rooms) -> None:
    table = await begun(rooms, THREE_WAY)
    await table.room.settle_on_desk("green", Concede("concede-1"))
    await eventually(lambda: table.prompt("green").answered)
    assert view(table).result is None
    assert view(table).seats["green"].conceded
    for seat in ("red", "blue"):
        await table.give(seat, table.default(seat))
    told = [s.text for m in table.listeners[""].messages if isinstance(m, Update) for s in m.story]
    assert "Ada has conceded: the default is played." in told
    refused(await table.room.settle_on_desk("green", Concede("concede-2")), "conceded")
    await table.room.settle_on_desk("blue", Concede("concede-3"))
    result = await over(table)
    assert (result.winner, result.reason) == ("red", "Blue and Green have conceded.")


async def test_the_players_agree_on_a_draw(rooms: Rooms) -> None:
    table = await begun(rooms)
    await table.deploy()
    assert isinstance(await table.room.settle_on_desk("red", MakeOffer("offer-001", "draw")), Accepted)
    refused(await table.room.settle_on_desk("red", MakeOffer("offer-002", "draw")), "offer_open")
    ((key, offer),) = view(table, "blue").offers.items()
    assert isinstance(await table.room.settle_on_desk("blue", MakeOffer("offer-003", "draw")), Accepted), "another one"
    assert (offer.seat, offer.kind, offer.text, offer.frame) == ("red", "draw", (), -1), "nothing would return"
    refused(await table.room.settle_on_desk("red", Respond("answer-01", key, accept=True)), "own_offer")
    assert isinstance(await table.room.settle_on_desk("blue", Respond("answer-02", key, accept=True)), Accepted)
    result = await over(table)
    assert (result.winner, result.how) == ("", "agreement")
    assert view(table).offers == {}


async def test_an_offer_among_three_needs_all_seats_that_have_not_conceded(rooms: Rooms) -> None:
    table = await begun(rooms, THREE_WAY)
    await table.room.settle_on_desk("red", MakeOffer("offer-001", "draw"))
    (key,) = view(table).offers
    await table.room.settle_on_desk("blue", Respond("answer-01", key, accept=True))
    assert view(table).offers[key].accepted == ("blue",)
    assert view(table).result is None
    await table.room.settle_on_desk("green", Concede("concede-1"))
    assert (await over(table)).how == "agreement"


async def test_an_offer_is_carried_out_when_the_last_seat_without_consent_concedes(rooms: Rooms) -> None:
    table = await begun(rooms, THREE_WAY)
    await table.room.settle_on_desk("red", MakeOffer("offer-001", "clock", CLOCK))
    (key,) = view(table).offers
    await table.room.settle_on_desk("blue", Respond("answer-01", key, accept=True))
    assert view(table).clock is None
    await table.room.settle_on_desk("green", Concede("concede-1"))
    await eventually(lambda: view(table).clock is not None)
    assert view(table).offers == {}


async def test_an_accepted_pause_of_clocks_that_no_longer_exist_is_dropped(rooms: Rooms) -> None:
    table = await begun(rooms, replace(DUEL, clock=CLOCK))
    await table.room.settle_on_desk("red", MakeOffer("offer-001", "pause"))
    await table.room.settle_on_desk("red", MakeOffer("offer-002", "clock", None))
    pause, clock = view(table).offers
    await table.room.settle_on_desk("blue", Respond("answer-01", clock, accept=True))
    await table.room.settle_on_desk("blue", Respond("answer-02", pause, accept=True))
    assert view(table).clock is None
    assert view(table).offers == {}


async def test_an_offer_ends_when_it_is_withdrawn_declined_or_answered_by_playing_on(rooms: Rooms) -> None:
    table = await begun(rooms)
    for number, seat in enumerate(("red", "blue")):
        await table.room.settle_on_desk("red", MakeOffer(f"offer-00{number}", "draw"))
        (key,) = view(table).offers
        await table.room.settle_on_desk(seat, Respond(f"answer-0{number}", key, accept=False))
        assert view(table).offers == {}
    told = [s.text for m in table.listeners[""].messages if isinstance(m, Update) for s in m.story if s.kind == "offer"]
    assert told == [
        "Ada offers a draw.",
        "Ada withdraws the offer.",
        "Ada offers a draw.",
        "Ada does not agree.",
    ]
    await table.room.settle_on_desk("red", MakeOffer("offer-003", "draw"))
    await table.give("red", table.default("red"))
    assert len(view(table).offers) == 1, "who offers may play on"
    await table.give("blue", table.default("blue"))
    assert view(table).offers == {}, "who plays on does not agree"


async def test_an_offer_that_playing_on_does_not_decline_stands_until_the_end(rooms: Rooms) -> None:
    table = await begun(rooms)
    await table.room.settle_on_desk("red", MakeOffer("offer-001", "clock", CLOCK))
    await table.room.settle_on_desk("blue", MakeOffer("offer-002", "draw"))
    await table.deploy()
    assert [offer.kind for offer in view(table).offers.values()] == ["clock", "draw"], "blue has made the last decision"
    for seat in ("blue", "red"):
        await table.give(seat, table.default(seat))
    assert [offer.kind for offer in view(table).offers.values()] == ["clock"]
    await table.play_out()
    await eventually(lambda: table.room.published)
    assert view(table).offers == {}


async def test_meaningless_offers_are_refused(rooms: Rooms) -> None:
    table = await begun(rooms)
    refused(await table.room.settle_on_desk("red", MakeOffer("offer-001", "pause")), "no_clock")
    refused(await table.room.settle_on_desk("red", MakeOffer("offer-002", "resume")), "no_clock")
    refused(await table.room.settle_on_desk("red", MakeOffer("offer-003", "clock", None)), "same_clock")
    refused(await table.room.settle_on_desk("red", Respond("answer-01", "17", accept=True)), "offer_closed")
    assert isinstance(await table.room.settle_on_desk("red", MakeOffer("offer-004", "clock", CLOCK)), Accepted)


async def test_agreements_are_refused_before_the_match_begins(rooms: Rooms) -> None:
    room = await rooms.get((await made(rooms)).match)
    assert room is not None
    for message in (Concede("concede-1"), MakeOffer("offer-001", "draw"), TakeBack("take-back-1")):
        refused(await room.settle_on_desk("red", message), "match_not_running")


async def test_an_agreement_is_carried_out_after_a_crash(rooms: Rooms, store: MatchStore, valkey_url: str) -> None:
    """The last consent is in the log, and the server dies before it appends the draw."""
    table = await begun(rooms)
    await table.room.settle_on_desk("red", MakeOffer("offer-001", "draw"))
    (key,) = view(table).offers
    table.room._writer._due = lambda _up: None
    await table.room.settle_on_desk("blue", Respond("answer-01", key, accept=True))
    assert view(table).result is None
    async with MatchStore(valkey_url) as other, rooms_on(other, ToyRules(rounds=6)) as there:
        room = await there.get(table.room.match)
        assert room is not None
        await eventually(lambda: room.published)
    assert len([p for n, p in await store.read(table.room.match) if isinstance(decode(n, p).body, Ended)]) == 1


def test_an_acceptance_counts_once_and_only_for_an_open_offer() -> None:
    state = Offered("1", "red", "draw").fold(ToyRules().open("three-way", {}))
    for seat in ("blue", "blue", "green"):
        state = OfferAccepted("1", seat).fold(state)
    assert state.desk.offers["1"].accepted == ("blue", "green")
    assert OfferAccepted("2", "blue").fold(state) is state
    closed = OfferClosed("1").fold(Offered("2", "red", "pause").fold(state))
    assert list(closed.desk.offers) == ["2"]


async def test_an_offer_or_concession_sent_twice_counts_once_and_gets_the_same_reply(
    rooms: Rooms, store: MatchStore
) -> None:
    table = await begun(rooms, THREE_WAY)
    offer = MakeOffer("offer-001", "draw")
    for seat, message in (
        ("red", offer),
        ("blue", Respond("answer-01", "1", accept=True)),
        ("green", Respond("answer-02", "1", accept=False)),
        ("green", Concede("concede-1")),
    ):
        first = await table.room.settle_on_desk(seat, message)
        assert isinstance(first, Accepted)
        await table.room.tick()
        length = await store.length(table.room.match)
        assert await table.room.settle_on_desk(seat, message) == first
        assert await store.length(table.room.match) == length


def test_agreements_are_refused_while_the_rules_cannot_go_on() -> None:
    in_memory = MatchInMemory(ToyRules())
    in_memory.seat_all()
    in_memory.begin()
    for seat in in_memory.play():
        if in_memory.referee.ask and in_memory.referee.ask.seats[seat].title == "Choose a loss":
            break
    stuck = in_memory.again(ToyRules(version="toy 2", bonus=7))
    assert stuck.trouble
    refused(
        cast("Refused", settling(stuck, "red", MakeOffer("o", "draw"), "red:o", Abandonment(), int)),
        "match_not_running",
    )


async def test_an_end_by_concession_is_appended_only_once(store: MatchStore) -> None:
    counted: list[str] = []
    async with rooms_on(store, ToyRules(rounds=6), counted) as rooms:
        table = await begun(rooms)
        await table.room.settle_on_desk("red", Concede("concede-1"))
        await over(table)
        await table.room.say("red", "", Say("say-00001", "Well fought"))
        assert set(counted) == {"appended"}


def test_a_long_take_back_offer_lists_some_lines_and_counts_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    in_memory = MatchInMemory(ToyRules(rounds=20))
    in_memory.seat_all()
    in_memory.begin()
    for number, _ in enumerate(in_memory.play()):
        if number > 20:
            break
    fold = in_memory.referee.fold
    offer = Offer("red", "take_back", to=fold.marks[0].number)
    monkeypatch.setattr(offers, "MOST_LINES", 1000)
    whole = offers.undone(in_memory.rules, fold, offer, "blue")
    assert len(whole) > 10
    for most, shown in (
        (len(whole), whole),
        (len(whole) - 1, (*whole[:-2], "and 2 more")),
        (2, (whole[0], f"and {len(whole) - 1} more")),
    ):
        monkeypatch.setattr(offers, "MOST_LINES", most)
        assert offers.undone(in_memory.rules, fold, offer, "blue") == shown
