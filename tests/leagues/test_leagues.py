"""Leagues on a server: made, joined, played, their results taken in once, and kept from strangers."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from client_protocol.codec import pack
from client_protocol.from_client import TakeSeat
from client_protocol.from_server import Refused
from client_protocol.leagues import (
    Admit,
    AnswerChallenge,
    ChangeForce,
    Close,
    Join,
    LeagueView,
    Meet,
    PairRound,
    Settle,
    StandIn,
    Withdraw,
)
from server.leagues.errors import ActError
from server.leagues.log.facts import RulesChanged
from server.matches.log.audiences import audience_of
from server.store.store import MatchStore
from tests.leagues.conftest import CY, DEE, TERMS, Server, free, server_on
from tests.support.player_keys import ADA, BO
from tests.support.room import Table, eventually
from tests.support.toy_rules import ToyRules, force

DAY = 86_400


def texts(league: LeagueView) -> list[str]:
    return [one.text for one in league.news]


async def begun(server: Server) -> LeagueView:
    """A league of two, whose round has begun."""
    league = await server.gathered(ADA, BO)
    return await server.act(league.id, ADA, PairRound(0))


async def played(server: Server, league: LeagueView) -> Table:
    """The match of a league's only fixture, played to its end."""
    (fixture,) = league.fixtures
    table = await server.seated(league.id, fixture)
    await table.play_out()
    await eventually(lambda: table.room.published)
    return table


async def test_players_join_by_the_invite_and_meet_in_a_match_with_their_forces(server: Server) -> None:
    league = await begun(server)
    assert [one.name for one in league.players] == ["Ada", "Bo"]
    (fixture,) = league.fixtures
    assert (fixture.round, fixture.state, set(fixture.players)) == (1, "waits", {ADA.key, BO.key})
    table = await server.seated(league.id, fixture)
    state = table.room._referee.fold.state
    assert {brought.force.name for brought in state.desk.forces.values()} == {"Ada's", "Bo's"}
    shown = await server.leagues.show(league.id, BO.key)
    assert shown.fixtures[0].state == "played"
    assert shown.fixtures[0].match == table.room.match
    assert list(state.desk.keys.values()) == list(fixture.players)
    # On whatever device, the match leads back to its league.
    audiences = [audience_of(text) for text in table.listeners]
    assert {table.room.teller.snapshot(audience).view.league for audience in audiences} == {league.id}


async def test_a_result_comes_in_by_itself_and_moves_the_standings(server: Server) -> None:
    league = await begun(server)
    table = await played(server, league)
    await server.pass_(5)
    after = await server.leagues.show(league.id, ADA.key)
    (fixture,) = after.fixtures
    result = table.room._referee.fold.state.result
    assert result is not None
    assert fixture.state == "over"
    assert fixture.reason == result.reason
    assert not fixture.settled
    seat = table.room.outcome().winner  # type: ignore[union-attr]  # it is over
    winner = fixture.players[table.room.seats.index(seat)] if seat else ""
    assert fixture.winner == winner
    assert sum(one.played for one in after.standings) == 2
    assert sum(one.points for one in after.standings) == (TERMS.win if winner else 2 * TERMS.draw)
    fold = await server.leagues.fold(league.id)
    (taken,) = fold.entries[-1].facts
    assert table.room._referee.fold.holds(bytes.fromhex(taken.head))  # type: ignore[union-attr]  # it is a result


async def test_two_servers_make_a_fixtures_match_once_and_take_its_result_once(server: Server, other: Server) -> None:
    league = await begun(server)
    (fixture,) = league.fixtures
    seats = await asyncio.gather(
        *(
            one.leagues.seat("seat", league.id, key, fixture.number)
            for one, key in zip((server, other), fixture.players, strict=True)
        )
    )
    assert seats[0].match == seats[1].match
    assert seats[0].seat != seats[1].seat
    table = await server.seated(league.id, fixture)
    await table.play_out()
    await eventually(lambda: table.room.published)
    server.hands.move(5)
    await asyncio.gather(server.keeping.look(), other.keeping.look())
    await server.keeping.look()
    here, there = [await one.leagues.show(league.id, ADA.key) for one in (server, other)]
    assert here == there
    assert sum("against" in text and "begun" not in text for text in texts(here)) == 1


