"""Replays of a battle over the wire: while it goes on, after its end, and after a restart of the server."""

from __future__ import annotations

import asyncio
from pathlib import Path

from msgspec.structs import replace

from client_protocol.client import StartPage, Table
from client_protocol.client.asides import Replayed
from client_protocol.from_server import LuckReport, Refused
from client_protocol.view import View
from tests.support.servers import LONGEST, serving, until
from tests.system.play import Battle, Randomly, make_match, press_on, seats_of, token

AT_FIRST = 25
"""How many answers are given before a spectator comes."""


def seen(view: View) -> View:
    """Return what a replay shows of a view: all but the asked seats and the possible take-backs."""
    seats = {key: replace(seat, asked=False, take_back="") for key, seat in view.seats.items()}
    return replace(view, seats=seats)


async def replayed(table: Table, view: str | None = None) -> dict[int, View]:
    """Return what a replay shows after each frame, by its number."""
    found = await table.replay(view)
    assert isinstance(found, Replayed), found
    views = {frame.seq: seen(view) for frame, view in found.views()}
    assert list(views) == list(range(1, len(found.frames) + 1))
    return views


async def replay_with_the_secret(table: Table) -> Replayed:
    """Replay a finished match, with the step that publishes the dice secret: the server writes it shortly after the last one."""
    async with asyncio.timeout(LONGEST):
        while True:
            found = await table.replay("*")
            assert isinstance(found, Replayed), found
            if any("secret is published" in story.text for story in found.frames[-1].story):
                return found


async def play(battle: Battle, player: Randomly, most: int, live: dict[int, View]) -> None:
    """Play this many answers, or to the end, and note what spectators see."""
    for _ in range(most):
        table = await battle.next()
        if table is None:
            return
        assert table.prompt is not None, "it is among those that are asked"
        await battle.try_out(table, player(table.view, table.prompt))
        live[battle.spectator.seq] = seen(battle.spectator.view)


async def test_a_late_spectator_can_replay_a_running_battle_from_its_beginning(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        # A battle that is not over by then, however the dice fall.
        made = await make_match(server, "ridge-farm")
        player, live = Randomly(seed=7), dict[int, View]()
        async with Battle.at(server, made) as battle:
            await play(battle, player, AT_FIRST, live)
            async with Table.sit(server.address, made.match) as late:
                views, _ = await asyncio.gather(replayed(late), play(battle, player, 10, live))
                compared = [seq for seq in live if seq in views]
                assert len(compared) >= AT_FIRST / 2
                assert all(live[seq] == views[seq] for seq in compared)
                # Until the match is over, an audience can only replay its own view.
                for view in ("red", "*"):
                    assert isinstance(await late.replay(view), Refused)
                assert isinstance(await late.luck_report(), Refused)
                for table in battle.tables.values():
                    own = await replayed(table)
                    assert own[table.seq] == seen(table.view)
                await late.say("How did that happen?")
                await until(lambda: late.seq == battle.spectator.seq)
                assert max(await replayed(late)) == late.seq


async def test_after_the_end_every_audience_can_replay_everything_and_see_the_luck_report(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        made = await make_match(server)
        async with Battle.at(server, made) as battle:
            await battle.play_until(lambda prompt: "activate" in {choice.key for choice in prompt.choices}, press_on)
            await play(battle, Randomly(seed=8), 1000, {})
            assert battle.over
        async with Table.sit(server.address, made.match) as late:
            whole = await replay_with_the_secret(late)
            luck = await late.luck_report()
            assert isinstance(luck, LuckReport)
            assert luck.rolls
            told = {frame.seq: {story.text for story in frame.story} for frame in whole.frames}
            assert all(row.text in told[row.frame] for row in luck.rolls)
            everybody = [await replayed(late, view) for view in (*seats_of(made), "", "*")]
            ends = [views[max(views)] for views in everybody]
            assert ends[0].result is not None
            assert all(end == ends[0] for end in ends)
        assert await asyncio.to_thread(server.stop) == 0
        await asyncio.to_thread(server.start)
        async with Table.sit(server.address, made.match, token(made, "red")) as again:
            assert await again.replay("*") == whole
            afterwards = await again.luck_report()
            assert isinstance(afterwards, LuckReport)
            assert afterwards.rolls == luck.rolls


async def test_an_unlisted_match_appears_only_on_its_players_start_pages(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        async with StartPage.open(server.address) as page:
            edition = page.welcome.editions[0]
            seats = tuple(seat for seat, _ in edition.scenarios[0].seats)
            made = await page.make_match(edition.id, edition.scenarios[0].id, "Ann", seats, listed=False)
            assert not isinstance(made, Refused)
        async with (
            serving(tmp_path) as second,
            StartPage.open(server.address, (made.match,)) as mine,
            StartPage.open(second.address, (made.match, "nosuchmatch")) as there,
            StartPage.open(server.address) as others,
        ):
            await until(lambda: bool(mine.mine and there.mine))
            async with Battle.at(server, made) as battle:
                await battle.next()
                await until(lambda: bool(mine.mine[0].deciding) and mine.mine[0].spectators == 1)
                # The other server hears of it within a few seconds.
                await until(lambda: there.mine[0].deciding == mine.mine[0].deciding)
                assert there.mine[0].spectators == 0
            assert (mine.matches, there.matches, others.matches, others.mine) == ((), (), (), ())
