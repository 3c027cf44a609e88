"""Campaigns on a map, on servers: sealed orders, battles where forces meet, retreats, and areas that give points."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from client_protocol.codec import pack
from client_protocol.leagues import (
    Admit,
    Close,
    Join,
    LeagueTerms,
    LeagueView,
    PairRound,
    Settle,
    Withdraw,
)
from client_protocol.maps import CampaignMap, MapArea, MapView, MoveForce, RevealOrders
from server.leagues.acts import Actor, Judge, facts_of
from server.leagues.data_files import as_csv, as_json
from server.leagues.errors import ActError
from server.leagues.log.entries import LeagueFold, LeagueLogError
from server.leagues.log.map_facts import OrdersRevealed, Revealed
from server.leagues.map_turns import followed
from server.leagues.public import as_page
from server.leagues.summaries import summary
from server.leagues.views import view
from server.store.store import MatchStore
from tests.leagues.conftest import CY, DEE, TERMS, Server, server_on
from tests.leagues.fought import fought
from tests.leagues.fought import gathered as gathered_forces
from tests.rulesets.fad5.battlefield import fad5
from tests.support.player_keys import ADA, BO, PlayerKey
from tests.support.room import Hands, eventually, rooms_on
from tests.support.toy_rules import force

DAY = 86_400
AREAS = (
    MapArea("west", "West Farm", 100, 500, "duel"),
    MapArea("ford", "Ford", 500, 500, "duel", 3),
    MapArea("east", "East Farm", 900, 500, "duel"),
    MapArea("hill", "Hill", 500, 100, "duel", 2),
)
MAP = CampaignMap(AREAS, (("west", "ford"), ("ford", "east"), ("ford", "hill")), ("west", "east", "hill"))
ON_MAP = replace(TERMS, format="map", map=MAP)


def texts(league: LeagueView) -> list[str]:
    return [one.text for one in league.news]


def shown(league: LeagueView) -> MapView:
    assert league.map is not None
    return league.map


def stands(league: LeagueView) -> dict[str, str]:
    """Where forces stand, by the names of their players."""
    names = {one.key: one.name for one in league.players}
    return {names[one.player]: one.area for one in shown(league).forces}


def holds(league: LeagueView) -> dict[str, str]:
    names = {one.key: one.name for one in league.players}
    return {area: names[player] for area, player in shown(league).held}


async def begun(server: Server, *keys: PlayerKey, terms: LeagueTerms = ON_MAP) -> LeagueView:
    """A campaign of these players (by default Ada and Bo), whose first turn has begun."""
    league = await server.gathered(*(keys or (ADA, BO)), terms=terms)
    return await server.act(league.id, ADA, PairRound(0))


async def met(server: Server, *keys: PlayerKey, terms: LeagueTerms = ON_MAP) -> LeagueView:
    """A campaign of these players, who have all marched to the ford."""
    league = await begun(server, *keys, terms=terms)
    for key in keys or (ADA, BO):
        league = await server.act(league.id, key, MoveForce(1, "ford"))
    return league


async def settled(server: Server, league: LeagueView, winner: PlayerKey | None, fixture: int = 1) -> LeagueView:
    act = Settle(fixture, "won", winner.key, "Told.") if winner else Settle(fixture, "draw", "", "Told.")
    return await server.act(league.id, ADA, act)


# --- turns -----------------------------------------------------------------------------------------------------------


async def test_forces_begin_at_home_and_meet_where_their_orders_lead_them(server: Server) -> None:
    gathers = await server.gathered(ADA, BO, terms=ON_MAP)
    assert stands(gathers) == {"Ada": "west", "Bo": "east"}
    assert (gathers.state, shown(gathers).phase) == ("gathers", "rest")
    league = await begun(server)
    assert (league.state, league.round, league.fixtures, shown(league).phase) == ("runs", 1, (), "orders")
    league = await server.act(league.id, ADA, MoveForce(1, "ford"))
    assert stands(league)["Ada"] == "west", "the order is not revealed yet"
    league = await server.act(league.id, BO, MoveForce(1, "ford"))
    assert stands(league) == {"Ada": "ford", "Bo": "ford"}
    assert holds(league) == {"west": "Ada", "east": "Bo"}
    (fixture,) = league.fixtures
    assert (fixture.round, fixture.state, fixture.scenario, set(fixture.players)) == (
        1,
        "waits",
        "duel",
        {ADA.key, BO.key},
    )
    assert [(one.fixture, one.area) for one in shown(league).battles] == [(1, "ford")]
    assert league.next_round is None
    assert (await server.leagues.show(league.id, ADA.key)).next_round == (
        "There is 1 fixture to play, or to settle, before the next turn."
    )
    assert texts(league)[:3] == [
        "Ada and Bo meet at Ford: they fight for it.",
        "Bo marches from East Farm to Ford.",
        "Ada marches from West Farm to Ford.",
    ]


async def test_a_match_on_the_map_ends_the_turn_and_moves_the_map_and_the_standings(server: Server) -> None:
    league = await met(server)
    table = await server.seated(league.id, league.fixtures[0])
    await table.play_out()
    await eventually(lambda: table.room.published)
    await server.pass_(5)
    league = await server.leagues.show(league.id, ADA.key)
    (fixture,) = league.fixtures
    assert (fixture.state, shown(league).phase) == ("over", "rest")
    first = {"west": "Ada", "east": "Bo"}
    if fixture.winner:
        winner = "Ada" if fixture.winner == ADA.key else "Bo"
        assert holds(league) == {**first, "ford": winner}
        assert stands(league) == {"Ada": "west", "Bo": "east", winner: "ford"}
    else:
        assert (holds(league), stands(league)) == (first, {"Ada": "west", "Bo": "east"})
    given = sum(sum(turns) for _, turns in shown(league).gained)
    assert given == (5 if fixture.winner else 2)
    results = 3 if fixture.winner else 2
    assert sum(one.points for one in league.standings) == results + given
    again = await server.act(league.id, ADA, PairRound(1))
    assert (again.round, shown(again).phase) == (2, "orders")


async def test_an_area_without_an_enemy_is_taken_and_gives_points_at_the_end_of_each_turn(server: Server) -> None:
    league = await begun(server)
    await server.act(league.id, ADA, MoveForce(1, "ford"))
    league = await server.act(league.id, BO, MoveForce(1, "east"))
    assert shown(league).phase == "rest", "a turn without a battle is over"
    assert holds(league) == {"west": "Ada", "ford": "Ada", "east": "Bo"}
    assert [(one.player, one.points) for one in league.standings] == [(ADA.key, 4), (BO.key, 1)]
    row = '<td>3</td><td>Ford</td><td class="words">Ada</td><td class="words">Ada</td>'
    page = as_page(league).decode()
    assert row in page
    picture = ET.fromstring(re.findall(r"<svg class=.map.*?</svg>", page, re.DOTALL)[0])  # noqa: S314 - it is our own
    assert len(picture.findall("line")) == len(MAP.routes)
    assert [one.findtext("title") for one in picture.findall("g")] == [
        "West Farm, worth 1: held by Ada",
        "Ford, worth 3: held by Ada; here: Ada",
        "East Farm, worth 1: held by Bo; here: Bo",
        "Hill, worth 2: held by no player",
    ]
    assert texts(league)[0] == "Turn 1 is over. Points for areas: Ada 4, Bo 1."
    assert texts(league)[1] == "Ada marches from West Farm to Ford and takes it."


async def test_a_loser_goes_back_and_after_a_draw_both_that_came_in_do(server: Server) -> None:
    league = await settled(server, await met(server), BO)
    assert stands(league) == {"Ada": "west", "Bo": "ford"}
    assert holds(league) == {"west": "Ada", "ford": "Bo", "east": "Bo"}
    assert "Ada goes back from Ford to West Farm." in texts(league)
    assert "Bo holds Ford now." in texts(league)
    drawn = await settled(server, await met(server), None)
    assert stands(drawn) == {"Ada": "west", "Bo": "east"}


async def test_of_three_that_meet_one_waits_and_fights_in_the_next_turn(server: Server) -> None:
    league = await met(server, ADA, BO, CY)
    (fixture,) = league.fixtures
    assert set(fixture.players) == {ADA.key, BO.key}
    assert texts(league)[0] == "Cy waits at Ford, and fights in the next turn if an enemy is left."
    league = await settled(server, league, ADA)
    assert stands(league) == {"Ada": "ford", "Bo": "east", "Cy": "ford"}
    assert "ford" not in holds(league)
    league = await server.act(league.id, ADA, PairRound(1))
    assert {one.player for one in shown(league).forces if one.ordered} == {ADA.key, CY.key}
    with pytest.raises(ActError, match="stands with an enemy at Ford"):
        await server.act(league.id, CY, MoveForce(2, "hill"))
    league = await server.act(league.id, BO, MoveForce(2, "ford"))
    assert set(league.fixtures[-1].players) == {ADA.key, CY.key}
    league = await settled(server, league, CY, fixture=2)
    assert stands(league) == {"Ada": "west", "Bo": "ford", "Cy": "ford"}


async def test_a_result_that_is_settled_anew_after_its_turn_counts_and_the_map_stays(server: Server) -> None:
    league = await settled(server, await met(server), BO)
    again = await settled(server, league, ADA)
    assert again.fixtures[0].winner == ADA.key
    assert shown(again) == shown(league)
    assert [one.points for one in again.standings] == [4, 4], (
        "three for a win and one for an area, and four for two areas"
    )


async def test_a_campaign_has_as_many_turns_as_the_terms_say(server: Server) -> None:
    league = await begun(server, terms=replace(ON_MAP, rounds=1))
    assert league.rounds == 1
    league = await server.act(league.id, ADA, RevealOrders(1))
    assert league.next_round == "All turns are played."
    closed = await server.act(league.id, ADA, Close())
    assert shown(closed) == shown(league)


# --- orders ----------------------------------------------------------------------------------------------------------


async def test_orders_that_come_late_twice_or_lead_nowhere_are_refused_in_a_sentence(server: Server) -> None:
    league = await begun(server, ADA, BO, CY)
    with pytest.raises(ActError, match="Turn 2 has not begun"):
        await server.act(league.id, ADA, MoveForce(2, "ford"))
    with pytest.raises(ActError, match="No route leads from West Farm to Hill"):
        await server.act(league.id, ADA, MoveForce(1, "hill"))
    with pytest.raises(ActError, match="no such area"):
        await server.act(league.id, ADA, MoveForce(1, "moon"))
    with pytest.raises(ActError, match="do not play"):
        await server.act(league.id, DEE, MoveForce(1, "ford"), league.invite)
    await server.act(league.id, ADA, MoveForce(1, "ford"), id_="first")
    await server.act(league.id, ADA, MoveForce(1, "ford"), id_="first")
    with pytest.raises(ActError, match="given this order already"):
        await server.act(league.id, ADA, MoveForce(1, "ford"))
    changed = await server.act(league.id, ADA, MoveForce(1, "west"))
    assert shown(changed).order == "west"
    with pytest.raises(ActError, match="orders of turn 1 are to be given"):
        await server.act(league.id, ADA, PairRound(1))
    with pytest.raises(ActError, match="Only an organiser"):
        await server.act(league.id, BO, RevealOrders(1))
    revealed = await server.act(league.id, ADA, RevealOrders(1))
    assert stands(revealed) == {"Ada": "west", "Bo": "east", "Cy": "hill"}, "those without an order stay"
    for key, act in ((BO, MoveForce(1, "ford")), (ADA, RevealOrders(1))):
        with pytest.raises(ActError, match="orders of turn 1 are revealed already"):
            await server.act(league.id, key, act)


async def test_a_sealed_order_shows_others_only_that_it_is_given(server: Server) -> None:
    league = await begun(server, ADA, BO, CY)
    fold, sealing = await server.leagues.fold(league.id), await server.leagues.sealing(league.id)
    payloads = await server.leagues.logs.read(league.id)
    others = (ADA.key, BO.key, DEE.key, "")

    def ordered(to: str) -> LeagueFold:
        after = LeagueFold(payloads[0])
        for payload in payloads[1:]:
            after.add(payload)
        judge = Judge(lambda _force: 0, sealing)
        facts = facts_of(after.league, Actor(CY.key, "Cy"), MoveForce(1, to), 5, judge)
        after.add(after.entry(5, bytes(16), CY.key, followed(after.league, facts, 5, sealing)))
        return after

    def told(of: LeagueFold, key: str) -> tuple[bytes, ...]:
        seen = replace(view(of, key, "", sealing), head="")
        return (pack(seen), as_json(seen), as_page(seen), as_csv(seen), pack(summary(of.league)))

    march, stay = ordered("ford"), ordered("hill")
    for key in others:
        assert told(march, key) == told(stay, key)
        before, after = view(fold, key, "", sealing), view(march, key, "", sealing)
        forces = tuple(replace(one, ordered=one.player == CY.key) for one in shown(before).forces)
        # That an order is given forbids the organiser to take the turn back.
        assert replace(after, head="", map=shown(before), undo=()) == replace(before, head="", undo=())
        assert shown(after) == replace(shown(before), forces=forces)
    assert [shown(view(of, CY.key, "", sealing)).order for of in (march, stay)] == ["ford", "hill"]
    entries = [of.entries[-1] for of in (march, stay)]
    sizes = {len(pack(entry)) for entry in entries}
    assert len(sizes) == 1
    hidden = [re.sub(rb"[0-9a-f]{64}", b"", pack(entry)) for entry in entries]
    assert hidden[0] == hidden[1], "the entries differ in the seal alone"


async def test_revealed_orders_that_were_not_sealed_are_no_part_of_a_log(server: Server) -> None:
    league = await met(server)
    payloads = await server.leagues.logs.read(league.id)
    fold = LeagueFold(payloads[0])
    for payload in payloads[1:-1]:
        fold.add(payload)
    last = (await server.leagues.fold(league.id)).entries[-1]
    sealed, revealed = last.facts
    assert isinstance(revealed, OrdersRevealed)
    forged = tuple(Revealed(one.player, "west", one.key) for one in revealed.orders)
    with pytest.raises(LeagueLogError, match="sealed"):
        fold.add(fold.entry(last.at, last.salt, last.by, (sealed, replace(revealed, orders=forged))))
    with pytest.raises(LeagueLogError, match="orders of this turn"):
        fold.add(fold.entry(last.at, last.salt, last.by, (sealed, replace(revealed, orders=revealed.orders[:1]))))


# --- several servers, deadlines --------------------------------------------------------------------------------------


async def test_orders_given_on_two_servers_at_once_are_revealed_once(server: Server, other: Server) -> None:
    league = await begun(server)
    await asyncio.gather(
        server.act(league.id, ADA, MoveForce(1, "ford")), other.act(league.id, BO, MoveForce(1, "ford"))
    )
    entries = (await server.leagues.fold(league.id)).entries
    assert sum(isinstance(fact, OrdersRevealed) for entry in entries for fact in entry.facts) == 1
    seen = [await one.leagues.show(league.id, "", league.invite) for one in (server, other)]
    assert seen[0] == seen[1]
    assert len(seen[0].fixtures) == 1


async def test_two_organisers_who_begin_a_turn_at_once_begin_one(server: Server, other: Server) -> None:
    league = await server.gathered(ADA, BO, terms=ON_MAP)
    done = await asyncio.gather(
        *(one.act(league.id, ADA, PairRound(0)) for one in (server, other)), return_exceptions=True
    )
    assert [str(one) for one in done if isinstance(one, ActError)] == ["Turn 1 has begun meanwhile."]
    assert (await server.leagues.show(league.id, ADA.key)).round == 1


async def test_orders_are_revealed_once_at_their_deadline_also_if_no_server_ran_then(
    server: Server, other: Server
) -> None:
    league = await begun(server, terms=replace(ON_MAP, days=2))
    assert shown(league).until == league.made_at + 2 * DAY * 1000
    await server.act(league.id, ADA, MoveForce(1, "ford"))
    await server.pass_(2 * DAY - 1)
    assert shown(await server.leagues.show(league.id, ADA.key)).phase == "orders"
    server.hands.move(30 * DAY)  # no server looks meanwhile
    with pytest.raises(ActError, match="deadline for the orders of turn 1 has passed"):
        await server.act(league.id, BO, MoveForce(1, "ford"))
    await asyncio.gather(server.keeping.look(), other.keeping.look())
    after = await other.leagues.show(league.id, BO.key)
    assert (shown(after).phase, stands(after)) == ("rest", {"Ada": "ford", "Bo": "east"})
    entries = (await server.leagues.fold(league.id)).entries
    assert sum(isinstance(fact, OrdersRevealed) for entry in entries for fact in entry.facts) == 1


async def test_a_battle_that_is_not_fought_by_its_deadline_ends_the_turn(server: Server) -> None:
    league = await met(server, terms=replace(ON_MAP, days=2, unplayed="draw"))
    assert league.fixtures[0].until == league.made_at + 2 * DAY * 1000
    await server.pass_(2 * DAY + 1)
    after = await server.leagues.show(league.id, ADA.key)
    assert (shown(after).phase, stands(after)) == ("rest", {"Ada": "west", "Bo": "east"})


# --- joining and leaving ---------------------------------------------------------------------------------------------


async def test_there_are_as_many_players_as_homes_and_none_joins_a_campaign_that_has_begun(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY, terms=replace(ON_MAP, open=False))
    with pytest.raises(ActError, match="All 3 homes"):
        await server.act(league.id, DEE, Join(force("Late", "rifle")), league.invite)
    other = await server.gathered(ADA, BO, terms=replace(ON_MAP, open=False, listed=True))
    await server.act(other.id, DEE, Join(force("Late", "rifle")))
    await server.act(other.id, ADA, PairRound(0))
    with pytest.raises(ActError, match="This campaign has begun"):
        await server.act(other.id, ADA, Admit(DEE.key, yes=True))


async def test_the_force_of_a_player_who_leaves_is_off_the_map_and_their_areas_are_free(server: Server) -> None:
    league = await begun(server, ADA, BO, CY)
    for key in (ADA, BO):
        await server.act(league.id, key, MoveForce(1, "ford"))
    left = await server.act(league.id, CY, Withdraw())
    assert stands(left) == {"Ada": "ford", "Bo": "ford"}, "the others have ordered: their orders are revealed"
    assert "hill" not in holds(left)
    left = await server.act(league.id, BO, Withdraw())
    assert (stands(left), holds(left)) == ({"Ada": "ford"}, {"west": "Ada", "ford": "Ada"})
    assert shown(left).phase == "rest", "the battle has no second player any more"
    with pytest.raises(ActError, match="two players"):
        await server.act(league.id, ADA, PairRound(1))


# --- terms -----------------------------------------------------------------------------------------------------------


async def test_a_map_that_cannot_be_played_on_makes_no_league(server: Server) -> None:
    nameless = replace(MAP, areas=(replace(AREAS[0], name="\u200b"), *AREAS[1:]))
    for terms, said in (
        (replace(ON_MAP, map=None), "needs a map"),
        (replace(TERMS, map=MAP), "no other league has one"),
        (replace(ON_MAP, map=replace(MAP, routes=MAP.routes[1:])), "no way on the map"),
        (replace(ON_MAP, map=nameless), "has no name"),
    ):
        with pytest.raises(ActError, match=said):
            await server.make(terms)


# --- forces that live on ---------------------------------------------------------------------------------------------


@pytest.fixture
async def rich(store: MatchStore) -> AsyncIterator[Server]:
    """A server whose leagues are of an edition with campaigns."""
    hands = Hands(now=1_795_824_392_000)
    async with rooms_on(store, fad5(), hands=hands) as rooms:
        yield server_on(store, rooms, hands, fad5())


async def test_a_force_with_steps_to_take_is_ordered_all_the_same(rich: Server) -> None:
    areas = tuple(replace(one, scenario="two-orchards") for one in AREAS)
    terms = LeagueTerms(
        "Autumn", "fad5", ("two-orchards",), "map", map=replace(MAP, areas=areas), listed=False, campaign={}
    )
    league = await gathered_forces(rich, terms)
    await rich.act(league.id, ADA, PairRound(0))
    for key in (ADA, BO):
        league = await rich.act(league.id, key, MoveForce(1, "ford"))
    await fought(rich, league.id, league.fixtures[0])
    league = await rich.leagues.show(league.id, ADA.key)
    assert shown(league).phase == "rest"
    assert all(one.battles == 1 and one.steps == 1 for one in league.players)
    await rich.act(league.id, ADA, PairRound(1))
    area = next(one.area for one in shown(league).forces if one.player == ADA.key)
    league = await rich.act(league.id, ADA, MoveForce(2, area))
    assert next(one for one in shown(league).forces if one.player == ADA.key).ordered