async def test_a_result_is_taken_in_by_a_server_that_starts_after_the_match_has_ended(
    server: Server, other: Server
) -> None:
    league = await begun(server)
    await played(server, league)
    other.hands.move(DAY)
    await other.keeping.look()
    assert (await other.leagues.show(league.id, BO.key)).fixtures[0].state == "over"


async def test_a_message_that_comes_again_does_nothing_more(server: Server) -> None:
    league = await server.gathered(ADA, BO)
    first = await server.act(league.id, ADA, PairRound(0), id_="pair-round-1")
    again = await server.act(league.id, ADA, PairRound(0), id_="pair-round-1")
    assert again == first
    made = [await server.leagues.make("make-league", BO.key, "Bo", TERMS) for _ in range(2)]
    assert made[0] == made[1]
    assert len((await server.leagues.all(BO.key))[0]) == 2


async def test_many_who_read_and_act_at_once_see_the_same_league(server: Server, other: Server) -> None:
    league = await server.gathered(ADA, BO, CY, terms=free())
    acts = ((ADA, BO), (BO, CY), (CY, ADA))
    done = [
        one.act(league.id, key, Meet(met.key)) for (key, met), one in zip(acts, (server, other, server), strict=True)
    ]
    reads = [one.leagues.show(league.id, ADA.key) for one in (server, other) for _ in range(5)]
    await asyncio.gather(*done, *reads)
    assert (await server.leagues.fold(league.id)).head == (await other.leagues.fold(league.id)).head
    assert len((await server.leagues.fold(league.id)).league.fixtures) == 3


async def test_of_two_organisers_rounds_at_once_one_is_drawn(server: Server, other: Server) -> None:
    league = await server.gathered(ADA, BO, CY)
    done = await asyncio.gather(
        *(one.act(league.id, ADA, PairRound(0)) for one in (server, other)), return_exceptions=True
    )
    (refused,) = [one for one in done if isinstance(one, BaseException)]
    assert isinstance(refused, ActError)
    assert refused.sentence == "Round 1 has begun meanwhile."
    assert (await server.leagues.show(league.id, ADA.key)).round == 1


async def test_an_unlisted_league_is_not_there_for_a_stranger(server: Server) -> None:
    league = await server.gathered(ADA)
    for key, invite in (("", ""), (CY.key, ""), (CY.key, "guess")):
        with pytest.raises(ActError, match="no such league") as unseen:
            await server.leagues.show(league.id, key, invite)
        assert unseen.value.code == "no_league"
        with pytest.raises(ActError, match="no such league"):
            await server.leagues.show("nosuchleague", key, invite)
    assert await server.leagues.all(CY.key) == ([], [], 0)
    assert (await server.leagues.show(league.id, CY.key, league.invite)).invite == "", "only organisers are told it"
    with pytest.raises(ActError, match="no such league"):
        await server.act(league.id, CY, Join(force("Cy's", "rifle")))
    with pytest.raises(ActError, match="no such league"):
        await server.leagues.show("../../etc", CY.key)


async def test_the_organiser_admits_those_who_ask(server: Server) -> None:
    terms = replace(TERMS, open=False, listed=True)
    league = await server.make(terms)
    asked = await server.act(league.id, BO, Join(force("Bo's", "rifle")))
    assert [one.state for one in asked.players] == ["asks"]
    assert (await server.leagues.show(league.id, "")).players == (), "strangers do not see who asks"
    with pytest.raises(ActError, match="Only an organiser"):
        await server.act(league.id, BO, Admit(BO.key, yes=True))
    await server.act(league.id, CY, Join(force("Cy's", "rifle")))
    await server.act(league.id, ADA, Admit(BO.key, yes=True))
    after = await server.act(league.id, ADA, Admit(CY.key, yes=False))
    assert [(one.name, one.state) for one in after.players] == [("Bo", "plays")]
    with pytest.raises(ActError, match="does not ask"):
        await server.act(league.id, ADA, Admit(CY.key, yes=True))


