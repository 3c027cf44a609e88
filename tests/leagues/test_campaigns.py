"""Forces that live on in a league: battles change their rosters, owners take the steps after them, others see what they may."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from client_protocol.campaigns import CampaignDice, GoOn, Roll, RosterView
from client_protocol.from_client import Concede
from client_protocol.from_server import Accepted
from client_protocol.leagues import AnswerChallenge, ChangeForce, Close, LeagueView, Meet, PairRound, TakeStep, Withdraw
from server.kernel.dice import die
from server.leagues.errors import ActError
from server.leagues.log.dice import battle_secret
from server.leagues.log.facts import LeagueClosed, LeagueMade, MatchLinked, StepTaken
from server.leagues.log.league_file import written
from server.leagues.public import as_page
from server.leagues.verify.league_file import verify
from server.matches.log import match_file
from server.store.store import MatchStore
from tests.leagues.conftest import CY, Server, server_on
from tests.leagues.fought import TERMS, fight, fought, gathered
from tests.rulesets.fad5.battlefield import fad5
from tests.support.player_keys import ADA, BO, PlayerKey
from tests.support.room import Hands, Table, eventually, rooms_on

HOUR = 3600


@pytest.fixture
async def server(store: MatchStore) -> AsyncIterator[Server]:
    """A server on which FAD 5 is played."""
    hands = Hands(now=1_795_824_392_000)
    async with rooms_on(store, fad5(), hands=hands) as rooms:
        yield server_on(store, rooms, hands, fad5())


@pytest.fixture
async def other(valkey_url: str, server: Server) -> AsyncIterator[Server]:
    """Another server on the same database and the same time."""
    async with MatchStore(valkey_url) as second, rooms_on(second, fad5(), hands=server.hands) as rooms:
        yield server_on(second, rooms, server.hands, fad5())


async def after_a_battle(server: Server) -> tuple[LeagueView, Table]:
    """A league of two whose first battle has been fought."""
    league = await gathered(server)
    begun = await server.act(league.id, ADA, PairRound(0))
    table = await fought(server, league.id, begun.fixtures[0])
    return await server.leagues.show(league.id, ADA.key), table


async def roster(server: Server, league: str, key: PlayerKey, asker: PlayerKey | None = None) -> RosterView:
    return await server.leagues.roster(league, (asker or key).key, key.key)


async def step(server: Server, league: str, key: PlayerKey) -> RosterView:
    """Take the step that is due: roll, or give the default answer."""
    shown = await roster(server, league, key)
    assert shown.due is not None
    answer = Roll() if isinstance(shown.due, CampaignDice) else shown.due.default
    await server.act(league, key, TakeStep(shown.step, answer))
    return await roster(server, league, key)


async def all_steps(server: Server, league: str, key: PlayerKey) -> RosterView:
    shown = await roster(server, league, key)
    while shown.due is not None:
        shown = await step(server, league, key)
    return shown


async def test_a_battle_leaves_its_losses_on_the_rosters_with_the_place_in_the_replay(server: Server) -> None:
    league, table = await after_a_battle(server)
    (fixture,) = league.fixtures
    rosters = {key: await roster(server, league.id, key) for key in (ADA, BO)}
    for player, losses in zip(fixture.players, fixture.losses, strict=True):
        own, enemy = sorted(rosters.values(), key=lambda one: one.player != player)
        # A match counts the figures that fall. A vehicle that is destroyed is lost to its force besides.
        squads = [unit for unit in own.units if unit.kind != "Vehicle"]
        assert sum(unit.lost for unit in squads) == losses
        assert sum(unit.kills for unit in enemy.units) == losses
        assert all(unit.of - unit.figures == unit.lost for unit in own.units)
        assert own.battles == 1
        assert own.history[0].text.startswith(
            f"Battle 1: Two Orchards against {'Bo' if player == ADA.key else 'Ada'}: "
        )
        hurt = [line for line in own.history if "loses" in line.text]
        assert {line.match for line in own.history} == {table.room.match}
        assert all(1 < line.step < table.room.outcome().entries for line in hurt)  # type: ignore[union-attr]  # it is over
        assert own.fixture == fixture.number
        assert own.until == server.hands.now + 24 * HOUR * 1000
    assert [one.steps for one in league.players] == [1, 1]


async def test_a_match_that_ended_before_its_first_turn_is_said_to_be_no_battle(server: Server) -> None:
    league = await gathered(server)
    begun = await server.act(league.id, ADA, PairRound(0))
    table = await server.seated(league.id, begun.fixtures[0])
    home, away = begun.fixtures[0].players
    seat = table.room.seats[begun.fixtures[0].players.index(BO.key)]
    assert isinstance(await table.room.settle_on_desk(seat, Concede("conceded-at-once")), Accepted)
    await eventually(lambda: table.room.published)
    await server.pass_(5)
    shown = await server.leagues.show(league.id, ADA.key)
    assert (shown.fixtures[0].winner, shown.fixtures[0].unfought) == (ADA.key, True)
    assert shown.news[0].text.endswith("The match ended before its first turn, so that no force has fought.")
    assert b"so that no force has fought" in as_page(shown)
    names = {ADA.key: ("Bo", "won"), BO.key: ("Ada", "lost")}
    for key in (home, away):
        found = await server.leagues.roster(league.id, key, key)
        assert (found.battles, found.due) == (0, None)
        opponent, ended = names[key]
        headline, said = found.history
        assert headline.text == f"No battle: Two Orchards against {opponent}: {ended}."
        assert (headline.match, headline.fixture) == (table.room.match, 1)
        assert said.text == "The match ended before its first turn, so that no force has fought."
    # The log says that it was so, which the log of the match proves.
    payloads = await server.leagues.logs.read(league.id)
    match = match_file.export(await table.room.payloads())
    report = verify(written(payloads, ()), lambda _edition: fad5(), {table.room.match: match})
    assert report.matches == (table.room.match,)


async def test_the_owner_takes_step_after_step_and_then_the_next_battle_is_fought_with_what_is_left(
    server: Server,
) -> None:
    league, _ = await after_a_battle(server)
    first = await roster(server, league.id, ADA)
    assert isinstance(first.due, CampaignDice)
    assert {row.of for row in first.due.odds} == {sum(row.ways for row in first.due.odds)}
    second = await step(server, league.id, ADA)
    assert second.step == first.step + 1
    rolled = next(line for line in second.history if line.faces)
    assert len(rolled.faces) == first.due.count
    assert rolled.rule == first.due.rule
    other = (GoOn(), "dice_due") if isinstance(second.due, CampaignDice) else (Roll(), "no_dice")
    for answer, code in ((TakeStep(1, Roll()), "step_taken"), (TakeStep(second.step, other[0]), other[1])):
        with pytest.raises(ActError) as refused:
            await server.act(league.id, ADA, answer)
        assert refused.value.code == code
    done = await all_steps(server, league.id, ADA)
    assert (done.due, done.step, done.until) == (None, 0, 0)
    assert done.history[-1].text.startswith("Ada's is ready for the next battle")
    assert [one.steps for one in (await server.leagues.show(league.id, BO.key)).players] == [0, 1]


async def test_all_dice_until_the_next_question_can_be_rolled_at_once(server: Server) -> None:
    league, _ = await after_a_battle(server)
    first = await roster(server, league.id, ADA)
    before = len((await server.leagues.fold(league.id)).entries)
    await server.act(league.id, ADA, TakeStep(first.step, Roll(on=True)))
    shown = await roster(server, league.id, ADA)
    assert not isinstance(shown.due, CampaignDice)
    (entry,) = (await server.leagues.fold(league.id)).entries[before:]
    assert [fact.number for fact in entry.facts if isinstance(fact, StepTaken)] == list(range(first.step, shown.step))
    assert shown.step > first.step


async def test_no_match_is_made_while_steps_are_due_or_another_battle_is_fought(server: Server) -> None:
    league = await gathered(server, replace(TERMS, format="free"), ADA, BO, CY)
    for key, met in ((ADA, BO), (ADA, CY), (BO, CY)):
        shown = await server.act(league.id, key, Meet(met.key))
        await server.act(league.id, met, AnswerChallenge(shown.fixtures[-1].number, yes=True))
    table = await server.seated(league.id, (await server.leagues.show(league.id, ADA.key)).fixtures[0])
    with pytest.raises(ActError, match="Ada is in another battle") as busy:
        await server.leagues.seat("seat", league.id, CY.key, 2)
    assert busy.value.code == "in_battle"
    await fight(server, table)
    with pytest.raises(ActError, match="Ada has steps to take after the last battle first") as due:
        await server.leagues.seat("seat", league.id, CY.key, 2)
    assert due.value.code == "steps_due"
    left = await all_steps(server, league.id, ADA)
    given = await server.leagues.seat("seat", league.id, CY.key, 2)
    room = await server.rooms.get(given.match)
    assert room is not None
    brought = room._referee.fold.state.desk.forces
    mine = next(one.force for one in brought.values() if one.force.name == "Ada's")
    fielded = [unit for unit in left.units if unit.figures and not unit.sits_out]
    assert [unit.name for unit in mine.units] == [unit.name for unit in fielded]
    assert [unit.fields.get("figures", 1) for unit in mine.units] == [unit.figures for unit in fielded]


async def test_a_force_that_has_fought_is_not_changed_and_one_that_comes_back_is_as_it_was(server: Server) -> None:
    league, _ = await after_a_battle(server)
    ready = fad5().ready_forces[0]
    with pytest.raises(ActError, match="Your force has fought in this league"):
        await server.act(league.id, ADA, ChangeForce(ready))
    before = await all_steps(server, league.id, ADA)
    await server.act(league.id, ADA, Withdraw())
    found = (await server.leagues.fold(league.id)).league.players[ADA.key].campaign
    assert found is not None
    assert found.roster.battles == 1
    assert [unit.lost for unit in (await roster(server, league.id, ADA)).units] == [unit.lost for unit in before.units]


async def test_steps_that_are_not_taken_by_their_deadlines_are_taken_by_default_once(
    server: Server, other: Server
) -> None:
    league, _ = await after_a_battle(server)
    assert (await roster(server, league.id, ADA)).step == 1
    server.hands.move(24 * HOUR - 10)
    await server.keeping.look()
    assert (await roster(server, league.id, ADA)).step == 1
    server.hands.move(20)
    await asyncio.gather(server.keeping.look(), other.keeping.look())
    assert [(await roster(one, league.id, key)).step for one in (server, other) for key in (ADA, BO)] == [2] * 4
    for _ in range(30):
        server.hands.move(24 * HOUR + 1)
        await other.keeping.look()
    assert [(await roster(server, league.id, key)).due for key in (ADA, BO)] == [None, None]
    steps = [fact for entry in (await server.leagues.fold(league.id)).entries for fact in entry.facts]
    taken = [(fact.player, fact.number) for fact in steps if isinstance(fact, StepTaken)]
    assert len(taken) == len(set(taken))


async def test_two_servers_that_take_in_a_battle_at_once_do_so_once(server: Server, other: Server) -> None:
    league = await gathered(server)
    begun = await server.act(league.id, ADA, PairRound(0))
    await fought(server, league.id, begun.fixtures[0])
    await asyncio.gather(other.keeping.look(), server.keeping.look())
    shown = await roster(other, league.id, BO)
    assert shown.battles == 1
    assert shown == await roster(server, league.id, BO)


async def test_every_die_follows_from_secrets_that_were_fixed_before_the_battle(server: Server) -> None:
    league, table = await after_a_battle(server)
    for key in (ADA, BO):
        await all_steps(server, league.id, key)
    await server.act(league.id, ADA, Close())
    fold = await server.leagues.fold(league.id)
    facts = [fact for entry in fold.entries for fact in entry.facts]
    made = next(fact for fact in facts if isinstance(fact, LeagueMade))
    linked = next(fact for fact in facts if isinstance(fact, MatchLinked))
    closed = next(fact for fact in facts if isinstance(fact, LeagueClosed))
    assert hashlib.sha256(bytes.fromhex(closed.secret)).hexdigest() == made.commitment
    shares = table.room._referee.fold.state.desk.randomness
    context = "|".join(f"{seat}={shares[seat]}" for seat in sorted(shares))
    rolled = 0
    for player, fixed in zip(league.fixtures[0].players, linked.commitments, strict=True):
        steps = [fact for fact in facts if isinstance(fact, StepTaken) and fact.player == player]
        secret = bytes.fromhex(steps[-1].secret)
        assert [fact.secret for fact in steps[:-1]] == [""] * (len(steps) - 1)
        assert hashlib.sha256(secret).hexdigest() == fixed
        assert secret == battle_secret(bytes.fromhex(closed.secret), 1, player)
        faces = [face for fact in steps if fact.dice is not None for face in fact.dice.faces]
        rolled += len(faces)
        named = f"{league.id}|1|{player}|{context}"
        assert faces == [die(secret, named, "", number, 6) for number in range(len(faces))]
    # How many dice fall depends on how the battle went.
    assert rolled > 0


async def test_others_see_what_was_bought_only_when_the_steps_are_over(server: Server) -> None:
    league, _ = await after_a_battle(server)
    before = await roster(server, league.id, ADA, asker=BO)
    assert before.due is None
    assert before.units == (await roster(server, league.id, ADA)).units
    await step(server, league.id, ADA)
    assert (await roster(server, league.id, ADA, asker=BO)).units == before.units
    assert (await roster(server, league.id, ADA, asker=BO)).history == before.history
    done = await all_steps(server, league.id, ADA)
    assert (await roster(server, league.id, ADA, asker=BO)).history == done.history
    with pytest.raises(ActError):
        await server.act(league.id, CY, TakeStep(1, Roll()))


async def test_hidden_forces_are_shown_to_their_owners_until_the_league_is_over(server: Server) -> None:
    league = await gathered(server, replace(TERMS, options={"hidden_forces": True}))
    assert (await roster(server, league.id, ADA)).units
    with pytest.raises(ActError, match="only when this league is over") as refused:
        await roster(server, league.id, ADA, asker=BO)
    assert refused.value.code == "hidden"
    await server.act(league.id, ADA, Close())
    assert (await roster(server, league.id, ADA, asker=BO)).units


async def test_campaigns_need_settings_that_the_edition_has(server: Server) -> None:
    for settings, said in (
        ({"bank": True}, "bank"),
        ({"traits": "all"}, "traits"),
        ({"routed_return": 3}, "routed_return"),
    ):
        with pytest.raises(ActError, match=said):
            await server.make(replace(TERMS, campaign=settings))
    made = await server.make(replace(TERMS, campaign={"traits": "trained", "bank_points": False}))
    assert made.terms.campaign == {"traits": "trained", "bank_points": False}


async def test_a_league_in_which_forces_do_not_live_on_has_no_rosters(server: Server) -> None:
    league = await gathered(server, replace(TERMS, campaign=None))
    with pytest.raises(ActError, match="Forces do not live on in this league"):
        await roster(server, league.id, ADA)
    with pytest.raises(ActError, match="Forces do not live on in this league"):
        await server.act(league.id, ADA, TakeStep(1, Roll()))
    begun = await server.act(league.id, ADA, PairRound(0))
    await fought(server, league.id, begun.fixtures[0])
    assert (await server.leagues.show(league.id, ADA.key)).fixtures[0].state == "over"


async def test_when_the_league_is_over_no_step_is_due_and_all_that_was_taken_is_shown(server: Server) -> None:
    league, _ = await after_a_battle(server)
    taken = await step(server, league.id, ADA)
    await server.act(league.id, ADA, Close())
    own = await roster(server, league.id, ADA)
    assert (own.due, own.step, own.until) == (None, 0, 0)
    assert own.history == taken.history == (await roster(server, league.id, ADA, asker=BO)).history
    server.hands.move(48 * HOUR)
    await server.keeping.look()
    assert (await roster(server, league.id, ADA)) == own


async def test_no_match_is_made_in_a_league_that_is_over_and_a_result_comes_too_late(server: Server) -> None:
    league = await gathered(server, replace(TERMS, format="free"), ADA, BO, CY)
    for met in (BO, CY):
        shown = await server.act(league.id, ADA, Meet(met.key))
        await server.act(league.id, met, AnswerChallenge(shown.fixtures[-1].number, yes=True))
    table = await server.seated(league.id, (await server.leagues.show(league.id, ADA.key)).fixtures[0])
    await server.act(league.id, ADA, Close())
    with pytest.raises(ActError, match="This league is over"):
        await server.leagues.seat("seat", league.id, CY.key, 2)
    before = (await server.leagues.fold(league.id)).number
    await fight(server, table)
    assert (await server.leagues.fold(league.id)).number == before
