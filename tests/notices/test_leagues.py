"""What a league's webhook is told, and players of their deadlines: each thing once, and never the address."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import cast

import msgspec
import pytest
from msgspec.structs import replace

from client_protocol.campaigns import CampaignDice, Roll
from client_protocol.leagues import (
    Close,
    Join,
    LeagueTerms,
    LeagueView,
    PairRound,
    Settle,
    StandIn,
    TakeStep,
    Undo,
    Withdraw,
)
from client_protocol.maps import MoveForce
from client_protocol.players import Body, NoticeSettings, Webhook
from server.kernel.ruleset import Ruleset
from server.leagues.errors import ActError
from server.leagues.log.league import League
from server.matches import kept_leagues
from server.notices.league_news import Happening, post
from server.notices.leagues import LeagueNotices
from server.notices.outbound import Outbound
from server.store.league_logs import LeagueLogs
from server.store.store import MatchStore
from tests.leagues import conftest as leagues_of
from tests.leagues import fought
from tests.leagues.conftest import NAMES, TERMS
from tests.leagues.test_map import ON_MAP
from tests.notices import conftest as notices_of
from tests.rulesets.fad5.battlefield import fad5
from tests.support.endpoint import Endpoint
from tests.support.player_keys import ADA, BO, PlayerKey
from tests.support.room import Hands, rooms_on
from tests.support.toy_rules import force

TIMED = replace(TERMS, days=7)
DAY = 86_400
ADDRESS = "https://play.example.org"


@dataclass
class Club:
    """A server with leagues that it tells of; several may share a database."""

    leagues: leagues_of.Server
    notices: notices_of.Server
    told: LeagueNotices

    async def pass_(self, seconds: float) -> None:
        """Let time pass, look after the leagues, and tell what there is to tell."""
        await self.leagues.pass_(seconds)
        await self.notices.noticing.look()

    async def hook(self, league: str, webhook: Webhook | None, key: PlayerKey = ADA) -> tuple[str, ...]:
        return await self.told.set_webhook(league, key.key, webhook, test=False)


async def club_on(
    store: MatchStore, outbound: Outbound, hands: Hands, rules: Ruleset | None = None
) -> AsyncIterator[Club]:
    async with rooms_on(store, rules, hands=hands) as rooms:
        leagues = leagues_of.server_on(store, rooms, hands, rules)
        leagues.leagues.address = ADDRESS
        notices = await notices_of.server_on(store, outbound, rooms, hands)
        told = LeagueNotices(leagues.leagues, notices.queue, notices.registry, notices.ways, lambda: hands.now)
        notices.noticing.others = {"league": told.tell_webhook, "deadline": told.tell_player}
        leagues.keeping.told = told.note
        async with notices.asking:
            yield Club(leagues, notices, told)


@pytest.fixture
async def club(store: MatchStore, outbound: Outbound) -> AsyncIterator[Club]:
    async for one in club_on(store, outbound, Hands(now=1_795_824_392_000)):
        yield one


@pytest.fixture
async def other(valkey_url: str, outbound: Outbound, club: Club) -> AsyncIterator[Club]:
    """Another server on the same database and the same time."""
    async with MatchStore(valkey_url) as second:
        async for one in club_on(second, outbound, club.leagues.hands):
            yield one


async def hooked(club: Club, there: Endpoint, terms: LeagueTerms = TIMED, body: Body = "plain") -> LeagueView:
    """A league of Ada and Bo with a webhook, which has told of nothing yet."""
    league = await club.leagues.gathered(ADA, BO, terms=terms)
    assert await club.hook(league.id, Webhook(there.url(), body)) == ()
    await club.pass_(1)
    there.posts.clear()
    return league


def sent(there: Endpoint, path: str = "/hook") -> list[dict[str, object]]:
    return [json.loads(one.body) for one in there.posts if one.path == path]


def happened(there: Endpoint) -> list[list[dict[str, object]]]:
    """What each post says that has happened."""
    return [cast("list[dict[str, object]]", one.get("happened", [])) for one in sent(there)]


def kinds(there: Endpoint) -> list[str]:
    """What happened, by the posts."""
    return [str(one["kind"]) for part in happened(there) for one in part]


async def test_a_webhook_is_told_once_of_all_that_happens_in_its_league(club: Club, there: Endpoint) -> None:
    league = await hooked(club, there)
    view = await club.leagues.act(league.id, ADA, PairRound(0))
    await club.pass_(1)
    (told,) = sent(there)
    assert told["text"] == (
        "Autumn: Round 1 has begun. Bo against Ada. To be played until 2026-12-05 00:06 UTC. "
        f"{ADDRESS}/#/league/{league.id}"
    )
    assert (told["event"], told["league"], told["name"]) == ("league", league.id, "Autumn")
    table = await club.leagues.seated(league.id, view.fixtures[0])
    await club.pass_(3)
    await table.play_out()
    await club.pass_(3)
    await club.pass_(3)
    await club.leagues.act(league.id, ADA, Close())
    for _ in range(5):
        await club.pass_(60)
    assert kinds(there) == ["round", "begun", "result", "over"]
    (begun,), (result,), (over,) = happened(there)[1:]
    assert begun["text"] == "Bo against Ada has begun."
    assert begun["url"] == result["url"] == f"{ADDRESS}/#/m/{table.room.match}"
    ended = (await club.leagues.leagues.show(league.id, ADA.key)).fixtures[0]
    said = f"{NAMES[ended.winner]} has won." if ended.winner else "A draw."
    assert str(result["text"]).startswith(f"Bo against Ada: {said}")
    assert str(over["text"]).startswith("The league is over. First in the table: ")


async def test_of_several_servers_one_tells(club: Club, other: Club, there: Endpoint) -> None:
    league = await hooked(club, there)
    await other.leagues.act(league.id, ADA, PairRound(0))
    for _ in range(3):
        for one in (club, other):
            await one.pass_(1)
    await club.leagues.act(league.id, ADA, Settle(1, "draw"))
    # Both look before either of them tells.
    await club.leagues.pass_(1)
    await other.told.note(league.id)
    for one in (other, club):
        await one.pass_(1)
    assert kinds(there) == ["round", "result"]


async def test_what_happened_before_is_not_told_and_what_does_not_matter_neither(club: Club, there: Endpoint) -> None:
    league = await club.leagues.gathered(ADA, BO, terms=TIMED)
    await club.leagues.act(league.id, ADA, PairRound(0))
    await club.hook(league.id, Webhook(there.url()))
    assert [one["text"] for one in sent(there)] == ["Underfire tells you here what happens in Autumn."]
    await club.pass_(1)
    await club.leagues.act(league.id, ADA, Withdraw())
    await club.pass_(1)
    assert kinds(there) == ["left"]


async def test_what_could_not_be_sent_comes_later_and_all_of_it_at_once(club: Club, there: Endpoint) -> None:
    league = await hooked(club, there)
    there.answers = [500, 503]
    await club.leagues.act(league.id, ADA, PairRound(0))
    await club.pass_(1)
    await club.leagues.act(league.id, ADA, Settle(1, "won", BO.key))
    await club.pass_(1)
    await club.pass_(60)
    assert len(there.posts) == 2
    await club.pass_(200)
    assert len(there.posts) == 2
    await club.pass_(100)
    await club.pass_(400)
    assert len(there.posts) == 3
    assert [one["kind"] for one in happened(there)[2]] == ["round", "result"]


async def test_after_the_last_try_it_is_dropped_and_the_log_names_no_address(
    club: Club, there: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    league = await hooked(club, there)
    there.answers = [500] * 6
    await club.leagues.act(league.id, ADA, PairRound(0))
    with caplog.at_level(logging.DEBUG):
        for _ in range(20):
            await club.pass_(7200)
    assert len([one for one in kinds(there) if one == "round"]) == 6
    assert f"the webhook of league {league.id} was dropped after 6 tries" in caplog.text
    assert "/hook" not in caplog.text


@pytest.mark.parametrize("body", ["discord", "slack"])
async def test_discord_and_slack_get_messages_of_theirs(club: Club, there: Endpoint, body: Body) -> None:
    league = await hooked(club, there, replace(TIMED, name="<@everyone> cup"), body)
    await club.leagues.act(league.id, ADA, PairRound(0))
    await club.pass_(1)
    (told,) = sent(there)
    if body == "discord":
        assert told["allowed_mentions"] == {"parse": []}
        assert str(told["content"]).startswith("<@everyone> cup: Round 1 has begun.")
    else:
        assert str(told["text"]).startswith("&lt;@everyone&gt; cup: Round 1 has begun.")


async def test_a_deadline_is_told_once_a_day_before(club: Club, other: Club, there: Endpoint) -> None:
    league = await hooked(club, there)
    await club.leagues.act(league.id, ADA, PairRound(0))
    await club.pass_(6 * DAY - 60)
    assert kinds(there) == ["round"]
    for _ in range(4):
        for one in (club, other):
            await one.pass_(60)
    assert kinds(there) == ["round", "deadline"]
    (told,) = happened(there)[-1]
    assert told["text"] == "Bo against Ada. To be played until 2026-12-05 00:06 UTC."
    assert told["fixture"] == 1


async def test_a_deadline_of_a_day_is_told_half_a_day_before(club: Club, there: Endpoint) -> None:
    league = await hooked(club, there, replace(TIMED, days=1))
    await club.leagues.act(league.id, ADA, PairRound(0))
    await club.pass_(DAY / 2 - 60)
    assert kinds(there) == ["round"]
    await club.pass_(120)
    assert kinds(there) == ["round", "deadline"]


async def test_players_are_reminded_once_in_the_ways_that_they_have_chosen(
    club: Club, other: Club, there: Endpoint
) -> None:
    league = await club.leagues.gathered(ADA, BO, terms=TIMED)
    await club.notices.registry.introduce(BO.key, "Bo")
    settings = NoticeSettings(webhook=Webhook(there.url("bo")), digest="day")
    assert await club.notices.registry.set_notices(BO.key, settings)
    await club.leagues.act(league.id, ADA, PairRound(0))
    await club.pass_(3 * DAY)
    assert there.posts == []
    for _ in range(3):
        for one in (club, other):
            await one.pass_(3 * DAY / 4)
    (told,) = sent(there, "/bo")
    assert told == {
        "event": "deadline",
        "text": (
            "Your match against Ada in Autumn is to be played until 2026-12-05 00:06 UTC. "
            f"{ADDRESS}/#/league/{league.id}"
        ),
        "league": league.id,
        "name": "Autumn",
        "fixture": 1,
        "until": 1_795_824_392_000 + 7 * DAY * 1000,
        "url": f"{ADDRESS}/#/league/{league.id}",
    }


async def test_players_on_a_map_are_reminded_once_of_orders_that_they_have_not_given(
    club: Club, other: Club, there: Endpoint
) -> None:
    league = await hooked(club, there, replace(ON_MAP, days=7))
    for key, name in ((ADA, "Ada"), (BO, "Bo")):
        await club.notices.registry.introduce(key.key, name)
        assert await club.notices.registry.set_notices(
            key.key, NoticeSettings(webhook=Webhook(there.url(name.lower())), digest="day")
        )
    await club.leagues.act(league.id, ADA, PairRound(0))
    await club.leagues.act(league.id, BO, MoveForce(1, "ford"))
    await club.pass_(5 * DAY)
    assert sent(there, "/ada") == []
    for _ in range(3):
        for one in (club, other):
            await one.pass_(DAY / 4)
    until = 1_795_824_392_000 + 7 * DAY * 1000
    assert sent(there, "/bo") == [], "the order is given"
    (told,) = sent(there, "/ada")
    assert (told["event"], told["fixture"], told["until"]) == ("deadline", 0, until + 1000)
    assert told["text"] == (
        "Your order for turn 1 of Autumn is to be given until 2026-12-05 00:06 UTC: without one your force stays. "
        f"{ADDRESS}/#/league/{league.id}"
    )
    await club.leagues.act(league.id, ADA, MoveForce(1, "west"))
    await club.pass_(60)
    assert [one for one in kinds(there) if one != "deadline"] == ["round", "orders", "turn_over"]
    (begun,) = happened(there)[0]
    assert begun["text"] == (
        "Turn 1 has begun: the players give their orders. They are to be given until 2026-12-05 00:06 UTC."
    )


async def test_players_are_reminded_again_of_orders_for_a_turn_that_was_undone_and_has_begun_anew(
    club: Club, there: Endpoint
) -> None:
    league = await hooked(club, there, replace(ON_MAP, days=7))
    await club.notices.registry.introduce(BO.key, "Bo")
    settings = NoticeSettings(webhook=Webhook(there.url("bo")), digest="day")
    assert await club.notices.registry.set_notices(BO.key, settings)
    for turn in (1, 2):
        begun = await club.leagues.act(league.id, ADA, PairRound(0))
        await club.pass_(6 * DAY + 60)
        await club.pass_(DAY / 4)
        assert len(sent(there, "/bo")) == turn
        await club.leagues.act(league.id, ADA, Undo(begun.undo[0].entry, "Too early."))


async def test_a_stand_in_is_reminded_and_the_player_replaced_is_not(club: Club, there: Endpoint) -> None:
    keys = {one.key: one for one in (ADA, BO, leagues_of.CY)}
    league = await club.leagues.gathered(*keys.values(), terms=TIMED)
    for key in keys:
        await club.notices.registry.introduce(key, NAMES[key])
        settings = NoticeSettings(webhook=Webhook(there.url(NAMES[key])))
        assert await club.notices.registry.set_notices(key, settings)
    begun = await club.leagues.act(league.id, ADA, PairRound(0))
    fixture = next(one for one in begun.fixtures if len(one.players) == 2)
    away, host = fixture.players
    third = next(key for key in keys if key not in fixture.players)
    await club.leagues.act(league.id, keys[away], StandIn(fixture.number, third))
    await club.pass_(6 * DAY + 60)
    await club.pass_(60)
    until = "is to be played until 2026-12-05 00:06 UTC."
    assert sent(there, f"/{NAMES[away]}") == []
    (told,) = sent(there, f"/{NAMES[third]}")
    assert str(told["text"]).startswith(f"Your match for {NAMES[away]} against {NAMES[host]} in Autumn {until}")
    (told,) = sent(there, f"/{NAMES[host]}")
    assert str(told["text"]).startswith(
        f"Your match against {NAMES[away]}, for whom {NAMES[third]} stands in, in Autumn {until}"
    )


async def test_a_player_who_was_replaced_before_the_reminder_was_sent_does_not_get_it(
    club: Club, there: Endpoint
) -> None:
    keys = {one.key: one for one in (ADA, BO, leagues_of.CY)}
    league = await club.leagues.gathered(*keys.values(), terms=TIMED)
    begun = await club.leagues.act(league.id, ADA, PairRound(0))
    fixture = next(one for one in begun.fixtures if len(one.players) == 2)
    away, third = fixture.players[0], next(key for key in keys if key not in fixture.players)
    await club.notices.registry.introduce(away, NAMES[away])
    assert await club.notices.registry.set_notices(away, NoticeSettings(webhook=Webhook(there.url("away"))))
    club.leagues.hands.move(6 * DAY + 60)
    await club.told.note(league.id)
    await club.leagues.act(league.id, keys[away], StandIn(fixture.number, third))
    await club.pass_(60)
    assert sent(there, "/away") == []


async def test_a_player_is_reminded_once_of_the_steps_after_a_battle(
    store: MatchStore, outbound: Outbound, there: Endpoint
) -> None:
    async for club in club_on(store, outbound, Hands(now=1_795_824_392_000), fad5()):
        league = await fought.gathered(club.leagues)
        for key, name in ((ADA, "Ada"), (BO, "Bo")):
            await club.notices.registry.introduce(key.key, name)
            settings = NoticeSettings(webhook=Webhook(there.url(name.lower())))
            assert await club.notices.registry.set_notices(key.key, settings)
        begun = await club.leagues.act(league.id, ADA, PairRound(0))
        await fought.fought(club.leagues, league.id, begun.fixtures[0])
        # Bo's are done in time; Ada has 24 hours for each, and is reminded after 12.
        while (shown := await club.leagues.leagues.roster(league.id, BO.key, BO.key)).due is not None:
            answer = Roll(on=True) if isinstance(shown.due, CampaignDice) else shown.due.default
            await club.leagues.act(league.id, BO, TakeStep(shown.step, answer))
        await club.pass_(11 * 3600)
        there.posts.clear()
        until = (await club.leagues.leagues.roster(league.id, ADA.key, ADA.key)).until
        for _ in range(3):
            await club.pass_(1.5 * 3600)
        assert sent(there, "/bo") == []
        (told,) = sent(there, "/ada")
        assert (told["event"], told["fixture"], told["until"]) == ("deadline", 1, until)
        assert str(told["text"]).startswith(
            "Your force Ada's has steps to take after its battle in Autumn: at 2026-11-"
        )
        assert told["url"] == f"{ADDRESS}/#/league/{league.id}/roster/{ADA.key}"


async def test_no_deadline_is_told_of_what_is_played_or_over(club: Club, there: Endpoint) -> None:
    league = await hooked(club, there)
    await club.leagues.act(league.id, ADA, PairRound(0))
    await club.leagues.act(league.id, ADA, Settle(1, "draw"))
    await club.pass_(6 * DAY + 60)
    await club.pass_(60)
    assert kinds(there) == ["round", "result"]
    # Nor of one that has passed while no server ran.
    late = await hooked(club, there)
    await club.leagues.act(late.id, ADA, PairRound(0))
    await club.pass_(8 * DAY)
    assert kinds(there) == ["round"]


async def undo_last(club: Club, league: LeagueView) -> None:
    last = (await club.leagues.leagues.show(league.id, ADA.key)).undo[0]
    await club.leagues.act(league.id, ADA, Undo(last.entry, "A mistake."))


async def test_what_was_undone_is_told_and_a_round_that_is_gone_reminds_of_nothing(club: Club, there: Endpoint) -> None:
    league = await hooked(club, there)
    await club.leagues.act(league.id, ADA, PairRound(0))
    await club.leagues.act(league.id, ADA, Settle(1, "draw"))
    await undo_last(club, league)
    await club.pass_(1)
    assert kinds(there) == ["round", "result", "undone"]
    told = happened(there)[0][-1]
    assert (told["fixture"], told["text"]) == (1, "Ada has undone how Bo against Ada was settled: A mistake.")
    await club.pass_(5 * DAY)
    # The reminder is due, but the round is undone before it is sent.
    await club.leagues.pass_(DAY + 60)
    await undo_last(club, league)
    await club.pass_(1)
    await club.leagues.act(league.id, ADA, PairRound(0))
    await club.pass_(60)
    assert kinds(there) == ["round", "result", "undone", "undone", "round"]
    await club.pass_(6 * DAY + 60)
    assert kinds(there)[5:] == ["deadline"], "the new fixture has a number and a reminder of its own"


async def test_the_address_is_private_and_organisers_see_its_host(
    club: Club, store: MatchStore, there: Endpoint
) -> None:
    league = await hooked(club, there)
    secret = there.url()
    shown = await club.leagues.leagues.show(league.id, ADA.key)
    assert shown.webhook == "localhost"
    for view in (shown, await club.leagues.leagues.show(league.id, BO.key)):
        assert secret.encode() not in msgspec.msgpack.encode(view)
    assert (await club.leagues.leagues.show(league.id, BO.key)).webhook == ""
    assert all(secret.encode() not in entry for entry in await LeagueLogs(store).read(league.id))
    # A backup holds it with the private fields, so that the league goes on telling.
    (kept,) = await kept_leagues.leagues(store)
    assert secret.encode() in kept.meta["webhook"]
    assert all(secret.encode() not in entry for entry in kept.entries)


async def test_only_organisers_name_try_and_remove_a_webhook(club: Club, there: Endpoint) -> None:
    league = await hooked(club, there)
    for key, code in ((BO, "no_organiser"), (leagues_of.CY, "no_league")):
        for webhook, test in ((None, False), (Webhook(there.url("mine")), False), (None, True)):
            with pytest.raises(ActError) as refused:
                await club.told.set_webhook(league.id, key.key, webhook, test=test)
            assert refused.value.code == code
    assert there.posts == []
    there.answers = [404]
    assert await club.told.set_webhook(league.id, ADA.key, None, test=True) == (
        "The webhook was not sent: localhost answered 404.",
    )
    assert await club.told.set_webhook(league.id, ADA.key, None, test=True) == ()
    there.posts.clear()
    await club.leagues.act(league.id, ADA, PairRound(0))
    await club.leagues.pass_(1)
    assert await club.hook(league.id, None) == ()
    await club.pass_(60)
    assert there.posts == [], "what was queued is not sent to an address that was removed"
    assert (await club.leagues.leagues.show(league.id, ADA.key)).webhook == ""
    with pytest.raises(ActError, match="has no webhook"):
        await club.told.set_webhook(league.id, ADA.key, None, test=True)


async def test_a_league_of_this_machine_is_not_asked(store: MatchStore, there: Endpoint) -> None:
    async with Outbound((), str(there.certificate)) as strict:
        async for club in club_on(store, strict, Hands(now=1_795_824_392_000)):
            league = await club.leagues.gathered(ADA, BO)
            (fault,) = await club.hook(league.id, Webhook(there.url()))
            assert fault == "The webhook was not sent: localhost is not an address of the public internet."
            await club.leagues.act(league.id, ADA, PairRound(0))
            await club.pass_(1)
    assert there.posts == []


async def test_hidden_forces_stay_hidden(club: Club, there: Endpoint) -> None:
    league = await hooked(club, there, replace(TIMED, format="free", options={"hidden_forces": True}))
    await club.leagues.act(league.id, leagues_of.CY, Join(force("Secret guard", "rifle")), league.invite)
    await club.leagues.act(league.id, leagues_of.CY, Withdraw())
    await club.leagues.act(league.id, ADA, Close())
    await club.pass_(1)
    assert "over" in kinds(there)
    assert all(b"Secret guard" not in one.body for one in there.posts)


def test_a_post_holds_as_much_as_fits() -> None:
    league = League("autumn", TERMS, {}, 0)
    many = [Happening("result", 1, "Ada against Bo: Ada has won. " + "é" * 200, number) for number in range(1, 40)]
    made = post(league, many, ADDRESS)
    assert 1 < len(made.happened) < 39
    assert [one.fixture for one in made.happened] == list(range(1, len(made.happened) + 1))
    assert len(made.text) <= 1900
    long = post(league, [Happening("round", 1, "é" * 5000)], ADDRESS)
    assert len(msgspec.json.encode(long)) <= 4096
    assert len(long.happened) == 1