async def test_a_seat_of_a_league_is_kept_for_its_player_and_their_force(server: Server) -> None:
    league = await server.gathered(ADA, BO, terms=replace(TERMS, listed=True))
    league = await server.act(league.id, ADA, PairRound(0))
    (fixture,) = league.fixtures
    given = await server.leagues.seat("seat", league.id, ADA.key, fixture.number)
    stranger = await server.rooms.take_seat(TakeSeat("take", given.match, given.seat, "Cy"))
    assert isinstance(stranger, Refused)
    assert stranger.code == "wrong_invite"
    other_force = TakeSeat("take", given.match, given.seat, "Ada", given.invite, force("Better", "rifle", "gun"))
    assert isinstance(changed := await server.rooms.take_seat(other_force), Refused)
    assert changed.code == "force"
    with pytest.raises(ActError, match="not yours"):
        await server.leagues.seat("seat", league.id, CY.key, fixture.number)


async def test_the_holder_of_the_key_finds_the_seat_again_elsewhere(server: Server) -> None:
    league = await begun(server)
    table = await server.seated(league.id, league.fixtures[0])
    given = await server.leagues.seat("seat", league.id, ADA.key, 1)
    assert given.token
    assert await table.room.admit(given.token) == given.seat


async def test_forces_are_hidden_where_those_of_the_matches_are(server: Server) -> None:
    league = await server.gathered(ADA, BO, terms=replace(TERMS, options={"hidden_forces": True}))
    changed = await server.act(league.id, BO, ChangeForce(force("Secret", "rifle")))
    assert [one.force.name for one in changed.players if one.force] == ["Secret"], "one's own"
    for key in (ADA.key, ""):
        seen = await server.leagues.show(league.id, key, league.invite)
        assert b"Secret" not in pack(seen)
        assert [one.force is not None for one in seen.players] == [key == ADA.key, False]
    over = await server.act(league.id, ADA, Close())
    assert b"Secret" in pack(over)


async def test_a_force_does_not_change_under_a_running_match(server: Server) -> None:
    league = await begun(server)
    changed = await server.act(league.id, ADA, ChangeForce(force("New", "rifle")))
    assert next(one.force.name for one in changed.players if one.force) == "New"
    await server.seated(league.id, league.fixtures[0])
    with pytest.raises(ActError, match="running"):
        await server.act(league.id, ADA, ChangeForce(force("Newer", "rifle")))


async def test_a_force_that_the_rules_or_the_league_forbid_is_not_enrolled(server: Server) -> None:
    league = await server.make(replace(TERMS, total=1))
    with pytest.raises(ActError, match="cannot be enrolled"):
        await server.act(league.id, ADA, Join(force("Bad", "nonsense")))
    with pytest.raises(ActError, match="counts for 1 at most"):
        await server.act(league.id, ADA, Join(force("Large", "rifle", "rifle", "rifle")))


async def test_names_are_cleaned_as_those_of_a_match_are(server: Server) -> None:
    league = await server.make(replace(TERMS, name="Au\u202etumn\n", about="Come\u200b\tin"))
    assert (league.terms.name, league.terms.about) == ("Autumn", "Come in")
    named = force("Right\u202e", "rifle")
    joined = await server.act(league.id, BO, Join(named), league.invite)
    assert [one.force.name for one in joined.players if one.force] == ["Right"]
    for wrong in (replace(named, name="\u202e"), replace(named, units=(replace(named.units[0], name="\u200b"),))):
        with pytest.raises(ActError, match="cannot be enrolled"):
            await server.act(league.id, BO, ChangeForce(wrong))
    with pytest.raises(ActError, match="is empty"):
        await server.make(replace(TERMS, name="\u202e"))


async def test_a_fixture_that_was_not_played_ends_at_its_deadline_as_the_terms_say(server: Server) -> None:
    for unplayed, outcome in (("draw", "draw"), ("void", "void"), ("wait", "")):
        terms = replace(TERMS, days=7, unplayed=unplayed)
        league = await server.gathered(ADA, BO, terms=terms)
        await server.act(league.id, ADA, PairRound(0))
        await server.pass_(7 * DAY - 1)
        assert (await server.leagues.show(league.id, ADA.key)).fixtures[0].state == "waits"
        await server.pass_(2)
        (fixture,) = (await server.leagues.show(league.id, ADA.key)).fixtures
        assert fixture.outcome == outcome


