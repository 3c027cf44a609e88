"""Battles of leagues whose forces live on: two ready forces of FAD 5 that programs let fight."""

from __future__ import annotations

import random

from msgspec.structs import replace

from client_protocol.from_client import Answer
from client_protocol.leagues import FixtureView, Join, LeagueTerms, LeagueView
from server.kernel.answers.sampling import sample
from server.kernel.belief import believed
from tests.leagues.conftest import NAMES, Server
from tests.rulesets.fad5.battlefield import fad5
from tests.support.player_keys import ADA, BO, PlayerKey
from tests.support.room import Table, eventually

TERMS = LeagueTerms("Autumn", "fad5", ("two-orchards",), listed=False, campaign={}, step_hours=24)


async def gathered(server: Server, terms: LeagueTerms = TERMS, *keys: PlayerKey) -> LeagueView:
    """A league whose forces live on, that Ada has made and these players (by default Ada and Bo) have joined."""
    made = await server.make(terms)
    for key in keys or (ADA, BO):
        ready = replace(fad5().ready_forces[0], name=f"{NAMES[key.key]}'s")
        await server.act(made.id, key, Join(ready), made.invite)
    return await server.leagues.show(made.id, ADA.key)


async def fought(server: Server, league: str, fixture: FixtureView, seed: int = 1) -> Table:
    """The match of a fixture, played to its end with random answers. Its result is taken in."""
    table = await server.seated(league, fixture)
    await fight(server, table, seed)
    return table


async def fight(server: Server, table: Table, seed: int = 1) -> None:
    """Play a match to its end with random answers. Its result is taken in."""
    chance = random.Random(seed)
    while table.asked:
        seat = next(seat for seat in table.asked if not table.prompt(seat).answered)
        prompt = table.prompt(seat)
        ask = table.room._referee.ask
        assert ask is not None
        picked = sample(believed(table.room._referee.fold.state, seat), ask.seats[seat], chance)
        await table.give(seat, Answer(f"{seat}-{chance.random()}", prompt.id, picked.choice, picked.values))
    await eventually(lambda: table.room.published)
    await server.pass_(5)
