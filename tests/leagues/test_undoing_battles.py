"""Undoing what organisers did where forces live on: a battle goes on only for the forces as they were."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from client_protocol.leagues import (
    AnswerChallenge,
    ChangeForce,
    Close,
    LeagueTerms,
    Meet,
    PairRound,
)
from server.leagues.log.league_file import written
from server.leagues.verify.league_file import verify
from server.store.store import MatchStore
from tests.leagues.conftest import CY, Server, free, server_on
from tests.leagues.fought import fought
from tests.leagues.fought import gathered as gathered_forces
from tests.leagues.test_undoing import of, settle, undo, why_not
from tests.rulesets.fad5.battlefield import fad5
from tests.support.player_keys import ADA, BO
from tests.support.room import Hands, rooms_on


@pytest.fixture
async def rich(store: MatchStore) -> AsyncIterator[Server]:
    """A server whose leagues are of an edition with campaigns."""
    hands = Hands(now=1_795_824_392_000)
    async with rooms_on(store, fad5(), hands=hands) as rooms:
        yield server_on(store, rooms, hands, fad5())


async def test_an_end_that_has_revealed_the_secret_of_the_dice_stands(rich: Server) -> None:
    league = await gathered_forces(rich)
    await rich.act(league.id, ADA, Close())
    assert await why_not(rich, league.id) == (
        "The end has revealed the secret of the campaign's dice: all that are still to fall could be foreseen."
    )


async def test_a_battle_goes_on_only_for_the_forces_as_they_were_when_it_was_settled(rich: Server) -> None:
    league = await gathered_forces(rich, LeagueTerms("Autumn", "fad5", ("two-orchards",), listed=False, campaign={}))
    begun_ = await rich.act(league.id, ADA, PairRound(0))
    table = await rich.seated(league.id, begun_.fixtures[0])
    await settle(rich, league.id, 1)
    assert of(await undo(rich, league.id), 1).match == table.room.match
    await settle(rich, league.id, 1)
    other = replace(fad5().ready_forces[0], name="Another name")
    await rich.act(league.id, ADA, ChangeForce(other))
    assert await why_not(rich, league.id) == "The force of Ada has changed since."
    verify(written(await rich.leagues.logs.read(league.id), ()), lambda _edition: fad5())


async def test_a_force_is_in_one_battle_at_a_time(rich: Server) -> None:
    terms = replace(free(), edition="fad5", scenarios=("two-orchards",), campaign={})
    league = await gathered_forces(rich, terms, ADA, BO, CY)
    for number, other in ((1, BO), (2, CY)):
        await rich.act(league.id, ADA, Meet(other.key))
        league = await rich.act(league.id, other, AnswerChallenge(number, yes=True))
    await rich.seated(league.id, of(league, 1))
    await settle(rich, league.id, 1)
    await rich.seated(league.id, of(league, 2))
    assert await why_not(rich, league.id) == "Ada is in another battle since."


async def test_what_a_battle_did_to_the_forces_stays_when_its_result_counts_again(rich: Server) -> None:
    league = await gathered_forces(rich)
    begun_ = await rich.act(league.id, ADA, PairRound(0))
    await fought(rich, league.id, begun_.fixtures[0])
    before = await rich.leagues.show(league.id, ADA.key)
    await settle(rich, league.id, 1)
    after = await undo(rich, league.id)
    assert (after.fixtures, after.players) == (before.fixtures, before.players)
    verify(written((await rich.leagues.logs.read(league.id)), ()), lambda _edition: fad5())