async def test_the_organiser_settles_a_fixture_for_a_reason_and_may_do_so_again(server: Server) -> None:
    league = await begun(server)
    settled = await server.act(league.id, ADA, Settle(1, "won", BO.key, "Ada was ill."))
    assert settled.standings[0].player == BO.key
    assert settled.fixtures[0].settled
    assert "Ada has settled" in texts(settled)[0]
    assert texts(settled)[0].endswith("Bo has won. Ada was ill.")
    again = await server.act(league.id, ADA, Settle(1, "draw", "", "They have played it elsewhere."))
    assert [one.points for one in again.standings] == [1, 1]
    assert len((await server.leagues.fold(league.id)).entries) == len(again.news), "both stand in the log"
    with pytest.raises(ActError, match="one of the two"):
        await server.act(league.id, ADA, Settle(1, "won", CY.key, "No."))
    with pytest.raises(ActError, match="no such fixture"):
        await server.act(league.id, ADA, Settle(9, "void", "", "No."))
    with pytest.raises(ActError, match="Only an organiser"):
        await server.act(league.id, BO, Settle(1, "void", "", "No."))


async def test_a_match_that_goes_on_is_not_held_in_memory_for_its_league(server: Server, other: Server) -> None:
    league = await begun(server)
    table = await server.seated(league.id, league.fixtures[0])
    for _ in range(3):
        await other.pass_(5)
    assert other.rooms.held == 0
    await table.play_out()
    await eventually(lambda: table.room.published)
    await other.pass_(5)
    assert (await other.leagues.show(league.id, ADA.key)).fixtures[0].state == "over"


async def test_a_removed_match_can_be_played_again(server: Server) -> None:
    league = await begun(server)
    table = await server.seated(league.id, league.fixtures[0])
    await server.rooms.remove(table.room.match)
    await server.rooms._dismiss(table.room.match)
    await server.pass_(5)
    shown = await server.leagues.show(league.id, ADA.key)
    assert shown.fixtures[0].state == "waits"
    assert shown.fixtures[0].match == ""
    again = await server.leagues.seat("seat", league.id, ADA.key, 1)
    assert again.match != table.room.match


async def test_who_leaves_plays_no_more_and_what_was_played_stands(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY)
    await server.act(league.id, ADA, PairRound(0))
    left = await server.act(league.id, CY, Withdraw())
    assert [(one.name, one.state) for one in left.players if one.key == CY.key] == [("Cy", "left")]
    assert all(one.state == "over" for one in left.fixtures if CY.key in one.players)
    with pytest.raises(ActError, match="not in the league"):
        await server.act(league.id, CY, Withdraw())
    with pytest.raises(ActError, match="Only an organiser"):
        await server.act(league.id, BO, Withdraw(ADA.key, "No."))
    out = await server.act(league.id, ADA, Withdraw(BO.key, "No news for weeks."))
    assert texts(out)[0] == "Ada had Bo leave the league: No news for weeks."


async def test_who_leaves_an_elimination_has_lost_and_results_count_in_the_order_in_which_they_came(
    server: Server,
) -> None:
    knock_out = await server.gathered(ADA, BO, CY, DEE, terms=replace(TERMS, format="elimination"))
    await server.act(knock_out.id, ADA, PairRound(0))
    left = await server.act(knock_out.id, DEE, Withdraw())
    (walkover,) = [one for one in left.fixtures if DEE.key in one.players]
    assert (walkover.outcome, walkover.winner) == ("won", ADA.key)
    ladder = await server.gathered(ADA, BO, CY, terms=replace(TERMS, format="ladder"))
    for key, met in ((BO, ADA), (CY, BO)):
        await server.act(ladder.id, key, Meet(met.key))
    await server.act(ladder.id, ADA, AnswerChallenge(1, yes=True))
    await server.act(ladder.id, BO, AnswerChallenge(2, yes=True))
    await server.act(ladder.id, ADA, Settle(2, "won", CY.key, "Played first."))
    table = (await server.act(ladder.id, ADA, Settle(1, "won", BO.key, "Played later."))).standings
    # Cy has come to the second place, and Bo, third by then, beats Ada, the first.
    assert [one.player for one in table] == [BO.key, ADA.key, CY.key]


