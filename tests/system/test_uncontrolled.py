"""A match against an uncontrolled side, over the wire: played to its end, over a restart, and verified."""

from __future__ import annotations

import asyncio
from pathlib import Path

from client_protocol.client import StartPage
from client_protocol.from_server import MatchMade, Refused
from server.kernel.programs import UNCONTROLLED, UNCONTROLLED_NAME
from server.matches.log.entries import Opened, Stepped, decode
from server.matches.log.match_file import read
from tests.support.servers import ServerProcess, serving, until
from tests.system.play import SMALL, Battle, Randomly
from tests.system.test_whole_battle import verify

TRIES = 3


async def against_the_rules(
    server: ServerProcess, seat: str = "red", mine: tuple[str, ...] = ("blue",)
) -> MatchMade | Refused:
    """Make a match in which one seat is uncontrolled."""
    async with StartPage.open(server.address) as page:
        return await page.make_match("fad4", SMALL, "Ann", mine, programs={seat: UNCONTROLLED})


async def play(battle: Battle, player: Randomly, decisions: int) -> bool:
    """Answer so many prompts, and return whether the match is over."""
    for _ in range(decisions):
        table = await battle.next()
        if table is None:
            return True
        prompt = table.prompt
        assert prompt is not None
        for _ in range(TRIES):
            picked = player(table.view, prompt)
            reply = await table.answer(picked.choice, picked.values, prompt.id)
            if not isinstance(reply, Refused):
                await battle.level(table, reply.seq)
                break
        else:
            await battle.give(table, prompt.default)
    return False


async def test_one_player_plays_a_whole_match_against_an_uncontrolled_side_over_a_restart(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        made = await against_the_rules(server)
        assert isinstance(made, MatchMade), made
        assert [given.seat for given in made.passes] == ["blue"], "the other seat has no invite"
        player = Randomly(seed=3)
        async with Battle.at(server, made) as battle:
            assert not await play(battle, player, 6)
            seats = battle.tables["blue"].view.seats
            assert (seats["red"].name, seats["red"].program) == (UNCONTROLLED_NAME, UNCONTROLLED)
        server.kill()
        server.start()
        async with Battle.at(server, made) as battle:
            assert await play(battle, player, 500)
        data = await server.match_file(made.match)
    code, said = await asyncio.to_thread(verify, tmp_path / "match.underfire", data)
    assert code == 0, said
    assert "Nothing is wrong" in said
    bodies = [decode(number, entry).body for number, entry in enumerate(read(data).entries, 1)]
    assert isinstance(bodies[0], Opened)
    assert bodies[0].state().desk.programs == {"red": UNCONTROLLED}
    steps = [body for body in bodies if isinstance(body, Stepped) and body.seat == "red"]
    assert steps
    assert {body.played for body in steps} == {UNCONTROLLED}


async def test_an_uncontrolled_seat_is_given_to_no_player_and_only_to_a_program_that_plays_the_edition(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path) as server:
        made = await against_the_rules(server)
        assert isinstance(made, MatchMade), made
        async with StartPage.open(server.address) as page:
            taken = await page.take_seat(made.match, "red", "Bob")
            assert isinstance(taken, Refused)
            assert taken.code == "seat_taken"
            unknown = await page.make_match("fad4", SMALL, "Ann", ("blue",), programs={"red": "nonsense"})
            assert isinstance(unknown, Refused)
            assert unknown.code == "no_program"
        both = await against_the_rules(server, mine=("blue", "red"))
        assert isinstance(both, Refused)
        assert both.code == "no_seat"


async def test_two_uncontrolled_sides_fight_their_match_out_without_any_player(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        programs = {"blue": UNCONTROLLED, "red": UNCONTROLLED}
        async with StartPage.open(server.address) as page:
            made = await page.make_match("fad4", SMALL, "Ann", (), programs=programs)
        assert isinstance(made, MatchMade), made
        data = await server.match_file(made.match)
    code, said = await asyncio.to_thread(verify, tmp_path / "match.underfire", data)
    assert code == 0, said


async def test_an_uncontrolled_side_agrees_to_a_take_back_and_to_no_draw(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        made = await against_the_rules(server)
        assert isinstance(made, MatchMade), made
        async with Battle.at(server, made) as battle:
            assert not await play(battle, Randomly(seed=3), 4)
            table = await battle.next()
            assert table is not None
            refused = await table.offer("draw")
            assert isinstance(refused, Refused)
            assert refused.code == "no_draw"
            before = table.seq
            reply = await table.take_back()
            assert not isinstance(reply, Refused), reply
            # The next entry carries it out.
            await until(lambda: table.seq > reply.seq and not table.view.offers)
            again = await battle.next()
            assert again is not None
            assert again.seq > before
