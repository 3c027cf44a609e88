"""Co-organisers: the player who made a league appoints and dismisses them."""

from __future__ import annotations

import pytest

from client_protocol.leagues import Appoint, Close, PairRound, Settle
from server.leagues.acts import Actor
from server.leagues.errors import ActError
from server.leagues.log.organisers import OrganiserAppointed, OrganiserDismissed
from tests.leagues.conftest import CY, DEE, Server
from tests.leagues.test_leagues import begun, texts
from tests.support.player_keys import ADA, BO


async def test_a_co_organiser_does_what_an_organiser_does(server: Server) -> None:
    league = await begun(server)
    appointed = await server.act(league.id, ADA, Appoint(BO.key, yes=True))
    assert appointed.organisers == ((ADA.key, "Ada"), (BO.key, "Bo"))
    assert texts(appointed)[0] == "Ada has made Bo an organiser."
    assert (await server.leagues.show(league.id, BO.key)).invite == league.invite != ""
    settled = await server.act(league.id, BO, Settle(1, "won", BO.key, "Ada was ill."))
    assert settled.fixtures[0].winner == BO.key
    assert (await server.act(league.id, BO, Close())).state == "over"


async def test_a_co_organiser_appoints_and_dismisses_no_other(server: Server) -> None:
    league = await begun(server)
    await server.act(league.id, ADA, Appoint(BO.key, yes=True))
    for act in (Appoint(CY.key, yes=True), Appoint(ADA.key, yes=False), Appoint(BO.key, yes=False)):
        with pytest.raises(ActError, match="Only the player who made this league"):
            await server.act(league.id, BO, act)


async def test_a_dismissed_organiser_organises_no_more_and_keeps_the_name_in_the_news(server: Server) -> None:
    league = await begun(server)
    appoint = Appoint(CY.key, yes=True)
    actor = Actor(ADA.key, "Ada", appoints="Cy")
    await server.leagues.act(league.id, actor, "appoint-cy-1", "", appoint)
    await server.act(league.id, CY, Settle(1, "draw", "", "The line was down."))
    dismissed = await server.act(league.id, ADA, Appoint(CY.key, yes=False))
    assert dismissed.organisers == ((ADA.key, "Ada"),)
    assert texts(dismissed)[0] == "Cy is no longer an organiser."
    assert any(text.startswith("Cy has settled") for text in texts(dismissed))
    with pytest.raises(ActError):
        await server.act(league.id, CY, PairRound(1), league.invite)


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        (Appoint(DEE.key, yes=True), "This server knows no player with this key."),
        (Appoint(DEE.key, yes=False), "This player is no organiser of the league."),
        (Appoint(ADA.key, yes=True), "This player is an organiser already."),
        (Appoint(ADA.key, yes=False), "The player who made the league stays its organiser."),
    ],
)
async def test_what_cannot_be_is_refused_with_a_sentence(server: Server, act: Appoint, sentence: str) -> None:
    league = await begun(server)
    with pytest.raises(ActError) as error:
        await server.act(league.id, ADA, act)
    assert error.value.sentence == sentence


async def test_a_league_has_so_many_organisers_at_most(server: Server) -> None:
    league = await begun(server)
    for number in range(7):
        actor = Actor(ADA.key, "Ada", appoints=f"P{number}")
        await server.leagues.act(league.id, actor, f"appoint-number-{number}", "", Appoint(f"{number:064x}", yes=True))
    with pytest.raises(ActError, match="8 organisers at most"):
        await server.act(league.id, ADA, Appoint(BO.key, yes=True))


async def test_appointments_stand_in_the_log(server: Server) -> None:
    league = await begun(server)
    await server.act(league.id, ADA, Appoint(BO.key, yes=True))
    await server.act(league.id, ADA, Appoint(BO.key, yes=False))
    facts = [fact for entry in (await server.leagues.fold(league.id)).entries for fact in entry.facts]
    assert facts[-2:] == [OrganiserAppointed(BO.key, "Bo"), OrganiserDismissed(BO.key)]
