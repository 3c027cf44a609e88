"""The moments of recorded matches that come with the server: small, in order, told truly, and replayable on a fresh server."""

from __future__ import annotations

import pytest

from client_protocol.from_client import AskMoments, Replay
from client_protocol.from_server import MatchMade, Moment, Moments, Refused, ReplayPart
from server.app import MOMENTS
from server.kernel.belief import EVERYTHING
from server.matches.archive_folder import SUFFIX
from server.matches.log.match_file import export, read
from server.matches.moments import Chosen, Recordings, read_chosen
from server.matches.projections.replay import replay_part
from server.matches.removal import remove
from server.matches.rooms import Rooms
from server.matches.verify.match_file import verify
from server.rulesets.library import edition, editions, find
from server.store.errors import MatchRemoved, StoreError, StoreUnavailable
from server.store.store import MatchStore
from server.work.desk import TooLong, WorkFailed
from tests.support.playing import press_on, whole
from tests.support.room import rooms_on
from tests.support.toy_rules import ToyRules

CHOSEN = read_chosen(MOMENTS)
LARGEST, ALL_LARGEST = 50_000, 150_000
"""The most bytes of one recorded match, and of all of them: they lie in each installation."""
STEPS = 8
"""The most steps of a moment."""
ASK = AskMoments("1")

every_moment = pytest.mark.parametrize("one", CHOSEN, ids=[one.moment.title for one in CHOSEN])


def test_there_is_a_moment_of_each_edition_and_all_are_small() -> None:
    assert {one.moment.edition for one in CHOSEN} == set(editions())
    files = {one.moment.match: one.data for one in CHOSEN}
    assert {path.name.removesuffix(SUFFIX) for path in MOMENTS.glob(f"*{SUFFIX}")} == set(files)
    sizes = [len(data) for data in files.values()]
    assert max(sizes) <= LARGEST
    assert sum(sizes) <= ALL_LARGEST


@every_moment
def test_the_rules_of_today_repeat_the_match_of_a_moment(one: Chosen) -> None:
    """If this fails because a rule was corrected, `scripts/moments.py` records another match."""
    report = verify(one.data, find)
    assert report.ended
    assert report.dice is not None
    assert report.replayed == report.steps > 0
    assert report.differences == ()


@every_moment
def test_a_moment_is_a_handful_of_steps_in_which_figures_fall(one: Chosen) -> None:
    moment, entries = one.moment, read(one.data).entries
    assert 0 < moment.last - moment.first <= STEPS
    part = replay_part(edition(moment.edition), entries, Replay("r", "*", moment.first))
    assert isinstance(part, ReplayPart)
    texts = [story.text for frame in part.frames if frame.seq <= moment.last for story in frame.story]
    assert any(" fall" in text for text in texts), texts


# --- on a server -----------------------------------------------------------------------------------------------------


TOY = Moment("m1", "toy", "A duel", "It ends.", 1, 3)
FILE = export(whole(ToyRules()).entries)


async def shown(rooms: Rooms) -> tuple[Moment, ...]:
    """Return the moments that start pages show once all matches are taken in."""
    await rooms._recordings.take_in()
    reply = await rooms.moments(ASK)
    assert isinstance(reply, Moments)
    return reply.moments


async def test_a_fresh_server_has_the_matches_of_its_editions_and_lists_none(store: MatchStore) -> None:
    rules = edition("fubar4")
    async with rooms_on(store, rules, moments=CHOSEN) as rooms:
        moments = await shown(rooms)
        assert list(moments) == [one.moment for one in CHOSEN if one.moment.edition == "fubar4"]
        for moment in moments:
            room = await rooms.get(moment.match)
            assert room is not None
            assert room.over
            told = await room.queries.replay(EVERYTHING, Replay("r", "*", moment.first))
            assert isinstance(told, ReplayPart), told
        assert await rooms.listing() == ()


async def test_a_later_server_shows_the_match_that_is_there_already(store: MatchStore) -> None:
    for _ in range(2):
        async with rooms_on(store, moments=(Chosen(TOY, FILE),)) as rooms:
            assert await shown(rooms) == (TOY,)
            assert await shown(rooms) == (TOY,)


async def test_another_match_of_the_same_id_is_not_shown(store: MatchStore) -> None:
    async with rooms_on(store) as rooms:
        await rooms.import_match("1", export(whole(ToyRules(), press_on).entries))
    async with rooms_on(store, moments=(Chosen(TOY, FILE),)) as rooms:
        assert await shown(rooms) == ()


async def test_a_match_that_the_operator_has_removed_is_not_shown(store: MatchStore) -> None:
    async with rooms_on(store, moments=(Chosen(TOY, FILE),)) as rooms:
        assert await shown(rooms) == (TOY,)
        await remove(store, None, TOY.match, forget=True)
        assert await shown(rooms) == ()
    async with rooms_on(store, moments=(Chosen(TOY, FILE),)) as rooms:
        assert await shown(rooms) == ()
        with pytest.raises(MatchRemoved):
            await store.check_open(TOY.match)


async def test_a_damaged_file_shows_nothing(store: MatchStore) -> None:
    async with rooms_on(store, moments=(Chosen(TOY, FILE[:-9]),)) as rooms:
        assert await shown(rooms) == ()


async def test_pages_do_not_wait_until_matches_are_taken_in(store: MatchStore) -> None:
    async with rooms_on(store, moments=(Chosen(TOY, FILE),)) as rooms:
        assert await rooms.moments(ASK) == Moments("1", ())
        assert await shown(rooms) == (TOY,)


async def test_what_could_not_be_taken_in_is_tried_again_with_growing_pauses(store: MatchStore) -> None:
    other = Moment("m2", "toy", "Another duel", "It ends.", 1, 3)
    faults: list[Exception] = [StoreUnavailable("It is away."), TooLong(), WorkFailed(), StoreError("It is refused.")]
    pauses: list[float] = []
    tried: list[bytes] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    async with rooms_on(store) as rooms:

        async def take_in(id_: str, data: bytes) -> MatchMade | Refused:
            if faults:
                raise faults.pop(0)
            tried.append(data)
            return await rooms.import_match(id_, data)

        recordings = Recordings((Chosen(TOY, FILE), Chosen(other, b"no match file")), store, take_in)
        await recordings.run(sleep)
        assert pauses == [60.0, 120.0, 240.0]
        assert tried == [b"no match file", FILE], "each file fails by itself"
        assert (await recordings.now(ASK)).moments == (TOY,)
