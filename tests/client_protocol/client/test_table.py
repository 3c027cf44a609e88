from __future__ import annotations

import asyncio
import hashlib

import pytest

from client_protocol.client import EndedError, StartPage, Table
from client_protocol.client.link import Backoff
from client_protocol.client.merge import merge_patch
from client_protocol.client.table import HELD_BACK, MOST_FAULTS, Event
from client_protocol.forces import FORCE_FORMAT, Force, ForceUnit
from client_protocol.from_client import Answer
from client_protocol.from_server import (
    Accepted,
    Exported,
    ForceChecked,
    Goodbye,
    History,
    MatchMade,
    MatchSummary,
    Preview,
    Refused,
    SeatTaken,
    Sight,
    Snapshot,
    Status,
    Update,
)
from client_protocol.view import FigureView, ResultView, UnitView
from tests.client_protocol.hosting import AT_ONCE, Host, eventually, sitting, until
from tests.gateway.fakes import BLUE, RED


async def test_a_match_is_made_and_a_seat_taken(host: Host) -> None:
    async with StartPage.open(host.address) as page:
        assert page.welcome.version == "1.2.3"
        made = await page.make_match("fake", "s", "Ann", ("blue",))
        assert isinstance(made, MatchMade)
        assert (made.match, made.passes[0].token) == ("m", BLUE)
        assert isinstance(await page.make_match("other", "s", "Ann", ()), Refused)
        taken = await page.take_seat("m", "red", "Bob", "come")
        assert isinstance(taken, SeatTaken)
        assert taken.token == RED
        force = Force(FORCE_FORMAT, "fake", "Ours", (ForceUnit("squad", "First"),))
        assert isinstance(await page.take_seat("m", "red", "Bob", "come", force), SeatTaken)
        assert host.rooms.brought == [None, force]
        checked = await page.check_force(force)
        assert isinstance(checked, ForceChecked)
        assert checked.report.total == 1
        while not page.matches:
            await page.take_seat("m", "red", "Bob")
        assert page.matches[0].title == "Ann"


def listed(match: str, turn: int = 0) -> MatchSummary:
    return MatchSummary(match, match.title(), "fake", "running", turn, 1000, ())


async def test_the_list_is_kept_up_to_date_by_what_changes_in_it(host: Host) -> None:
    host.rooms.matches = [listed("c"), listed("b")]
    host.rooms.unlisted = {"mine": listed("mine")}
    async with StartPage.open(host.address, ("mine",)) as page:
        await eventually(lambda: [info.match for info in page.matches] == ["c", "b"])
        assert [info.match for info in page.mine] == ["mine"]
        host.rooms.matches = [listed("mine", 2), listed("c", 1)]
        host.rooms.changed()
        await eventually(lambda: page.matches == (listed("mine", 2), listed("c", 1)))
        assert page.mine == ()


async def test_more_of_the_list_is_fetched_when_it_is_wanted(host: Host) -> None:
    host.rooms.matches = [listed("c"), listed("b")]
    host.rooms.more_listed = True
    async with StartPage.open(host.address) as page:
        await eventually(lambda: page.more)
        host.rooms.matches.append(listed("a"))
        assert await page.more_matches() == (listed("a"),)
        assert [info.match for info in page.matches] == ["c", "b", "a"]
        assert not page.more
        host.rooms.matches = [listed("c", 1), listed("b")]
        host.rooms.changed()
        await eventually(lambda: page.matches[0].turn == 1)
        assert [info.match for info in page.matches] == ["c", "b", "a"]
        assert not page.more, "of what lies beyond the first page that says nothing"


async def test_the_view_follows_the_match(host: Host) -> None:
    async with sitting(host, BLUE) as blue, sitting(host) as spectator:
        assert (blue.seat, spectator.seat, spectator.prompt) == ("blue", "", None)
        accepted = await blue.answer("wait")
        assert isinstance(accepted, Accepted)
        await until(spectator, accepted.seq)
        assert (spectator.view.turn, blue.view.turn) == (1, 1)


async def test_previews_sight_chat_orders_and_history_are_answered(host: Host) -> None:
    async with sitting(host, BLUE) as blue:
        assert isinstance(await blue.preview("wait"), Preview)
        assert isinstance(await blue.look("a", "b"), Sight)
        assert isinstance(await blue.say("hello"), Accepted)
        assert isinstance(await blue.order("u1", "stop"), Accepted)
        assert host.rooms.room.orders == [("blue", "u1", "stop")]
        assert isinstance(await blue.recall(5), History)
        assert isinstance(await blue.export_setup(), Exported)
    async with sitting(host) as spectator:
        with pytest.raises(ValueError, match="no open prompt"):
            await spectator.answer("wait")
        refused = await spectator.answer("wait", prompt="p0")
        assert isinstance(refused, Refused)
        assert refused.code == "no_seat"


async def test_shares_of_the_dice_are_committed_and_revealed_unasked(host: Host) -> None:
    room = host.rooms.room
    async with sitting(host, BLUE) as blue:
        await until(blue, 1)
        assert room.committed == ["blue"]
        assert room.revealed == {}
        async with sitting(host, RED) as red:
            await eventually(lambda: len(room.revealed) == 2)
            assert room.revealed == {"blue": blue.randomness.hex(), "red": red.randomness.hex()}
            assert sorted(room.committed) == ["blue", "red"]
            assert hashlib.sha256(blue.randomness).digest() != hashlib.sha256(red.randomness).digest()


