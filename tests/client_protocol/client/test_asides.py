"""What a table can do other than answer: settled once, said on the right channel, and reassembled from its parts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from client_protocol.client import EndedError, Table
from client_protocol.client.asides import Replayed
from client_protocol.client.time_left import TimeLeft
from client_protocol.clocks import ClockTerms, ClockView
from client_protocol.codec import plain
from client_protocol.from_client import Claim, Concede, GhostPlaces, MakeOffer, Replay, Report, Respond, TakeBack
from client_protocol.from_server import (
    Accepted,
    Exported,
    LuckReport,
    Refused,
    ReplayFrame,
    ReplayPart,
    Update,
    WhatIf,
)
from client_protocol.view import FigureView, UnitView
from tests.client_protocol.hosting import Host, eventually, sitting, until
from tests.gateway.fakes import BLUE, PART

HOURLY = ClockTerms("correspondence", 3600)
Deed = Callable[[Table], Awaitable[Accepted | Refused]]
DEEDS: list[tuple[Deed, Callable[[str], object]]] = [
    (lambda table: table.take_back(), TakeBack),
    (lambda table: table.take_back(4), lambda id_: TakeBack(id_, 4)),
    (lambda table: table.offer("draw"), lambda id_: MakeOffer(id_, "draw")),
    (lambda table: table.offer("clock", HOURLY), lambda id_: MakeOffer(id_, "clock", HOURLY)),
    (lambda table: table.respond("7", accept=True), lambda id_: Respond(id_, "7", accept=True)),
    (lambda table: table.respond("7", accept=False), lambda id_: Respond(id_, "7", accept=False)),
    (lambda table: table.concede(), Concede),
    (lambda table: table.claim(), Claim),
]


@pytest.mark.parametrize(("deed", "message"), DEEDS, ids=[type(message("")).__name__ for _, message in DEEDS])
async def test_a_message_in_flight_when_the_link_breaks_counts_once(
    host: Host, deed: Deed, message: Callable[[str], object]
) -> None:
    room = host.rooms.room
    room.gate = asyncio.Event()
    async with sitting(host, BLUE) as blue:
        doing = asyncio.ensure_future(deed(blue))
        await eventually(lambda: host.gateway is not None and bool(host.gateway._shared.working))
        host.cut()
        await eventually(lambda: blue.links == 2)
        room.gate.set()
        assert isinstance(await doing, Accepted)
    ((seat, settled),) = room.settled
    assert (seat, settled) == ("blue", message(settled.id))
    assert len(settled.id) >= 8


async def test_a_line_goes_where_its_speaker_may_speak(host: Host) -> None:
    async with sitting(host, BLUE) as blue, sitting(host, name="Cleo") as spectator:
        for saying in (blue.say("hello"), blue.say("hello", "side"), spectator.say("hello")):
            assert isinstance(await saying, Accepted)
        said = [(audience, name, message.channel) for audience, name, message in host.rooms.room.said]
        assert said == [("blue", "", "table"), ("blue", "", "side"), ("", "Cleo", "spectators")]
        assert isinstance(await spectator.report(3, "rude"), Accepted)
        ((audience, report),) = host.rooms.room.settled
        assert (audience, report) == ("", Report(report.id, 3, "rude"))


async def test_a_name_is_said_again_on_a_new_link(host: Host) -> None:
    async with sitting(host, name="Cleo") as spectator:
        host.cut()
        await eventually(lambda: spectator.links == 2)
        assert isinstance(await spectator.say("back again"), Accepted)
        assert [name for _, name, _ in host.rooms.room.said] == ["Cleo"]


async def test_what_if_luck_and_exports_are_answered(host: Host) -> None:
    ghosts = {"u1": GhostPlaces({"f1": (1000, 2000)}, {"f1": 9000})}
    async with sitting(host, BLUE) as blue:
        assert isinstance(await blue.what_if("u1", ghosts), WhatIf)
        ((seat, message),) = host.rooms.room.queries.what_ifs
        assert (seat, message.unit, message.ghosts) == ("blue", "u1", ghosts)
        assert isinstance(await blue.luck_report(), LuckReport)
        text = await blue.export_text()
        assert isinstance(text, Exported)
        assert text.filename == "m.txt"
        case = await blue.export_case("red", 3)
        assert isinstance(case, Exported)
        assert case.filename == "case-red-3.json"


# --- replays ------------------------------------------------------------------------------------------------------------


async def test_a_replay_is_put_together_from_its_parts(host: Host) -> None:
    room = host.rooms.room
    room.units = {"u": UnitView("blue", "Squad", 1, {"f": FigureView((1, 2), 500)}, {})}
    away: dict[str, object] = {"units": {"u": {"figures": {"f": {"at": None}}}}}
    back: dict[str, object] = {"units": {"u": {"figures": {"f": {"at": [1, 2]}}}}}
    patches: tuple[dict[str, object], ...] = ({"turn": 1}, {"turn": 2, **away}, {}, {"turn": 1, **back}, {"turn": 2})
    room.queries.frames = tuple(ReplayFrame(seq, 1000 * seq, 1, patch) for seq, patch in enumerate(patches, 1))
    assert len(room.queries.frames) > 2 * PART, "it takes three parts"
    async with sitting(host, BLUE) as blue:
        replayed = await blue.replay()
        assert isinstance(replayed, Replayed)
        assert (replayed.start.seat, replayed.frames) == ("blue", room.queries.frames)
        seen = [(frame.seq, view.turn, view.units["u"].figures["f"].at) for frame, view in replayed.views()]
        assert seen == [(1, 1, (1, 2)), (2, 2, None), (3, 2, None), (4, 1, (1, 2)), (5, 2, (1, 2))]
        refused = await blue.replay("*")
        assert isinstance(refused, Refused)
        assert refused.code == "not_over"


async def test_a_replay_of_nothing_is_its_beginning(host: Host) -> None:
    async with sitting(host) as spectator:
        replayed = await spectator.replay("")
        assert isinstance(replayed, Replayed)
        assert (replayed.start.seat, list(replayed.views())) == ("", [])


async def test_a_part_that_brings_nothing_is_the_last(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    async def stubborn(audience: str, message: Replay) -> ReplayPart:
        return ReplayPart(message.id, (), 9, more=True, start=None)

    monkeypatch.setattr(host.rooms.room.queries, "replay", stubborn)
    async with sitting(host) as spectator:
        with pytest.raises(EndedError) as ended:
            await spectator.replay()
        assert ended.value.code == "protocol"


# --- clocks -------------------------------------------------------------------------------------------------------------


async def test_a_table_counts_on_from_what_the_server_told(host: Host) -> None:
    now = 100.0
    room = host.rooms.room
    clock = ClockView(ClockTerms("live", 60), 4000, {"blue": 60_000, "red": 60_000})
    room.extra = {"clock": plain(clock), "seats": {"blue": {"asked": True}}}
    async with sitting(host, BLUE, clock=lambda: now) as blue:
        assert blue.time_left() == {}
        room.tell("the clocks are set")
        await until(blue, 2)
        assert blue.up == 5000
        assert blue.time_left()["blue"] == TimeLeft(59_000, running=True)
        now += 2.5
        assert blue.time_left()["blue"] == TimeLeft(56_500, running=True)
        assert blue.time_left()["red"] == TimeLeft(60_000)
        host.cut()
        host.rooms.up = 6000
        await eventually(lambda: blue.links == 2)
        # For a while no server was up: time stood still, and the new link says so.
        assert blue.up == 6000


async def test_events_are_told_as_before(host: Host) -> None:
    async with sitting(host) as spectator:
        host.rooms.room.tell("on it goes")
        await until(spectator, 1)
        assert isinstance(spectator.view.turn, int)
        host.rooms.room.tell("and on")
        async for event in spectator:
            if isinstance(event, Update):
                assert event.story[0].text == "and on"
                break
