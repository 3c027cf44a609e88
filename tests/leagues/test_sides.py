"""Leagues with sides, on servers: who plays for whom, who meets, what those of one side know, and how sides stand."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.leagues import (
    AnswerChallenge,
    ChangeSide,
    Close,
    Join,
    LeagueTerms,
    LeagueView,
    Meet,
    PairRound,
    Settle,
    Undo,
    Withdraw,
)
from client_protocol.maps import MoveForce
from server.leagues.data_files import as_csv
from server.leagues.errors import ActError
from server.leagues.public import as_page
from server.leagues.summaries import summary
from tests.leagues.conftest import CY, DEE, TERMS, Server
from tests.leagues.test_map import ON_MAP, holds, shown, stands, texts
from tests.support.player_keys import ADA, BO, PlayerKey
from tests.support.toy_rules import force

SIDED = replace(TERMS, format="free", sides=("Red", "Blue"))
NAMES = {ADA.key: "Ada", BO.key: "Bo", CY.key: "Cy", DEE.key: "Dee"}


def sides(league: LeagueView) -> dict[str, str]:
    """The sides of players, by their names."""
    return {one.name: league.terms.sides[one.side - 1] for one in league.players}


def meetings(league: LeagueView) -> list[set[str]]:
    return [{NAMES[key] for key in one.players} for one in league.fixtures]


async def test_players_choose_a_side_or_get_the_one_with_the_fewest_players(server: Server) -> None:
    made = await server.make(SIDED)
    for key, side in ((ADA, 2), (BO, 2), (CY, 0), (DEE, 0)):
        await server.act(made.id, key, Join(force(f"{NAMES[key.key]}'s", "rifle"), side=side), made.invite)
    league = await server.leagues.show(made.id, ADA.key)
    assert sides(league) == {"Ada": "Blue", "Bo": "Blue", "Cy": "Red", "Dee": "Red"}
    assert texts(league)[1] == "Cy has joined Red with Cy's."
    with pytest.raises(ActError, match="no such side"):
        await server.act((await server.make(SIDED)).id, ADA, Join(force("Lost", "rifle"), side=3))


async def test_a_side_can_be_changed_until_a_player_has_fixtures(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY, terms=SIDED)
    assert sides(league) == {"Ada": "Red", "Bo": "Blue", "Cy": "Red"}
    league = await server.act(league.id, CY, ChangeSide(2))
    assert sides(league)["Cy"] == "Blue"
    assert texts(league)[0] == "Cy plays for Blue from now on."
    league = await server.act(league.id, ADA, ChangeSide(1, CY.key))
    assert sides(league)["Cy"] == "Red", "an organiser may do that for a player"
    await server.act(league.id, CY, Meet(BO.key))
    for key, act, said in (
        (BO, ChangeSide(1, CY.key), "Players choose their own side"),
        (BO, ChangeSide(2), "plays for Blue already"),
        (BO, ChangeSide(3), "no such side"),
        (BO, ChangeSide(1), "Bo has fixtures already"),
        (ADA, ChangeSide(2, CY.key), "Cy has fixtures already"),
        (ADA, ChangeSide(1, DEE.key), "not in the league"),
        (ADA, Meet(CY.key), "You play for the same side"),
    ):
        with pytest.raises(ActError, match=said):
            await server.act(league.id, key, act)
    left = await server.act(league.id, CY, Withdraw())
    assert left.sides[0].players == 1
    back = await server.act(league.id, CY, Join(force("Cy's", "rifle"), side=2), league.invite)
    assert sides(back)["Cy"] == "Red", "who comes back plays for the same side"


async def test_rounds_draw_players_of_different_sides_and_there_are_no_byes(server: Server) -> None:
    for format_ in ("round_robin", "swiss"):
        league = await server.gathered(ADA, BO, CY, terms=replace(SIDED, format=format_))
        assert league.rounds == 2, format_
        for number in (0, 1):
            league = await server.act(league.id, ADA, PairRound(number))
            fixture = league.fixtures[-1]
            await server.act(league.id, ADA, Settle(fixture.number, "won", fixture.players[0], "Told."))
        assert sorted(map(sorted, meetings(league))) == [["Ada", "Bo"], ["Bo", "Cy"]], format_


async def test_a_player_who_sat_out_and_left_changes_no_later_round(server: Server) -> None:
    terms = replace(SIDED, format="round_robin")
    league = await server.gathered(ADA, BO, CY, terms=terms)
    league = await server.act(league.id, ADA, PairRound(0))
    assert meetings(league) == [{"Ada", "Bo"}], "Cy sits out"
    await server.act(league.id, CY, Withdraw())
    await server.act(league.id, ADA, Settle(1, "draw", "", "Told."))
    league = await server.act(league.id, ADA, PairRound(1))
    assert meetings(league) == [{"Ada", "Bo"}], "Bo was to meet the player who has left"


async def test_a_round_needs_two_sides(server: Server) -> None:
    league = await server.make(replace(SIDED, format="swiss"))
    for key in (ADA, BO):
        await server.act(league.id, key, Join(force("Own", "rifle"), side=1), league.invite)
    assert (await server.leagues.show(league.id, ADA.key)).next_round == "A round needs players on two sides."
    with pytest.raises(ActError, match="two sides"):
        await server.act(league.id, ADA, PairRound(0))


async def test_a_turn_on_a_map_needs_two_sides(server: Server) -> None:
    league = await server.make(replace(ON_MAP, sides=("Red", "Blue")))
    for key in (ADA, BO):
        await server.act(league.id, key, Join(force("Own", "rifle"), side=2), league.invite)
    assert (await server.leagues.show(league.id, ADA.key)).next_round == "A turn needs players on two sides."


async def test_those_of_one_side_know_each_others_forces(server: Server) -> None:
    hidden = replace(SIDED, options={"hidden_forces": True})
    league = await server.gathered(ADA, BO, CY, terms=hidden)

    async def known(key: PlayerKey) -> set[str]:
        seen = await server.leagues.show(league.id, key.key, league.invite)
        return {one.name for one in seen.players if one.force is not None}

    assert await known(ADA) == {"Ada", "Cy"}
    assert await known(BO) == {"Bo"}
    assert await known(DEE) == set()


async def test_the_points_of_players_are_their_sides_and_the_champion_is_a_side(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY, DEE, terms=replace(SIDED, listed=True))
    for one, other, winner in ((ADA, BO, BO), (CY, DEE, CY), (ADA, DEE, ADA)):
        league = await server.act(league.id, one, Meet(other.key))
        number = league.fixtures[-1].number
        await server.act(league.id, other, AnswerChallenge(number, yes=True))
        league = await server.act(league.id, ADA, Settle(number, "won", winner.key, "Told."))
    assert [(one.rank, one.side, one.played, one.won, one.lost, one.points) for one in league.sides] == [
        (1, 1, 3, 2, 1, 6),
        (2, 2, 3, 1, 2, 3),
    ]
    page = as_page(league).decode()
    assert "<caption>Sides</caption>" in page
    assert "<td>1</td><td>Red</td><td>2</td><td>3</td><td>2</td><td>0</td><td>1</td><td>6</td>" in page
    assert "<td>Ada (Red)</td>" in page
    assert as_csv(league).decode().splitlines()[0].startswith("rank,player,key,side,played")
    await server.act(league.id, ADA, Close())
    assert summary((await server.leagues.fold(league.id)).league).champion == "Red"


async def test_on_a_map_those_of_one_side_stand_together_and_know_each_others_orders(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY, terms=replace(ON_MAP, sides=("Red", "Blue")))
    await server.act(league.id, ADA, PairRound(0))
    await server.act(league.id, ADA, MoveForce(1, "ford"))
    for key, orders in ((CY, ((ADA.key, "ford"),)), (BO, ()), (DEE, ())):
        seen = await server.leagues.show(league.id, key.key, league.invite)
        assert shown(seen).side_orders == orders
    await server.act(league.id, CY, MoveForce(1, "ford"))
    league = await server.act(league.id, BO, MoveForce(1, "east"))
    assert league.fixtures == (), "Ada and Cy are on one side"
    assert stands(league) == {"Ada": "ford", "Bo": "east", "Cy": "ford"}
    assert holds(league)["ford"] == "Ada"
    await server.act(league.id, ADA, PairRound(1))
    for key in (ADA, CY):
        await server.act(league.id, key, MoveForce(2, "ford"))
    league = await server.act(league.id, BO, MoveForce(2, "ford"))
    assert meetings(league) == [{"Ada", "Bo"}]
    assert texts(league)[0] == "Cy waits at Ford, and fights in the next turn if an enemy is left."
    league = await server.act(league.id, ADA, Settle(1, "won", BO.key, "Told."))
    assert "ford" not in {area for area, name in holds(league).items() if name == "Bo"}, "Cy stands there"


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        (replace(SIDED, sides=("Red",)), "two sides at least"),
        (replace(SIDED, sides=("Red", "red")), "same name"),
        (replace(SIDED, sides=("Red", "\u200b")), "no name"),
        (replace(SIDED, format="ladder"), "plays alone"),
        (replace(SIDED, format="elimination"), "plays alone"),
    ],
)
async def test_sides_that_cannot_be_make_no_league(server: Server, terms: LeagueTerms, said: str) -> None:
    with pytest.raises(ActError, match=said):
        await server.make(terms)


async def test_a_first_round_that_was_undone_is_drawn_anew_with_those_who_have_joined_since(server: Server) -> None:
    league = await server.gathered(ADA, BO, terms=replace(SIDED, format="round_robin"))
    league = await server.act(league.id, ADA, PairRound(0))
    await server.act(league.id, ADA, Undo(league.undo[0].entry, "Cy is late."))
    await server.act(league.id, CY, Join(force("Cy's", "rifle"), side=1), league.invite)
    await server.act(league.id, ADA, Withdraw())
    league = await server.act(league.id, ADA, PairRound(0))
    assert (league.rounds, meetings(league)) == (1, [{"Bo", "Cy"}])
