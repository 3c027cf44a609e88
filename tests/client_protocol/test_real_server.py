"""One match on a real server, from its first minute to long after its last, by what the client has."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from client_protocol.client import StartPage, Table
from client_protocol.client.asides import Replayed
from client_protocol.clocks import ClockTerms
from client_protocol.from_client import ForkPoint, GhostPlaces
from client_protocol.from_server import Accepted, Exported, LuckReport, MatchMade, Refused, SetupChecked, WhatIf
from tests.support.servers import ServerProcess, serving, until
from tests.system.play import token

EDITION, SCENARIO, SEATS = "fad4", "crossroads-patrol", ("blue", "red")
CLOCK = ClockTerms("live", 3600, 10, 60)


@asynccontextmanager
async def tables(server: ServerProcess, made: MatchMade) -> AsyncIterator[tuple[Table, Table, Table]]:
    """Both seats, and Cleo, who watches."""
    async with AsyncExitStack() as stack:
        blue, red, spectator = [
            await stack.enter_async_context(Table.sit(server.address, made.match, token(made, seat), name=name))
            for seat, name in (("blue", ""), ("red", ""), ("", "Cleo"))
        ]
        yield blue, red, spectator


async def done(reply: Accepted | Refused, *seeing: Table) -> None:
    """Waits until all have seen what was accepted."""
    assert isinstance(reply, Accepted), reply
    await until(lambda: all(table.seq >= reply.seq for table in seeing))


def asked(table: Table) -> bool:
    """Whether it has something to answer."""
    return table.prompt is not None and not table.prompt.answered


async def play(blue: Table, red: Table, *, decisions: int) -> None:
    """So many decisions, each by its default."""
    for _ in range(decisions):
        await until(lambda: any(map(asked, (blue, red))))
        table = blue if asked(blue) else red
        assert table.prompt is not None, "it is asked"
        default = table.prompt.default
        await done(await table.answer(default.choice, default.values, table.prompt.id), blue, red)


async def test_a_match_from_its_first_minute_to_long_after_its_last(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, StartPage.open(server.address) as page:
        made = await page.make_match(EDITION, SCENARIO, "Ann", SEATS, listed=False, clock=CLOCK)
        assert isinstance(made, MatchMade)
        async with StartPage.open(server.address, (made.match,)) as mine:
            await until(lambda: [info.match for info in mine.mine] == [made.match])
            assert (mine.mine[0].clock, mine.matches) == (CLOCK, ())
        async with tables(server, made) as (blue, red, spectator):
            while not all(any(figure.at for figure in unit.figures.values()) for unit in blue.view.units.values()):
                await play(blue, red, decisions=1)
            await play(blue, red, decisions=2)
            await the_clocks_run(blue)
            await the_log_is_the_one_that_was_seen(blue, spectator)
            await one_takes_back(blue, red)
            await everybody_talks(blue, spectator)
            await somewhere_else_is_imagined(blue)
            await a_position_is_looked_at(page, blue)
            await both_agree_on_a_draw(blue, red)
            await until(lambda: spectator.over)
            replayed = await the_match_is_told_again(blue)
            assert isinstance(await spectator.luck_report(), LuckReport)
            await one_plays_on_from_before_the_end(page, made.match, replayed)
            text = await spectator.export_text()
            assert isinstance(text, Exported)
            assert "Ann" in text.text
        await another_server_takes_it_in(server, made.match, tmp_path / "other")


async def the_log_is_the_one_that_was_seen(blue: Table, spectator: Table) -> None:
    """What a snapshot, an update and another audience were told is in the log."""
    assert blue.snapshot is not None
    assert len({blue.snapshot.head.hex(), blue.head}) == 2
    for head in (blue.snapshot.head.hex(), blue.head, spectator.head):
        assert isinstance(await spectator.check_head(head), Accepted)
    refused = await blue.check_head("0" * 64)
    assert isinstance(refused, Refused)
    assert refused.code == "other_log"


async def the_clocks_run(table: Table) -> None:
    first = table.time_left()
    running = [seat for seat, left in first.items() if left.running]
    assert running == [seat for seat, at in table.view.seats.items() if at.asked and not at.sealed]
    assert all(0 < left.remaining <= 3_660_000 for left in first.values())
    await until(lambda: table.time_left()[running[0]].remaining < first[running[0]].remaining)
    assert abs(table.up - (table.view.clock.at if table.view.clock else 0)) < 60_000


async def one_takes_back(blue: Table, red: Table) -> None:
    """Take back as a seat that may; the other one agrees if consent is needed."""
    seats = {"blue": blue, "red": red}
    while not (able := [seat for seat in seats if blue.view.seats[seat].take_back]):
        await play(blue, red, decisions=1)
    taker, other = seats[able[0]], seats["red" if able[0] == "blue" else "blue"]
    prompt = taker.prompt
    await done(await taker.take_back(), blue, red)
    for key, offer in dict(other.view.offers).items():
        assert (offer.kind, offer.seat, bool(offer.text)) == ("take_back", taker.seat, True)
        await done(await other.respond(key, accept=True), blue, red)
    await until(lambda: not blue.view.offers and taker.prompt is not None and taker.prompt != prompt)


async def everybody_talks(blue: Table, spectator: Table) -> None:
    before = blue.seq
    await done(await spectator.say("who wins?"), spectator)
    history = await spectator.recall(spectator.seq + 1)
    assert not isinstance(history, Refused)
    (line,) = history.frames[-1].story
    assert (line.name, line.channel, line.speaker) == ("Cleo", "spectators", "")
    assert blue.seq == before, "players are not told before the end"
    await done(await blue.say("we do"), blue, spectator)
    await done(await spectator.report(spectator.seq, "boastful"), spectator)


async def somewhere_else_is_imagined(table: Table) -> None:
    standing = {
        key: {name: figure.at for name, figure in unit.figures.items() if figure.at is not None and not figure.fallen}
        for key, unit in table.view.units.items()
    }
    there = {key for key, places in standing.items() if places}
    unit = next(key for key in sorted(there) if table.view.units[key].side == table.seat)
    moved = {name: (x, y + 1000) for name, (x, y) in standing[unit].items()}
    imagined = await table.what_if(unit, {unit: GhostPlaces(moved)})
    assert isinstance(imagined, WhatIf), imagined
    assert {target.target for target in imagined.targets} == there - {unit}


async def a_position_is_looked_at(page: StartPage, table: Table) -> None:
    setup = await table.export_setup()
    assert isinstance(setup, Exported)
    checked = await page.check_setup(setup.text.encode())
    assert isinstance(checked, SetupChecked)
    assert (checked.problem, checked.edition) == ("", EDITION)
    assert checked.view is not None
    assert checked.view.units.keys() == table.view.units.keys()
    made = await page.make_match("", "", "Ann", SEATS, setup=setup.text.encode())
    assert isinstance(made, MatchMade), made


async def both_agree_on_a_draw(blue: Table, red: Table) -> None:
    await done(await blue.offer("draw"), blue, red)
    (key,) = red.view.offers
    await done(await red.respond(key, accept=True), blue, red)
    await until(lambda: blue.over and red.over)
    assert red.view.result is not None
    assert (red.view.result.winner, red.view.result.how) == ("", "agreement")


async def the_match_is_told_again(table: Table) -> Replayed:
    own = await table.replay()
    assert isinstance(own, Replayed)
    assert [frame.seq for frame in own.frames] == list(range(1, len(own.frames) + 1))
    *_, (_, last) = own.views()
    assert (last.units, last.result) == (table.view.units, table.view.result)
    assert any(frame.back >= 0 for frame in own.frames)
    everything = await table.replay("*")
    assert isinstance(everything, Replayed)
    assert len(everything.frames) >= len(own.frames)
    return everything


async def one_plays_on_from_before_the_end(page: StartPage, match: str, everything: Replayed) -> None:
    last = max(frame.seq for frame, view in everything.views() if view.result is None)
    late = await page.make_match("", "", "Ann", SEATS, fork=ForkPoint(match, "*", last + 1))
    assert isinstance(late, Refused)
    assert late.code == "no_fork"
    made = await page.make_match("", "", "Ann", SEATS, fork=ForkPoint(match, "*", last))
    assert isinstance(made, MatchMade), made


async def another_server_takes_it_in(server: ServerProcess, match: str, data_dir: Path) -> None:
    where = f"/matches/{match}.underfire"
    await until(lambda: server.get(where).status == 200)
    file = (await asyncio.to_thread(server.get, where)).body
    async with serving(data_dir) as other, StartPage.open(other.address) as page:
        made = await page.import_match(file)
        assert made == MatchMade(getattr(made, "id", ""), match, ())
        async with Table.sit(other.address, match) as spectator:
            assert spectator.over
        again = await page.import_match(file)
        assert isinstance(again, Refused)
        assert again.code == "match_exists"
