"""Chat: who hears it and when, that it stays text, and reports of it."""

from __future__ import annotations

import pytest

from client_protocol.from_client import Concede, Recall, Report, Say
from client_protocol.from_server import Accepted, Refused, Update
from client_protocol.view import Story
from server.kernel.belief import SPECTATORS
from server.matches.log.audiences import audience_of
from server.matches.projections import reports
from server.matches.rooms import Rooms
from server.store.store import MatchStore
from tests.support.room import Table, begun, eventually

AUDIENCES = ("red", "blue", "")


def heard(table: Table, audience: str) -> list[Story]:
    updates = [m for m in table.listeners[audience].messages if isinstance(m, Update)]
    return [story for update in updates for story in update.story if story.kind == "chat"]


def frames(table: Table) -> dict[str, list[bytes]]:
    return {audience: list(listener.frames) for audience, listener in table.listeners.items()}


async def say(table: Table, audience: str, channel: str, text: str = "Well met", name: str = "") -> Accepted | Refused:
    number = sum(len(listener.frames) for listener in table.listeners.values())
    return await table.room.say(audience_of(audience), name, Say(f"say-{channel}-{number}", text, channel))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("speaker", "channel", "hearers"),
    [("red", "table", {"red", "blue", ""}), ("red", "side", {"red"}), ("", "spectators", {""})],
)
async def test_each_chat_channel_is_heard_by_its_own_audiences(
    rooms: Rooms, speaker: str, channel: str, hearers: set[str]
) -> None:
    table = await begun(rooms)
    before = frames(table)
    assert isinstance(await say(table, speaker, channel, name="Eve"), Accepted)
    for audience in AUDIENCES:
        if audience in hearers:
            (story,) = heard(table, audience)
            assert (story.text, story.channel, story.speaker) == ("Well met", channel, speaker)
            assert story.name == ("Ada" if speaker else "Eve")
            assert story.at == 1000
        else:
            assert table.listeners[audience].frames == before[audience], "not a byte, not a number"
            assert not (await table.room.queries.recall(audience_of(audience), Recall("r", 10_000))).frames[-1:] or all(
                story.kind != "chat"
                for frame in (await table.room.queries.recall(audience_of(audience), Recall("r", 10_000))).frames
                for story in frame.story
            )


async def test_spectators_cannot_speak_at_the_table_nor_players_among_spectators(rooms: Rooms) -> None:
    table = await begun(rooms)
    before = frames(table)
    for speaker, channel in (("", "table"), ("", "side"), ("red", "spectators")):
        reply = await say(table, speaker, channel)
        assert isinstance(reply, Refused)
        assert reply.code == "channel"
    assert frames(table) == before


async def test_players_hear_spectators_once_the_match_is_over(rooms: Rooms) -> None:
    table = await begun(rooms)
    await say(table, "", "spectators", "Red is lost")
    await table.room.settle_on_desk("red", Concede("concede-1"))
    await eventually(lambda: table.room.published)
    await say(table, "", "spectators", "I knew it")
    assert [story.text for story in heard(table, "red")] == ["I knew it"]
    assert [story.text for story in heard(table, "")] == ["Red is lost", "I knew it"]


async def test_chat_is_anchored_to_the_step_it_followed(rooms: Rooms) -> None:
    """It has a frame of its own among the frames of the match, and is recalled with them."""
    table = await begun(rooms)
    await table.deploy()
    await say(table, "blue", "table", "Nice spot")
    seq = table.listeners[""].seqs[-1]
    await table.play_out()
    await eventually(lambda: table.room.published)
    history = await table.room.queries.recall(SPECTATORS, Recall("r", 10_000))
    (anchored,) = [frame.seq for frame in history.frames if any(story.kind == "chat" for story in frame.story)]
    assert anchored == seq


async def test_chat_keeps_markup_as_text_and_drops_control_characters(rooms: Rooms) -> None:
    table = await begun(rooms)
    await say(table, "red", "table", "<img src=x onerror=alert(1)> \u202e\x07 a\nb")
    assert heard(table, "blue")[-1].text == "<img src=x onerror=alert(1)> a b"


async def test_a_report_reaches_only_the_operator(
    rooms: Rooms, store: MatchStore, caplog: pytest.LogCaptureFixture
) -> None:
    table = await begun(rooms)
    await say(table, "blue", "table", "You fool")
    frame = table.listeners["red"].seqs[-1]
    before = frames(table)
    reply = await table.room.report("red", Report("report-1", frame, "He is rude"))
    assert isinstance(reply, Accepted)
    assert frames(table) == before
    (note,) = [reports.read(note) for note in await store.reports()]
    assert (note.match, note.seat, note.name, note.text) == (table.room.match, "blue", "Ada", "You fool")
    assert (note.by, note.reason) == ("red", "He is rude")
    # The same report again by mistake, and one of a line that was never said.
    assert isinstance(await table.room.report("red", Report("report-1", frame, "He is rude")), Accepted)
    # Again with another reason: the operator has the report already, and is not told again.
    for number in range(3, 9):
        more = await table.room.report("red", Report(f"report-{number}", frame, f"{number} times rude"))
        assert isinstance(more, Accepted)
    assert len([record for record in caplog.records if "was reported" in record.getMessage()]) == 1
    # A spectator's report of the same line is another report.
    assert isinstance(await table.room.report(SPECTATORS, Report("report-9", frame, "I am shocked")), Accepted)
    assert [reports.read(note).by for note in await store.reports()] == ["", "red"]
    nothing = await table.room.report("red", Report("report-2", frame - 1, "Who knows"))
    assert isinstance(nothing, Refused)
    assert nothing.code == "nothing_said"
    assert len(await store.reports()) == 2


async def test_a_player_cannot_report_a_line_that_was_not_said_to_them(rooms: Rooms) -> None:
    table = await begun(rooms)
    await say(table, "blue", "side", "The left flank is weak")
    for frame in range(30):
        reply = await table.room.report("red", Report(f"report-{frame}", frame, "What was that"))
        assert isinstance(reply, Refused)
