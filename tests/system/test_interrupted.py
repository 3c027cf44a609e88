"""A server that is killed while a seat is asked during another seat's move: all audiences find the same prompt and view
again.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from client_protocol.choices import PathParameter, PathsDeclared, Picked, Prompt
from client_protocol.client import Table
from client_protocol.view import View
from server.kernel.ruleset import Ruleset
from server.rulesets.library import editions
from tests.support.servers import ServerProcess, serving, until
from tests.system.play import Battle, entries, make_match, peaceful, standing, token

ATTEMPTS = 4
"""Matches to play until a seat is asked during a move."""
REACTING = [rules for rules in editions().values() if rules.orders]
each_reacting = pytest.mark.parametrize("rules", REACTING, ids=[rules.info.id for rules in REACTING])


def interrupting(view: View, prompt: Prompt) -> bool:
    """Return whether a seat is asked how it reacts to another seat's move, and may let it pass."""
    active = view.units.get(view.active_unit)
    return (
        active is not None
        and active.side != view.seats[prompt.seat].side
        and any(choice.why is None and not choice.parameters for choice in prompt.choices)
    )


class Reckless:
    """The first seat gives default answers, by which it waits; the others walk at the nearest enemy as well as they can."""

    def __init__(self, watching: str) -> None:
        self._watching = watching
        self._chance = random.Random(1)

    def __call__(self, view: View, prompt: Prompt) -> Picked:
        for choice in prompt.choices:
            for parameter in choice.parameters:
                if choice.why is None and isinstance(parameter, PathParameter) and prompt.seat != self._watching:
                    return Picked(choice.key, (self._way(view, parameter),))
        return prompt.default

    def _way(self, view: View, way: PathParameter) -> PathsDeclared:
        own = standing(view, way.unit)
        enemies = [
            at
            for key, unit in view.units.items()
            if unit.side != view.units[way.unit].side
            for at in standing(view, key).values()
        ]
        if not own or not enemies:
            return PathsDeclared({})
        distance, start, end = min((math.dist(a, b), a, b) for a in own.values() for b in enemies)
        angle = math.atan2(end[1] - start[1], end[0] - start[0]) + self._chance.uniform(-0.6, 0.6)
        length = min(way.allowance, distance - 4_000)
        dx, dy = int(length * math.cos(angle)), int(length * math.sin(angle))
        return PathsDeclared({key: ((x + dx, y + dy),) for key, (x, y) in own.items()})


@asynccontextmanager
async def interrupted(server: ServerProcess, rules: Ruleset) -> AsyncIterator[tuple[Battle, Table]]:
    """Yield a battle in which a seat is asked during another seat's move, and that seat's table."""
    for _ in range(ATTEMPTS):
        made = await make_match(server, peaceful(rules)[0])
        async with Battle.at(server, made) as battle:
            player = Reckless(made.passes[0].seat)
            while (table := await battle.next()) is not None:
                prompt = table.prompt
                assert prompt is not None, "it is asked"
                if interrupting(table.view, prompt):
                    yield battle, table
                    return
                await battle.try_out(table, player(table.view, prompt))
    pytest.fail("nobody was ever asked in the middle of a move")


@each_reacting
async def test_a_standing_order_given_during_a_move_outlives_a_crash_unseen(tmp_path: Path, rules: Ruleset) -> None:
    async with serving(tmp_path) as server, interrupted(server, rules) as (battle, table):
        prompt, before = table.prompt, {audience: other.seq for audience, other in battle.tables.items()}
        assert prompt is not None
        key = list(rules.orders)[-1]
        await battle.order(table, prompt.unit, key)
        assert table.prompt == prompt
        log, links = await entries(tmp_path, battle.match), table.links
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        await until(lambda: table.links > links)
        for audience, other in battle.tables.items():
            async with Table.sit(server.address, battle.match, token(battle.made, audience)) as fresh:
                mine = audience == table.seat
                assert fresh.view == other.view
                assert fresh.view.units[prompt.unit].order == (key if mine else "")
                assert (fresh.prompt, fresh.seq) == (prompt if mine else None, before[audience] + mine)
        assert await entries(tmp_path, battle.match) == log
        # The move goes on from there, to the same end for all audiences.
        await battle.give(table, prompt.default)
        await battle.next()
        await until(lambda: len({(other.view.turn, other.view.active_unit) for other in battle.tables.values()}) == 1)
        assert not [line for line in server.log.splitlines() if "goes back to its last boundary" in line]
