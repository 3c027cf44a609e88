"""Undoing what organisers did: what was before is again, unless something was built on it; and all of it stands in the log."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from client_protocol.from_server import MatchMade
from client_protocol.leagues import (
    AnswerChallenge,
    Appoint,
    Close,
    FixtureView,
    Join,
    LeagueTerms,
    LeagueView,
    Meet,
    PairRound,
    Settle,
    Undo,
    Withdraw,
)
from client_protocol.maps import MoveForce, RevealOrders
from server.leagues.errors import ActError
from server.leagues.log.before import MOST
from server.leagues.log.undone import Undone
from server.leagues.undo_views import MOST as MOST_SHOWN
from server.store.store import MatchStore
from tests.leagues.conftest import CY, DEE, TERMS, Server, free
from tests.leagues.test_leagues import begun, played, texts
from tests.leagues.test_map import MAP, ON_MAP, holds, met, settled, shown, stands
from tests.leagues.test_map import begun as begun_on_map
from tests.support.player_keys import ADA, BO, PlayerKey
from tests.support.room import eventually
from tests.support.toy_rules import force

DAY = 86_400
WHY = "A mistake."
SWISS = replace(TERMS, format="swiss", rounds=3)
KNOCK_OUT = replace(TERMS, format="elimination")


async def undo(server: Server, league: str, nth: int = 0, key: PlayerKey = ADA) -> LeagueView:
    """Undo the act that stands at a place of those that are shown, the latest first."""
    view = await server.leagues.show(league, ADA.key)
    return await server.act(league, key, Undo(view.undo[nth].entry, WHY))


async def why_not(server: Server, league: str, nth: int = 0) -> str:
    """Why an act cannot be undone: shown and refused in the same sentence."""
    view = await server.leagues.show(league, ADA.key)
    with pytest.raises(ActError) as error:
        await server.act(league, ADA, Undo(view.undo[nth].entry, WHY))
    assert error.value.sentence == view.undo[nth].why_not
    return error.value.sentence


async def settle(server: Server, league: str, number: int, winner: PlayerKey | None = None) -> LeagueView:
    """Settle a fixture; without a winner it is a draw."""
    act = Settle(number, "won", winner.key, "Told.") if winner else Settle(number, "draw", "", "Told.")
    return await server.act(league, ADA, act)


async def settle_all(server: Server, league: str) -> LeagueView:
    """Settle all open fixtures as won by the first of their players."""
    view = await server.leagues.show(league, ADA.key)
    for one in view.fixtures:
        if one.state != "over":
            view = await server.act(league, ADA, Settle(one.number, "won", one.players[0], "Told."))
    return view


def of(league: LeagueView, number: int) -> FixtureView:
    return next(one for one in league.fixtures if one.number == number)


# --- a settlement ----------------------------------------------------------------------------------------------------


async def test_a_settled_fixture_is_to_be_played_again(server: Server) -> None:
    league = await begun(server)
    before = await server.leagues.show(league.id, ADA.key)
    await settle(server, league.id, 1, BO)
    shown_ = await server.leagues.show(league.id, ADA.key)
    assert [one.text for one in shown_.undo] == [
        "Ada has settled Bo against Ada: Bo has won. Told.",
        "Round 1 has begun.",
    ]
    after = await undo(server, league.id)
    assert (after.fixtures, after.standings) == (before.fixtures, before.standings)
    assert texts(after)[:2] == ["Ada has undone how Bo against Ada was settled: A mistake.", shown_.undo[0].text]
    table = await played(server, after)
    await server.pass_(5)
    again = await server.leagues.show(league.id, ADA.key)
    assert (of(again, 1).state, of(again, 1).match, of(again, 1).settled) == ("over", table.room.match, False)


async def test_an_earlier_settlement_and_a_result_of_the_match_count_again(server: Server) -> None:
    league = await begun(server)
    table = await played(server, league)
    await server.pass_(5)
    result = (await server.leagues.show(league.id, ADA.key)).fixtures
    first = (await settle(server, league.id, 1)).fixtures
    await settle(server, league.id, 1, BO)
    assert await why_not(server, league.id, 1) == "This fixture was settled anew since: undo that first."
    assert (await undo(server, league.id)).fixtures == first
    after = await undo(server, league.id)
    assert after.fixtures == result
    assert after.news[0].match == table.room.match


async def test_a_match_that_was_settled_while_it_went_on_goes_on_and_its_result_comes_in(server: Server) -> None:
    league = await begun(server)
    table = await server.seated(league.id, league.fixtures[0])
    await settle(server, league.id, 1)
    await table.play_out()
    await eventually(lambda: table.room.published)
    await server.pass_(5)
    assert of(await server.leagues.show(league.id, ADA.key), 1).settled
    assert of(await undo(server, league.id), 1).state == "played"
    await server.pass_(5)
    after = of(await server.leagues.show(league.id, ADA.key), 1)
    assert (after.state, after.settled) == ("over", False)


async def test_a_deadline_that_has_passed_meanwhile_ends_the_fixture(server: Server) -> None:
    league = await server.gathered(ADA, BO, terms=replace(TERMS, days=7, unplayed="void"))
    await server.act(league.id, ADA, PairRound(0))
    await settle(server, league.id, 1, BO)
    await server.pass_(8 * DAY)
    await undo(server, league.id)
    await server.pass_(5)
    assert of(await server.leagues.show(league.id, ADA.key), 1).reason == "It was not played by its deadline."


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        (SWISS, "Round 2 was drawn from this result: settle the fixture anew instead."),
        (KNOCK_OUT, "Round 2 was drawn from this result: it stands."),
    ],
)
async def test_a_result_from_which_a_round_was_drawn_stands_until_that_is_taken_back(
    server: Server, terms: LeagueTerms, said: str
) -> None:
    league = await server.gathered(ADA, BO, CY, DEE, terms=terms)
    await server.act(league.id, ADA, PairRound(0))
    await settle_all(server, league.id)
    await server.act(league.id, ADA, PairRound(1))
    assert await why_not(server, league.id, 1) == said
    await undo(server, league.id)
    after = await undo(server, league.id)
    assert sorted(one.state for one in after.fixtures) == ["over", "waits"]


async def test_a_swiss_result_that_was_settled_anew_after_the_next_round_can_go_back(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY, DEE, terms=SWISS)
    await server.act(league.id, ADA, PairRound(0))
    before = (await settle_all(server, league.id)).fixtures
    await server.act(league.id, ADA, PairRound(1))
    await settle(server, league.id, 1)
    assert (await undo(server, league.id)).fixtures[:2] == before


async def test_in_a_round_robin_no_round_is_drawn_from_results(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY, DEE)
    await server.act(league.id, ADA, PairRound(0))
    await settle_all(server, league.id)
    await server.act(league.id, ADA, PairRound(1))
    after = await undo(server, league.id, 1)
    assert [one.state for one in after.fixtures[:2]] == ["over", "waits"]
    assert (await server.leagues.show(league.id, ADA.key)).next_round == (
        "There are 3 fixtures to play, or to settle, before the next round."
    )


async def test_a_fixture_of_a_player_who_has_left_is_not_to_be_played_again(server: Server) -> None:
    league = await begun(server)
    await settle(server, league.id, 1, BO)
    await server.act(league.id, BO, Withdraw())
    assert await why_not(server, league.id) == "Bo has left the league since."


async def test_two_players_who_have_met_anew_have_one_match_to_play(server: Server) -> None:
    league = await server.gathered(ADA, BO, terms=free())
    await server.act(league.id, ADA, Meet(BO.key))
    await server.act(league.id, BO, AnswerChallenge(1, yes=True))
    await settle(server, league.id, 1)
    await server.act(league.id, BO, Meet(ADA.key))
    assert await why_not(server, league.id) == "The two players have another match to play since."
    await server.act(league.id, BO, AnswerChallenge(2, yes=False))
    assert of(await undo(server, league.id), 1).state == "waits"


# --- a round ---------------------------------------------------------------------------------------------------------


async def test_a_round_is_taken_back_and_drawn_anew_with_those_who_join_since(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY)
    drawn = await server.act(league.id, ADA, PairRound(0))
    assert any(len(one.players) == 1 for one in drawn.fixtures)
    after = await undo(server, league.id)
    assert (after.round, after.fixtures, after.state) == (0, (), "gathers")
    assert texts(after)[0] == "Ada has undone the beginning of round 1: A mistake."
    await server.act(league.id, DEE, Join(force("Dee's", "rifle")), league.invite)
    again = await server.act(league.id, ADA, PairRound(0))
    numbers = [one.number for one in drawn.fixtures]
    assert [one.number for one in again.fixtures] == [max(numbers) + 1, max(numbers) + 2], "no number is used twice"
    assert {player for one in again.fixtures for player in one.players} == {one.key for one in (ADA, BO, CY, DEE)}


async def test_a_round_that_goes_on_is_not_taken_back(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY, DEE)
    drawn = await server.act(league.id, ADA, PairRound(0))
    await settle(server, league.id, 1)
    assert await why_not(server, league.id, 1) == "A fixture of this round is over."
    await undo(server, league.id)
    await server.seated(league.id, drawn.fixtures[1])
    assert await why_not(server, league.id) == "A match of this round has begun."
    await settle_all(server, league.id)
    await server.act(league.id, ADA, PairRound(1))
    assert await why_not(server, league.id, 3) == "Round 2 has begun since: undo that first."


async def test_a_match_that_is_made_while_its_round_is_taken_back_is_removed(
    server: Server, other: Server, store: MatchStore
) -> None:
    league = await begun(server)
    make = server.rooms.make_between
    matches: list[str] = []

    async def taken_back(*given: object) -> object:
        made = await make(*given)  # type: ignore[arg-type]  # as they were given
        assert isinstance(made, MatchMade)
        matches.append(made.match)
        await undo(other, league.id)
        return made

    server.rooms.make_between = taken_back  # type: ignore[method-assign,assignment]
    with pytest.raises(ActError, match="no such fixture"):
        await server.leagues.seat("seat", league.id, ADA.key, 1)
    assert [await store.length(match) for match in matches] == [0]


async def test_what_is_left_of_a_round_that_was_taken_back_reminds_of_nothing(server: Server) -> None:
    league = await server.gathered(ADA, BO, terms=replace(TERMS, days=7, unplayed="draw", listed=True))
    await server.act(league.id, ADA, PairRound(0))
    await undo(server, league.id)
    await server.pass_(8 * DAY)
    after = await server.leagues.show(league.id, ADA.key)
    assert (after.fixtures, texts(after)[0]) == ((), "Ada has undone the beginning of round 1: A mistake.")
    assert await server.leagues.logs.due(server.hands.now + 100 * DAY * 1000, 10) == []
    assert b"VEVENT" not in await server.leagues.calendar(league.id, ADA.key, "")


async def test_a_turn_is_taken_back_until_an_order_is_given(server: Server) -> None:
    league = await begun_on_map(server, terms=replace(ON_MAP, days=2))
    after = await undo(server, league.id)
    assert (after.round, after.state, shown(after).phase, stands(after)) == (
        0,
        "gathers",
        "rest",
        {"Ada": "west", "Bo": "east"},
    )
    assert texts(after)[0] == "Ada has undone the beginning of turn 1: A mistake."
    await server.act(league.id, CY, Join(force("Cy's", "rifle")), league.invite)
    again = await server.act(league.id, ADA, PairRound(0))
    assert stands(again) == {"Ada": "west", "Bo": "east", "Cy": "hill"}
    await server.act(league.id, CY, MoveForce(1, "ford"))
    assert await why_not(server, league.id) == "An order was given in this turn."
    # The seal of the order stands in the log, also when its player has left.
    await server.act(league.id, CY, Withdraw())
    assert await why_not(server, league.id) == "An order was given in this turn."
    await server.act(league.id, ADA, RevealOrders(1))
    assert await why_not(server, league.id) == "The orders of turn 1 are revealed already."
    second = await server.act(league.id, ADA, PairRound(1))
    back = await undo(server, league.id)
    assert (back.round, shown(back).phase) == (1, "rest")
    assert stands(back) == stands(second)


# --- a settlement on the map -----------------------------------------------------------------------------------------


async def test_a_result_that_has_ended_a_turn_stands(server: Server) -> None:
    league = await settled(server, await met(server), BO)
    assert await why_not(server, league.id) == (
        "Turn 1 has ended with this result, and the forces have marched on from it. Settle the fixture anew instead."
    )
    # That it was settled anew later moved no force, and can be undone.
    await settled(server, league, ADA)
    after = await undo(server, league.id)
    assert (after.fixtures, shown(after)) == (league.fixtures, shown(league))


async def test_a_result_within_a_turn_is_undone(server: Server) -> None:
    four = replace(ON_MAP, map=replace(MAP, homes=("west", "ford", "east", "hill")))
    league = await begun_on_map(server, ADA, BO, CY, DEE, terms=four)
    for key, to in ((ADA, "ford"), (BO, "ford"), (CY, "ford"), (DEE, "ford")):
        league = await server.act(league.id, key, MoveForce(1, to))
    assert len(league.fixtures) == 2
    await settle(server, league.id, 1)
    after = await undo(server, league.id)
    assert (after.fixtures, shown(after).phase) == (league.fixtures, "battles")


# --- a removal -------------------------------------------------------------------------------------------------------


def removal(key: PlayerKey) -> Withdraw:
    return Withdraw(key.key, "They asked for it.")


async def test_a_player_who_had_to_leave_plays_again_and_so_do_their_fixtures(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY, DEE)
    before = await server.act(league.id, ADA, PairRound(0))
    await server.act(league.id, ADA, removal(CY))
    after = await undo(server, league.id)
    assert (after.players, after.fixtures) == (before.players, before.fixtures)
    assert texts(after)[0] == "Ada has undone that Cy had to leave: A mistake."
    # A player's own leaving is no organiser's act.
    left = await server.act(league.id, ADA, Withdraw())
    assert [one.text for one in left.undo] == ["Round 1 has begun."]


async def test_a_match_that_went_on_goes_on_when_its_player_is_back(server: Server) -> None:
    league = await begun(server)
    table = await server.seated(league.id, league.fixtures[0])
    await server.act(league.id, ADA, removal(BO))
    assert of(await undo(server, league.id), 1).state == "played"
    await table.play_out()
    await eventually(lambda: table.room.published)
    await server.pass_(5)
    assert of(await server.leagues.show(league.id, ADA.key), 1).state == "over"


async def test_a_fixture_that_was_built_on_stays_over_when_its_player_is_back(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY, DEE, terms=SWISS)
    await server.act(league.id, ADA, PairRound(0))
    await server.act(league.id, ADA, removal(CY))
    over = (await settle_all(server, league.id)).fixtures
    await server.act(league.id, ADA, PairRound(1))
    after = await undo(server, league.id, 2)
    assert next(one.state for one in after.players if one.key == CY.key) == "plays"
    assert after.fixtures[:2] == over


async def test_what_was_settled_since_is_undone_before_its_player_is_back(server: Server) -> None:
    league = await begun(server)
    await server.act(league.id, ADA, removal(BO))
    await settle(server, league.id, 1, ADA)
    assert await why_not(server, league.id, 1) == "Bo against Ada was settled anew since: undo that first."
    await undo(server, league.id)
    assert of(await undo(server, league.id), 1) == league.fixtures[0]


async def test_no_fixture_is_to_be_played_of_which_the_other_player_has_left_since(server: Server) -> None:
    league = await begun(server)
    await server.act(league.id, ADA, removal(BO))
    await server.act(league.id, ADA, Withdraw())
    assert of(await undo(server, league.id), 1).state == "over"


async def test_a_knock_out_goes_on_without_a_player_once_it_was_drawn_without_them(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY, DEE, terms=KNOCK_OUT)
    await server.act(league.id, ADA, PairRound(0))
    await server.act(league.id, ADA, removal(DEE))
    await settle_all(server, league.id)
    await server.act(league.id, ADA, PairRound(1))
    assert await why_not(server, league.id, 2) == "Round 2 was drawn without Dee."
    await undo(server, league.id)
    after = await undo(server, league.id, 1)
    assert sorted(one.state for one in after.fixtures) == ["over", "waits"]


async def test_a_player_who_has_joined_anew_is_not_put_back(server: Server) -> None:
    league = await server.gathered(ADA, BO)
    await server.act(league.id, ADA, removal(BO))
    await server.act(league.id, BO, Join(force("Other", "rifle")), league.invite)
    await server.act(league.id, BO, Withdraw())
    assert await why_not(server, league.id) == "Bo has joined the league anew since."


async def test_a_player_who_had_to_leave_finds_the_map_as_it_was(server: Server) -> None:
    league = await begun_on_map(server, ADA, BO, CY)
    before = await server.act(league.id, BO, MoveForce(1, "ford"))
    await server.act(league.id, ADA, removal(BO))
    await server.act(league.id, CY, MoveForce(1, "ford"))
    after = await undo(server, league.id)
    assert (stands(after), holds(after)) == (stands(before), holds(before))
    assert {one.player for one in shown(after).forces if one.ordered} == {BO.key, CY.key}, "Bo's order holds"
    fought_ = await server.act(league.id, ADA, MoveForce(1, "west"))
    assert set(fought_.fixtures[0].players) == {BO.key, CY.key}
    # The battle ends with the turn that the removal ends.
    await server.act(league.id, ADA, removal(BO))
    assert await why_not(server, league.id) == "Forces have moved on the map without Bo since."


async def test_homes_that_are_given_out_are_not_taken_back(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY, terms=ON_MAP)
    await server.act(league.id, ADA, removal(BO))
    await server.act(league.id, DEE, Join(force("Dee's", "rifle")), league.invite)
    assert await why_not(server, league.id) == "All 3 homes on the map of this league are taken."
    await server.act(league.id, ADA, PairRound(0))
    assert await why_not(server, league.id, 1) == (
        "The campaign has begun without Bo: the homes on its map are given out."
    )


# --- the end ---------------------------------------------------------------------------------------------------------


async def test_a_league_that_was_ended_by_mistake_goes_on(server: Server) -> None:
    league = await begun(server)
    table = await server.seated(league.id, league.fixtures[0])
    before = await server.leagues.show(league.id, ADA.key)
    over = await server.act(league.id, ADA, Close())
    assert [one.text for one in over.undo] == ["The league is over."], "first its end is undone"
    entry = before.undo[0].entry
    with pytest.raises(ActError, match="undo its end first"):
        await server.act(league.id, ADA, Undo(entry, WHY))
    await table.play_out()
    await eventually(lambda: table.room.published)
    await server.pass_(5)
    after = await undo(server, league.id)
    assert (after.state, texts(after)[0]) == ("runs", "Ada has undone the end of the league: A mistake.")
    await server.pass_(5)
    assert of(await server.leagues.show(league.id, ADA.key), 1).state == "over"


async def test_an_end_that_has_shown_the_forces_stands(server: Server) -> None:
    league = await server.gathered(ADA, BO, terms=replace(TERMS, options={"hidden_forces": True}))
    await server.act(league.id, ADA, Close())
    assert await why_not(server, league.id) == (
        "The end has shown all players' forces, which are hidden while the league goes on."
    )


# --- who, how often, how long ----------------------------------------------------------------------------------------


async def test_organisers_alone_undo_and_are_shown_what(server: Server) -> None:
    league = await begun(server)
    entry = (await server.leagues.show(league.id, ADA.key)).undo[0].entry
    assert (await server.leagues.show(league.id, BO.key)).undo == ()
    with pytest.raises(ActError, match="Only an organiser"):
        await server.act(league.id, BO, Undo(entry, WHY))
    await server.act(league.id, ADA, Appoint(BO.key, yes=True))
    after = await undo(server, league.id, key=BO)
    assert texts(after)[0] == "Bo has undone the beginning of round 1: A mistake."


async def test_of_two_organisers_who_undo_at_once_one_is_told_that_it_was_done(server: Server, other: Server) -> None:
    league = await begun(server)
    await settle(server, league.id, 1)
    done = await asyncio.gather(*(undo(one, league.id) for one in (server, other)), return_exceptions=True)
    assert [str(one) for one in done if isinstance(one, ActError)] == ["This was undone meanwhile."]
    entries = (await server.leagues.fold(league.id)).entries
    assert sum(isinstance(fact, Undone) for entry in entries for fact in entry.facts) == 1
    seen = [await one.leagues.show(league.id, ADA.key) for one in (server, other)]
    assert seen[0] == seen[1]


async def test_what_is_no_act_of_an_organiser_or_too_long_ago_is_not_undone(server: Server) -> None:
    league = await begun(server)
    first = (await server.leagues.show(league.id, ADA.key)).undo[0].entry
    for _ in range(MOST):
        await settle(server, league.id, 1)
    for entry in (1, first - 1, first, 999):
        with pytest.raises(ActError, match="This cannot be undone"):
            await server.act(league.id, ADA, Undo(entry, WHY))
    view = await server.leagues.show(league.id, ADA.key)
    assert len(view.undo) == MOST_SHOWN
    assert len((await server.leagues.fold(league.id)).league.before) == MOST
