"""The calendar of what a player has to play."""

from __future__ import annotations

from msgspec.structs import replace

from client_protocol.leagues import (
    FixtureView,
    LeagueNews,
    LeaguePlayer,
    LeagueTerms,
    LeagueView,
    PairRound,
    Settle,
    StandIn,
    Withdraw,
)
from client_protocol.maps import MoveForce
from server.gateway.league_files import league_file
from server.leagues.calendar import as_calendar, escaped, folded
from tests.leagues.conftest import CY, TERMS, Server
from tests.leagues.test_map import ON_MAP
from tests.support.player_keys import ADA, BO, PlayerKey
from tests.support.toy_rules import force

TIMED = replace(TERMS, days=7)
UNTIL = 1_795_824_392_000  # 2026-11-28 00:06:32 UTC
VIEW = LeagueView(
    "autumn",
    LeagueTerms("Autumn; late", "toy", ("duel",)),
    "runs",
    ((ADA.key, "Ada"),),
    made_at=UNTIL - 700_000_000,
    players=tuple(
        LeaguePlayer(key, name, force("F", "rifle"), 1) for key, name in ((ADA.key, "Ada"), (BO.key, "Bo, B."))
    ),
    fixtures=(
        FixtureView(1, 1, (ADA.key, BO.key), "duel", until=UNTIL),
        FixtureView(2, 2, (BO.key, ADA.key), "duel"),
        FixtureView(3, 2, (BO.key,), "duel", "over", outcome="won", winner=BO.key),
    ),
    news=(LeagueNews(UNTIL - 604_800_000, "Round 1 has begun."),),
)


def unfolded(file: bytes) -> list[str]:
    """The content lines of a calendar, as a program reads them."""
    assert file.endswith(b"\r\n")
    assert b"\n" not in file.replace(b"\r\n", b"")
    return file.decode().replace("\r\n ", "").split("\r\n")[:-1]


async def fetched(server: Server, path: str) -> tuple[int, bytes]:
    answer = await league_file(server.leagues, path)
    assert answer is not None
    return answer.status_code, bytes(answer.body)


async def test_an_order_on_a_map_is_an_event_until_it_is_given(server: Server) -> None:
    league = await server.gathered(ADA, BO, terms=replace(ON_MAP, days=7))
    await server.act(league.id, ADA, PairRound(0))
    await server.act(league.id, BO, MoveForce(1, "ford"))
    lines = unfolded(as_calendar(await server.leagues.show(league.id, ADA.key), ADA.key, "https://play.example.org"))
    assert "SUMMARY:Give the order for your force (Autumn)" in lines
    assert f"UID:{league.id}-turn-1-{ADA.key[:16]}@underfire" in lines
    assert "DTEND:20261205T000632Z" in lines
    ordered = as_calendar(await server.leagues.show(league.id, BO.key), BO.key, "")
    assert b"VEVENT" not in ordered
    after = await server.act(league.id, ADA, MoveForce(1, "west"))
    assert b"VEVENT" not in as_calendar(after, ADA.key, "")


def test_a_fixture_with_a_deadline_is_an_event_that_ends_then() -> None:
    lines = unfolded(as_calendar(VIEW, ADA.key, "https://play.example.org"))
    event = lines[lines.index("BEGIN:VEVENT") : lines.index("END:VEVENT") + 1]
    assert event == [
        "BEGIN:VEVENT",
        f"UID:autumn-1-{ADA.key[:16]}@underfire",
        "DTSTAMP:20261121T000632Z",
        "DTSTART:20261127T230632Z",
        "DTEND:20261128T000632Z",
        "SUMMARY:Play against Bo\\, B. (Autumn\\; late)",
        (
            "DESCRIPTION:Round 1 of Autumn\\; late. This is the deadline. The match is made when the first of you presses Play. "
            "https://play.example.org/#/league/autumn"
        ),
        "TRANSP:TRANSPARENT",
        "URL:https://play.example.org/#/league/autumn",
        "END:VEVENT",
    ]
    assert (lines[0], lines[1], lines[-1]) == ("BEGIN:VCALENDAR", "VERSION:2.0", "END:VCALENDAR")
    assert lines.count("BEGIN:VEVENT") == 1


def test_without_an_address_there_are_no_links() -> None:
    lines = unfolded(as_calendar(VIEW, ADA.key, ""))
    assert not [line for line in lines if "http" in line or line.startswith("URL")]


