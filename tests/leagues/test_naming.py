"""Figures of forces that live on have names, which stay with them through losses, heirs and replacements."""

from __future__ import annotations

import pytest

from client_protocol.campaigns import CampaignDice, NameFigures, Roll, RosterUnitView, RosterView
from client_protocol.leagues import Close, LeagueView, PairRound, TakeStep
from server.kernel.campaigns.facts import BattleFought, FiguresReplaced, TroopersJoined, UnitHurt
from server.kernel.campaigns.roster import Roster, RosterUnit
from server.kernel.campaigns.state import PostBattle
from server.leagues.errors import ActError
from server.leagues.log.league_file import written
from server.leagues.verify.league_file import verify
from server.rulesets.library import find
from tests.leagues.conftest import CY, Server
from tests.leagues.fought import fought, gathered
from tests.leagues.test_campaigns import server
from tests.rulesets.fad5.battlefield import fad5
from tests.support.player_keys import ADA, BO, PlayerKey

__all__ = ["server"]

NAMES = ("Sergeant Ilse", "Marek", "Jo", "Pia")


async def roster(server: Server, league: str, key: PlayerKey) -> RosterView:
    return await server.leagues.roster(league, key.key, key.key)


def told(unit: RosterUnitView) -> list[str]:
    return [one.name for one in unit.members]


async def test_a_player_names_the_figures_of_their_own_units(server: Server) -> None:
    league = await gathered(server)
    units = (await roster(server, league.id, ADA)).units
    number = next(one.number for one in units if one.members)
    await server.act(league.id, ADA, NameFigures(number, ("  Sergeant\u200b Ilse ", "", "Marek")))
    unit = (await roster(server, league.id, ADA)).units[number]
    assert told(unit)[:4] == ["Sergeant Ilse", "", "Marek", ""]
    assert len(unit.members) == unit.of
    seen = await server.leagues.roster(league.id, BO.key, ADA.key)
    assert told(seen.units[number]) == told(unit)
    await server.act(league.id, ADA, NameFigures(number, ()))
    assert set(told((await roster(server, league.id, ADA)).units[number])) == {""}
    vehicle = next(one.number for one in units if not one.members)
    for key, act, said in (
        (ADA, NameFigures(number, ()), "their names already"),
        (ADA, NameFigures(99, ("Ilse",)), "no such unit"),
        (ADA, NameFigures(-1, ("Ilse",)), "no such unit"),
        (ADA, NameFigures(number, ("Ilse",) * 60), "figures"),
        (ADA, NameFigures(vehicle, ("Ilse",)), "has a name already"),
        (CY, NameFigures(number, ("Ilse",)), "do not play"),
    ):
        with pytest.raises(ActError, match=said):
            await server.act(league.id, key, act, league.invite)


async def named_and_fought(server: Server) -> tuple[LeagueView, set[str]]:
    """A league in which Ada has named all figures and fought; and who of them fell."""
    league = await gathered(server)
    for number, unit in enumerate((await roster(server, league.id, ADA)).units):
        if unit.members:
            names = tuple(f"{unit.name} {place}" for place in range(1, unit.of + 1))
            await server.act(league.id, ADA, NameFigures(number, names))
    begun = await server.act(league.id, ADA, PairRound(0))
    await fought(server, league.id, begun.fixtures[0])
    units = (await roster(server, league.id, ADA)).units
    return league, {one.name for unit in units for one in unit.members if one.missing}


async def test_the_story_tells_who_fell_and_the_file_of_the_league_is_right(server: Server) -> None:
    league, fallen = await named_and_fought(server)
    for _ in range(9):
        if fallen:
            break
        # The dice are the match's own: now and then a battle costs Ada no figure.
        league, fallen = await named_and_fought(server)
    assert fallen, "a battle costs figures"
    after = await roster(server, league.id, ADA)
    history = " ".join(line.text for line in after.history)
    assert all(name in history for name in fallen)
    while after.due is not None:
        answer = Roll() if isinstance(after.due, CampaignDice) else after.due.default
        await server.act(league.id, ADA, TakeStep(after.step, answer))
        after = await roster(server, league.id, ADA)
    for unit in after.units:
        assert len({name for name in told(unit) if name}) == len([name for name in told(unit) if name])
    await server.act(league.id, ADA, Close())
    verify(written(await server.leagues.logs.read(league.id), ()), find)


def squad(*missing: int) -> PostBattle:
    """A force of one squad of four with names, of whom some are missing."""
    started = next(one for one in fad5().ready_forces[0].units if one.kind == "infantry")
    unit = RosterUnit(started, 4, missing=missing, names=dict(enumerate(NAMES, 1)))
    return PostBattle(Roster("fad5", "Own", (unit,)))


def test_a_survivor_who_takes_the_place_of_the_leader_keeps_their_name() -> None:
    hurt = UnitHurt(0, (3, 4), 2, heirs=((1, 4),))
    assert hurt.fallen(squad().unit(0)) == ("Jo", "Sergeant Ilse")
    state = BattleFought(hurt=(hurt,), rolls=()).fold(squad())
    assert state.unit(0).names == {1: "Pia", 2: "Marek", 3: "Jo", 4: "Sergeant Ilse"}
    back = FiguresReplaced(unit=0, face=4, figures=(4,)).fold(state)
    assert back.unit(0).names == state.unit(0).names, "the sergeant comes back, and serves under Pia"
    new = TroopersJoined(unit=0, figures=(3,)).fold(back)
    assert new.unit(0).names == {1: "Pia", 2: "Marek", 4: "Sergeant Ilse"}, "who joins has no name yet"


def test_an_heir_without_a_name_leaves_the_leader_theirs() -> None:
    unnamed = RosterUnit(squad().unit(0).started, 4, names={1: "Sergeant Ilse"})
    assert UnitHurt(0, (4,), 1, heirs=((1, 4),)).names(unnamed) == {4: "Sergeant Ilse"}
