"""The start page: what a match can begin from, what is sent in parts, and one's own matches."""

from __future__ import annotations

import pytest

from client_protocol.client import StartPage
from client_protocol.client.start import PART
from client_protocol.clocks import ClockTerms
from client_protocol.from_client import ForkPoint
from client_protocol.from_server import MatchMade, MatchSummary, Refused, SetupChecked
from server.gateway.uploads import LARGEST
from tests.client_protocol.hosting import Host, eventually

FORK = ForkPoint("old", "*", 7)
CLOCK = ClockTerms("live", 600, 10, 60, "claim")


async def test_a_match_is_made_with_a_clock_from_a_moment(host: Host) -> None:
    async with StartPage.open(host.address) as page:
        made = await page.make_match("fake", "", "Ann", ("blue",), listed=False, clock=CLOCK, fork=FORK)
        assert isinstance(made, MatchMade)
    (wanted,) = host.rooms.wanted
    assert (wanted.clock, wanted.fork, wanted.setup, wanted.listed) == (CLOCK, FORK, "", False)
    assert host.rooms.files == []


@pytest.mark.parametrize("size", [1, PART, PART + 1, 5 * PART - 1], ids=str)
async def test_a_large_upload_arrives_whole(host: Host, size: int) -> None:
    data = (bytes(range(251)) * (size // 251 + 1))[:size]
    async with StartPage.open(host.address) as page:
        checked = await page.check_setup(data)
        assert isinstance(checked, SetupChecked)
        assert isinstance(await page.make_match("fake", "", "Ann", (), setup=data), MatchMade)
        refused = await page.import_match(data)
        assert isinstance(refused, Refused)
        assert refused.code == "no_import"
    assert host.rooms.files == [data, data, data]
    assert host.rooms.wanted[0].setup != ""


async def test_an_empty_file_is_a_file(host: Host) -> None:
    async with StartPage.open(host.address) as page:
        checked = await page.check_setup(b"")
        assert isinstance(checked, SetupChecked)
    assert host.rooms.files == [b""]


async def test_an_upload_that_is_too_large_is_refused_and_makes_no_match(host: Host) -> None:
    async with StartPage.open(host.address) as page:
        refused = await page.make_match("fake", "", "Ann", (), setup=bytes(LARGEST + 1))
        assert isinstance(refused, Refused)
        assert (refused.code, "8 MiB" in refused.sentence) == ("upload", True)
    assert (host.rooms.files, host.rooms.wanted) == ([], [])


async def test_ones_own_matches_are_told_though_they_are_not_listed(host: Host) -> None:
    rooms = host.rooms
    rooms.matches = [MatchSummary("n", "Listed", "fake", "open", 0, 0, ())]
    rooms.unlisted = {"u": MatchSummary("u", "Mine", "fake", "open", 0, 0, ())}
    async with StartPage.open(host.address, ("n", "u", "gone")) as page:
        await eventually(lambda: bool(page.mine))
        assert [info.title for info in page.mine] == ["Mine"]
        assert [info.title for info in page.matches] == ["Listed"]
        rooms.unlisted["u"] = MatchSummary("u", "Mine", "fake", "running", 1, 0, ())
        rooms.changed()
        await eventually(lambda: page.mine[0].state == "running")
