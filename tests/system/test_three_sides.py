"""Battles between three seats, with forces of their own, hidden standing orders, and a player who leaves and returns."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from client_protocol.choices import Picked, Prompt
from client_protocol.client import StartPage, Table
from client_protocol.from_server import Accepted, ForceChecked, MatchMade, SeatTaken
from client_protocol.view import View
from server.kernel.ruleset import Ruleset
from server.matches.verify.match_file import verify
from server.rulesets.library import edition, editions
from tests.support.servers import serving, until
from tests.system.play import Battle, Randomly, crowded, entries, make_match, seats_of, token

CROWDED = [(rules, scenario) for rules in editions().values() for scenario in crowded(rules)]
BRINGING = [(rules, scenario) for rules, scenario in CROWDED if rules.force_form is not None]
each_crowded = pytest.mark.parametrize(("rules", "scenario"), CROWDED, ids=[scenario for _, scenario in CROWDED])


@each_crowded
async def test_three_players_go_on_while_one_of_them_is_away(tmp_path: Path, rules: Ruleset, scenario: str) -> None:
    async with serving(tmp_path) as server:
        async with StartPage.open(server.address) as host, StartPage.open(server.address) as guest:
            seats = next(info.seats for info in rules.info.scenarios if info.id == scenario)
            made = await host.make_match(rules.info.id, scenario, "Ann", (seats[0][0],))
            assert isinstance(made, MatchMade)
            tokens = {given.seat: given.token for given in made.passes}
            for given in made.passes[1:]:
                taken = await guest.take_seat(made.match, given.seat, given.seat.title(), given.invite)
                assert isinstance(taken, SeatTaken)
                tokens[given.seat] = taken.token
        first, second, third = seats_of(made)
        player = Randomly(seed=3)
        async with AsyncExitStack() as stack:
            tables = {
                seat: await stack.enter_async_context(Table.sit(server.address, made.match, tokens[seat]))
                for seat in (first, second)
            }
            spectator = await stack.enter_async_context(Table.sit(server.address, made.match))

            async def answer(table: Table, *, guess: bool) -> None:
                prompt = table.prompt
                assert prompt is not None, "it is asked"
                picked = player(table.view, prompt) if guess else prompt.default
                reply = await table.answer(picked.choice, picked.values, prompt.id)
                if not isinstance(reply, Accepted):
                    reply = await table.answer(prompt.default.choice, prompt.default.values, prompt.id)
                    assert isinstance(reply, Accepted), reply
                await until(lambda: spectator.seq >= reply.seq)

            for visit in range(4):
                async with Table.sit(server.address, made.match, tokens[third]) as table:
                    answers = 0
                    while (asked := await next_of([*tables.values(), table], spectator)) is not None:
                        await answer(asked, guess=True)
                        answers += 1
                        if visit < 3 and answers == 6:
                            break
                # The third has gone; the others see it, and go on while the decisions are theirs.
                while not spectator.over and (left := [one for one in tables.values() if waits(one)]):
                    await answer(left[0], guess=False)
            await until(lambda: all(one.over for one in tables.values()))
            assert spectator.view.result is not None
        report = verify(await server.match_file(made.match), edition)
        assert report.replayed == report.steps > 20


async def next_of(tables: list[Table], spectator: Table) -> Table | None:
    """Return a table that is asked, or None if the match is over."""
    await until(lambda: spectator.over or any(waits(table) for table in tables))
    return None if spectator.over else next(table for table in tables if waits(table))


def waits(table: Table) -> bool:
    """Return whether a table has something to answer."""
    return table.prompt is not None and not table.prompt.answered


@pytest.mark.parametrize(("rules", "scenario"), BRINGING, ids=[scenario for _, scenario in BRINGING])
async def test_brought_forces_and_standing_orders_are_hidden_from_other_seats(
    tmp_path: Path, rules: Ruleset, scenario: str
) -> None:
    async with serving(tmp_path) as server:
        parts = server.get(f"/forces/{rules.info.id}.json")
        assert parts.status == 200
        ready = min(rules.ready_forces, key=lambda force: len(force.units))
        async with StartPage.open(server.address) as page:
            checked = await page.check_force(ready)
            assert isinstance(checked, ForceChecked)
            assert checked.report.problems == ()
        seats = [seat for seat, _ in next(info.seats for info in rules.info.scenarios if info.id == scenario)]
        made = await make_match(server, scenario, forces={seats[0]: ready})
        async with Battle.at(server, made) as battle:
            assert battle.spectator.view.seats[seats[0]].force == ready.name
            # All players accept the forces, and deploy.
            await battle.play_until(acting, agreeing)
            mine = [unit.name for unit in battle.spectator.view.units.values() if unit.side == seats[0]]
            assert mine[: len(ready.units)] == [unit.name for unit in ready.units]
            if rules.orders:
                owner = battle.tables[seats[1]]
                unit = next(key for key, unit in owner.view.units.items() if unit.side == seats[1])
                before = {audience: table.seq for audience, table in battle.tables.items()}
                key = list(rules.orders)[-1]
                await battle.order(owner, unit, key)
                assert owner.view.units[unit].order == key
                log = await entries(tmp_path, battle.match)
                await asyncio.to_thread(server.kill)
                await asyncio.to_thread(server.start)
                for audience in battle.tables:
                    async with Table.sit(server.address, battle.match, token(made, audience)) as fresh:
                        assert fresh.view.units[unit].order == (key if audience == owner.seat else "")
                        assert fresh.seq == before[audience] + (audience == owner.seat)
                assert await entries(tmp_path, battle.match) == log


def acting(prompt: Prompt) -> bool:
    """Return whether units are being activated."""
    return any(choice.key == "activate" for choice in prompt.choices)


def agreeing(_view: View, prompt: Prompt) -> Picked:
    """Accept the forces of others when asked, and otherwise give default answers."""
    return Picked("accept") if any(choice.key == "accept" for choice in prompt.choices) else prompt.default
