"""How many rounds a Swiss league has that has as many as it takes to find a winner."""

from __future__ import annotations

from msgspec.structs import replace

from client_protocol.leagues import Join, PairRound, Settle, Withdraw
from tests.leagues.conftest import CY, DEE, TERMS, Server
from tests.support.player_keys import ADA, BO
from tests.support.toy_rules import force

SWISS = replace(TERMS, format="swiss", rounds=0)


async def test_the_rounds_follow_the_players_until_the_first_one_is_drawn(server: Server) -> None:
    league = await server.gathered(ADA, BO, terms=SWISS)
    assert league.rounds == 1
    joined = await server.act(league.id, CY, Join(force("C", "rifle")), league.invite)
    assert joined.rounds == 2


async def test_who_joins_or_leaves_later_changes_the_number_of_rounds_no_more(server: Server) -> None:
    league = await server.gathered(ADA, BO, terms=SWISS)
    await server.act(league.id, ADA, PairRound(0))
    for key in (CY, DEE):
        joined = await server.act(league.id, key, Join(force("C", "rifle")), league.invite)
        assert joined.rounds == 1
    assert (await server.act(league.id, CY, Withdraw())).rounds == 1
    settled = await server.act(league.id, ADA, Settle(1, "won", BO.key, "Ada was ill."))
    assert settled.next_round == "All rounds are played."


async def test_a_number_of_rounds_in_the_terms_stands(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY, terms=replace(SWISS, rounds=5))
    assert league.rounds == 5
    assert (await server.act(league.id, ADA, PairRound(0))).rounds == 5
