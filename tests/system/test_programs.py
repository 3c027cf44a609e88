"""Programs play seats of a real server's matches: they answer in a process of their own, which may be killed at any time."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from client_protocol.client import StartPage, Table
from client_protocol.from_server import MatchMade, Refused
from server.matches.log.entries import Opened, Stepped, decode
from server.matches.verify.match_file import verify
from server.rulesets.library import edition
from tests.support.servers import ServerProcess, serving
from tests.system.play import SMALL, Battle, entries, token
from tests.system.test_long_work import children

EDITION = "fad4"


async def made_against(server: ServerProcess, program: str) -> MatchMade:
    async with StartPage.open(server.address) as page:
        made = await page.make_match(EDITION, SMALL, "Ann", ("blue",), programs={"red": program})
    assert isinstance(made, MatchMade), made
    return made


async def test_a_seat_that_a_program_plays_has_no_invite_and_its_name(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, StartPage.open(server.address) as page:
        assert [program.id for program in page.welcome.programs] == ["recruit", "veteran", "commander"]
        made = await made_against(server, "veteran")
        assert [given.seat for given in made.passes] == ["blue"]
        async with Table.sit(server.address, made.match, token(made, "blue")) as table:
            assert table.view.seats["red"].name == "Veteran (computer)"


async def test_programs_play_no_seat_that_is_taken_or_not_there(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, StartPage.open(server.address) as page:
        taken = await page.make_match(EDITION, SMALL, "Ann", ("blue",), programs={"blue": "recruit"})
        assert isinstance(taken, Refused)
        assert taken.sentence == "A program can play the seats that you do not take: red."
        unknown = await page.make_match(EDITION, SMALL, "Ann", ("blue",), programs={"red": "marshal"})
        assert isinstance(unknown, Refused)
        assert (
            "There is no program 'marshal' that plays FAD 4 here. There are: uncontrolled, recruit, veteran, commander."
            in unknown.sentence
        )


async def play(battle: Battle, most: int) -> None:
    """Answer at most so many prompts."""
    for _ in range(most):
        table = await battle.next()
        if table is None:
            return
        assert table.prompt is not None, "it is among those that are asked"
        await battle.give(table, table.prompt.default)


async def test_a_match_goes_on_when_the_programs_process_and_the_server_are_killed(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        made = await made_against(server, "recruit")
        async with Battle.at(server, made) as battle:
            await play(battle, 3)
            (child,) = children(server.pid)
            os.kill(child, signal.SIGKILL)
            await play(battle, 3)
            assert child not in children(server.pid)
            server.kill()
            server.start()
            await play(battle, 300)
            assert battle.over
        file = await server.match_file(made.match)
        log = await entries(server.data_dir, made.match)
    report = verify(file, edition)
    assert (report.replayed, report.differences) == (report.steps, ())
    opened = decode(1, log[0]).body
    assert isinstance(opened, Opened)
    assert opened.state().desk.machines == {"red": "recruit"}
    bodies = [decode(number, payload).body for number, payload in enumerate(log, 1)]
    steps = [body for body in bodies if isinstance(body, Stepped) and body.picked is not None]
    assert {step.seat for step in steps} == {"blue", "red"}
    assert not any(step.played for step in steps)