async def test_players_of_a_free_league_challenge_each_other(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY, terms=free())
    met = await server.act(league.id, ADA, Meet(BO.key))
    assert met.fixtures[0].state == "challenge"
    assert (await server.leagues.show(league.id, CY.key)).fixtures == (), "it is between the two of them"
    with pytest.raises(ActError, match="already"):
        await server.act(league.id, BO, Meet(ADA.key))
    with pytest.raises(ActError, match="yourself"):
        await server.act(league.id, ADA, Meet(ADA.key))
    with pytest.raises(ActError, match="opponent accepts"):
        await server.act(league.id, ADA, AnswerChallenge(1, yes=True))
    with pytest.raises(ActError, match="no challenge of yours"):
        await server.act(league.id, CY, AnswerChallenge(1, yes=True))
    accepted = await server.act(league.id, BO, AnswerChallenge(1, yes=True))
    assert accepted.fixtures[0].state == "waits"
    table = await server.seated(league.id, accepted.fixtures[0])
    await table.play_out()
    await eventually(lambda: table.room.published)
    await server.pass_(5)
    assert (await server.leagues.show(league.id, CY.key)).fixtures[0].state == "over"
    declined = await server.act(league.id, ADA, Meet(CY.key))
    declined = await server.act(league.id, CY, AnswerChallenge(2, yes=False))
    assert len(declined.fixtures) == 1
    other = await server.gathered(ADA, BO)
    with pytest.raises(ActError, match="rounds"):
        await server.act(other.id, ADA, Meet(BO.key))


async def test_who_has_climbed_a_ladder_keeps_the_place_when_the_beaten_player_leaves(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY, terms=replace(TERMS, format="ladder"))
    await server.act(league.id, CY, Meet(ADA.key))
    await server.act(league.id, ADA, AnswerChallenge(1, yes=True))
    await server.act(league.id, ADA, Settle(1, "won", CY.key, "They have played it elsewhere."))
    await server.act(league.id, ADA, Withdraw())
    with pytest.raises(ActError, match="players who stand higher"):
        await server.act(league.id, CY, Meet(BO.key))
    met = await server.act(league.id, BO, Meet(CY.key))
    assert met.fixtures[-1].players == (BO.key, CY.key)


async def test_who_asks_to_come_back_keeps_their_place_and_has_left_as_before_if_not_admitted(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY, terms=replace(TERMS, format="ladder", open=False, listed=True))
    for number, (winner, loser) in enumerate(((BO, ADA), (CY, BO)), 1):
        await server.act(league.id, winner, Meet(loser.key))
        await server.act(league.id, loser, AnswerChallenge(number, yes=True))
        await server.act(league.id, ADA, Settle(number, "won", winner.key, "They have played it elsewhere."))
    await server.act(league.id, BO, Withdraw())
    left = await server.leagues.show(league.id, "")
    assert [one.player for one in left.standings] == [CY.key, BO.key, ADA.key]
    await server.act(league.id, BO, Join(force("Bo's", "rifle", "rifle")))
    asked = await server.leagues.show(league.id, "")
    assert [(one.name, one.state) for one in asked.players] == [("Ada", "plays"), ("Bo", "asks"), ("Cy", "plays")]
    assert asked.standings == left.standings
    with pytest.raises(ActError, match="players who stand higher"):
        await server.act(league.id, CY, Meet(ADA.key))
    declined = await server.act(league.id, ADA, Admit(BO.key, yes=False))
    assert declined.players == left.players
    assert declined.standings == left.standings
    assert declined.undo[0].why_not == "Bo has left the league since."
    await server.act(league.id, BO, Join(force("Bo's", "rifle", "rifle")))
    admitted = await server.act(league.id, ADA, Admit(BO.key, yes=True))
    assert {one.state for one in admitted.players} == {"plays"}
    assert admitted.standings == left.standings


async def test_nothing_more_happens_in_a_league_that_is_over(server: Server) -> None:
    league = await begun(server)
    closed = await server.act(league.id, ADA, Close())
    assert closed.state == "over"
    for act in (PairRound(1), Withdraw(), Settle(1, "void", "", "No.")):
        with pytest.raises(ActError, match="This league is over"):
            await server.act(league.id, ADA, act)