def test_values_are_escaped_and_hold_no_control_characters() -> None:
    assert escaped("a\\b;c,d") == "a\\\\b\\;c\\,d"
    assert escaped("one\r\ntwo\nthree\rfour\u2028five") == "one\\ntwo\\nthree\\nfour\\nfive"
    assert escaped("a\x00\x07\x7fb\tc") == "abc"


def test_long_lines_are_folded_between_characters_at_75_octets() -> None:
    line = "SUMMARY:" + "é" * 100 + "😀" * 30
    parts = list(folded(line))
    assert len(parts) > 3
    assert all(len(part) <= 75 + len(b"\r\n") for part in parts)
    assert all(part.decode().endswith("\r\n") for part in parts)
    assert all(part.startswith(b" ") for part in parts[1:])
    assert b"".join(parts).decode().replace("\r\n ", "") == f"{line}\r\n"
    assert list(folded("x" * 75)) == [b"x" * 75 + b"\r\n"]
    assert list(folded("x" * 76)) == [b"x" * 75 + b"\r\n", b" x\r\n"]


async def test_a_player_subscribes_to_what_is_open(server: Server) -> None:
    league = await server.gathered(ADA, BO, terms=replace(TIMED, listed=True))
    await server.act(league.id, ADA, PairRound(0))
    address = (await server.leagues.show(league.id, BO.key)).calendar
    assert address == f"/leagues/{league.id}/{BO.key}.ics"
    status, body = await fetched(server, address)
    assert (status, "SUMMARY:Play against Ada (Autumn)" in unfolded(body)) == (200, True)
    assert await fetched(server, address) == (status, body)
    await server.act(league.id, ADA, Settle(1, "draw"))
    assert b"VEVENT" not in (await fetched(server, address))[1]


async def test_the_calendar_of_a_league_that_is_not_listed_needs_its_token(server: Server) -> None:
    league = await server.gathered(ADA, BO, terms=TIMED)
    await server.act(league.id, ADA, PairRound(0))
    ada, bo = [(await server.leagues.show(league.id, key.key)).calendar for key in (ADA, BO)]
    assert (await fetched(server, ada))[0] == 200
    tokens = [address.rpartition("/")[2] for address in (ada, bo)]
    assert tokens[0] != tokens[1]
    for path in (f"{ADA.key}.ics", f"{ADA.key}/{tokens[1]}", f"{ADA.key}/{'0' * 48}.ics", f"{'0' * 64}/{tokens[0]}"):
        status, body = await fetched(server, f"/leagues/{league.id}/{path}")
        assert (status, b"no such league" in body) == (404, True)
    # Those who are invited see the league, but no player's address.
    assert (await server.leagues.show(league.id, "", league.invite)).calendar == ""


async def test_those_who_do_not_play_have_no_calendar(server: Server) -> None:
    league = await server.gathered(ADA, terms=replace(TIMED, listed=True))
    assert (await server.leagues.show(league.id, BO.key)).calendar == ""
    assert (await fetched(server, f"/leagues/{league.id}/{BO.key}.ics"))[0] == 404


def events(file: bytes) -> list[str]:
    """What the events of a calendar say they are."""
    return [line.removeprefix("SUMMARY:") for line in unfolded(file) if line.startswith("SUMMARY:")]


async def test_a_stand_in_has_the_fixture_in_their_calendar_and_the_player_replaced_has_not(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY, terms=replace(TIMED, listed=True))
    begun = await server.act(league.id, ADA, PairRound(0))
    fixture = next(one for one in begun.fixtures if len(one.players) == 2)
    players = {one.key: one for one in (ADA, BO, CY)}
    away, host = (players[key] for key in fixture.players)
    third = next(one for one in (ADA, BO, CY) if one not in (away, host))
    names = {one.key: one.name for one in begun.players}

    async def own(key: PlayerKey) -> list[str]:
        status, body = await fetched(server, (await server.leagues.show(league.id, key.key)).calendar)
        assert status == 200
        return events(body)

    assert (len(await own(away)), await own(third)) == (1, [])
    await server.act(league.id, away, StandIn(fixture.number, third.key))
    assert await own(away) == []
    assert await own(third) == [f"Play for {names[away.key]} against {names[host.key]} (Autumn)"]
    assert await own(host) == [f"Play against {names[away.key]}\\, for whom {names[third.key]} stands in (Autumn)"]
    # One who has left the league may still play for another player, and can still subscribe.
    await server.act(league.id, third, Withdraw())
    assert len(await own(third)) == 1
    await server.act(league.id, away, StandIn(fixture.number))
    assert len(await own(away)) == 1
    assert (await server.leagues.show(league.id, third.key)).calendar == ""