async def test_a_lost_link_is_resumed_with_what_was_missed(host: Host) -> None:
    gone: asyncio.Event = asyncio.Event()
    back: asyncio.Event = asyncio.Event()

    async def sleep(_seconds: float) -> None:
        gone.set()
        await back.wait()

    async with sitting(host, sleep=sleep) as spectator:
        host.cut()
        await gone.wait()
        for _ in range(3):
            host.rooms.room.tell("on it goes")
        back.set()
        seen: list[Event] = []
        async for event in spectator:
            seen.append(event)
            if isinstance(event, Update) and event.seq == 3:
                break
        assert [type(event) for event in seen] == [Snapshot, Update, Update, Update]
        assert spectator.links == 2


async def test_an_answer_in_flight_counts_once(host: Host) -> None:
    room = host.rooms.room
    room.gate = asyncio.Event()
    async with sitting(host, BLUE) as blue:
        answering = asyncio.create_task(blue.answer("wait"))
        await eventually(lambda: host.gateway is not None and bool(host.gateway._shared.working))
        host.cut()
        await eventually(lambda: blue.links == 2)
        room.gate.set()
        accepted = await answering
        assert isinstance(accepted, Accepted)
        await until(blue, accepted.seq)
        assert room.turn == blue.view.turn == 1


async def test_a_server_that_restarts_is_waited_for(host: Host) -> None:
    async with sitting(host, BLUE) as blue:
        await host.stop()
        answering = asyncio.create_task(blue.answer("wait"))
        await host.start()
        assert isinstance(await answering, Accepted)
        async for event in blue:
            if isinstance(event, Goodbye):
                assert (event.code, event.again) == ("restart", True)
                break


async def test_a_client_over_its_rate_waits_and_sends_again(host: Host) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        if host.gateway is not None:
            for session in host.gateway._sessions:
                session._buckets.clear()

    async with sitting(host, BLUE, sleep) as blue:
        for _ in range(102):
            assert isinstance(await blue.answer("wait"), Accepted)
    assert waits == [HELD_BACK]
    assert host.rooms.room.turn == 102


async def test_after_a_fault_of_the_server_a_message_is_sent_again_a_few_times(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, faults, tried = host.rooms.room, [True, True], list[str]()
    replied = room.replied

    async def stumbling(seat: str, message: Answer) -> Accepted | Refused:
        tried.append(message.id)
        reply = await replied(seat, message)
        if faults and faults.pop():
            raise ZeroDivisionError
        return reply

    monkeypatch.setattr(room, "replied", stumbling)
    async with sitting(host, BLUE, nap) as blue:
        assert isinstance(await blue.answer("wait"), Accepted)
        assert (len(tried), len(set(tried)), room.turn) == (3, 1, 1)
        faults += [True] * 9
        tried.clear()
        refused = await blue.answer("wait")
        assert isinstance(refused, Refused)
        assert (refused.code, len(tried), len(set(tried))) == ("internal", 1 + MOST_FAULTS, 1)


async def nap(_seconds: float) -> None:
    await asyncio.sleep(0)


async def test_prompts_come_once_each_until_the_match_is_over(host: Host) -> None:
    room = host.rooms.room
    room.committed, room.revealed = ["blue", "red"], {"blue": "", "red": ""}
    asked = []
    async with sitting(host, BLUE) as blue:
        async for prompt in blue.prompts():
            asked.append(prompt.id)
            if len(asked) == 3:
                room.result = ResultView("blue", "Red has left the table.", "r")
            await blue.answer(prompt.choices[0].key)
        assert blue.over
        assert blue.view.result == room.result
    assert asked == ["p0", "p1", "p2"]


async def test_a_client_that_cannot_enter_is_told_why(host: Host) -> None:
    for match, token, code in (("m", "guess", "wrong_token"), ("other", "", "no_match")):
        with pytest.raises(EndedError) as ended:
            async with Table.sit(host.address, match, token):
                pass
        assert ended.value.code == code
    with pytest.raises(EndedError) as ended:
        async with Table.sit("http://127.0.0.1:1", "m"):
            pass
    assert ended.value.code == "unreachable"


async def test_read_only_is_an_event(host: Host) -> None:
    async with sitting(host) as spectator:
        host.rooms.become(Status("read_only", 7, "The database is away."))
        async for event in spectator:
            if isinstance(event, Status):
                assert event.since == 7
                break


async def test_a_figure_that_leaves_the_table_has_no_place(host: Host) -> None:
    room = host.rooms.room
    room.units = {"u": UnitView("blue", "Squad", 1, {"f": FigureView((1, 2), 500)}, {})}
    async with sitting(host) as spectator:
        assert spectator.view.units["u"].figures["f"].at == (1, 2)
        room.extra = {"units": {"u": {"figures": {"f": {"at": None, "fallen": True}}}}}
        room.tell("It falls.")
        await until(spectator, 1)
        assert spectator.view.units["u"].figures["f"] == FigureView(None, 500, fallen=True)


def test_the_wait_before_connecting_again_grows_to_ten_seconds() -> None:
    longest = Backoff(draw=lambda: 1.0)
    assert [longest.delay(attempt) for attempt in (0, 1, 2, 3, 20, 10_000)] == [0.25, 0.5, 1.0, 2.0, 10.0, 10.0]
    assert AT_ONCE.delay(3) == 0.0


@pytest.mark.parametrize(
    ("target", "patch", "merged"),
    [
        # RFC 7396, appendix A
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_merge_patches_are_those_of_the_standard(target: object, patch: object, merged: object) -> None:
    assert merge_patch(target, patch) == merged


def test_a_merge_patch_copies_only_the_parts_that_it_changes() -> None:
    before = {"a": {"x": 1}, "b": {"y": 2}}
    after = merge_patch(before, {"b": {"y": 3}})
    assert isinstance(after, dict)
    assert after["a"] is before["a"]
    assert before["b"] == {"y": 2}