class NewerRules(ToyRules):
    """The toy's rules in another version."""

    @property
    def version(self) -> str:
        return "toy.newer"


async def test_the_log_says_when_another_version_of_the_rules_decides(server: Server, store: MatchStore) -> None:
    league = await server.gathered(ADA)
    fold = await server.leagues.fold(league.id)
    assert fold.league.version == ToyRules().version
    upgraded = server_on(store, server.rooms, server.hands, NewerRules())
    await upgraded.act(league.id, BO, Join(force("Bo's", "rifle")), league.invite)
    await upgraded.act(league.id, ADA, PairRound(0))
    said = [fact for entry in (await server.leagues.fold(league.id)).entries for fact in entry.facts]
    assert [fact.version for fact in said if isinstance(fact, RulesChanged)] == ["toy.newer"]
    assert texts(await server.leagues.show(league.id, ADA.key))[0] == "Round 1 has begun."


async def test_a_long_league_is_read_whole_in_several_parts(
    server: Server, other: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = await server.gathered(ADA, BO, CY, DEE)
    monkeypatch.setattr("server.store.league_logs.AT_ONCE", 2)
    assert (await other.leagues.fold(league.id)).number == (await server.leagues.fold(league.id)).number == 5


async def test_a_stand_in_plays_for_another_player_and_the_result_counts_for_that_player(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY)
    begun = await server.act(league.id, ADA, PairRound(0))
    fixture = next(one for one in begun.fixtures if len(one.players) == 2)
    (away, opponent), third = fixture.players, next(key for key in (ADA, BO, CY) if key.key not in fixture.players)
    keys = {one.key: one for one in (ADA, BO, CY)}
    for act, why in (
        (StandIn(fixture.number, DEE.key), "A stand-in is a player of the league"),
        (StandIn(fixture.number, opponent), "in this fixture already"),
        (StandIn(fixture.number, third.key, third.key), "does not play in this fixture"),
    ):
        with pytest.raises(ActError, match=why):
            await server.act(league.id, keys[away], act)
    other = next(key for key in (BO, CY) if key.key != away)
    with pytest.raises(ActError, match="Players name their own stand-ins"):
        await server.act(league.id, other, StandIn(fixture.number, third.key, away))
    shown = await server.act(league.id, keys[away], StandIn(fixture.number, third.key))
    named = next(one for one in shown.fixtures if one.number == fixture.number)
    assert named.stand_ins == ((away, third.key),)
    with pytest.raises(ActError, match="not yours to play"):
        await server.leagues.seat("seat", league.id, away, fixture.number)
    given = await server.leagues.seat("seat", league.id, third.key, fixture.number)
    room = await server.rooms.get(given.match)
    assert room is not None
    assert given.seat == room.seats[0]
    with pytest.raises(ActError, match="before the match begins"):
        await server.act(league.id, keys[away], StandIn(fixture.number))
    table = await server.seated(league.id, named)
    await table.play_out()
    await eventually(lambda: table.room.published)
    await server.pass_(5)
    after = await server.leagues.show(league.id, ADA.key)
    played = {one.player: one.played for one in after.standings}
    assert played == {away: 1, opponent: 1, third.key: 0}


async def test_a_stand_in_can_be_taken_back_before_the_match_begins(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY)
    begun = await server.act(league.id, ADA, PairRound(0))
    fixture = next(one for one in begun.fixtures if len(one.players) == 2)
    third = next(key for key in (ADA, BO, CY) if key.key not in fixture.players)
    keys = {one.key: one for one in (ADA, BO, CY)}
    away = keys[fixture.players[1]]
    await server.act(league.id, away, StandIn(fixture.number, third.key))
    back = await server.act(league.id, away, StandIn(fixture.number))
    assert next(one for one in back.fixtures if one.number == fixture.number).stand_ins == ()
    assert texts(back)[0].endswith("after all.")
    with pytest.raises(ActError, match="not yours to play"):
        await server.leagues.seat("seat", league.id, third.key, fixture.number)
