"""What a player has to play in a league, as a calendar that programs subscribe to (iCalendar, RFC 5545). Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from client_protocol.leagues import FixtureView, LeagueView
from server.leagues.standing_in import seat_holder, sitting

LONGEST = 75
"""The most octets of a line, without its end (RFC 5545, section 3.1)."""
EVENT_MS = 3_600_000
"""How long an event is that ends at a deadline, in ms: one without a length is hard to see in most programs."""
AGAIN = "PT1H"
"""How often programs should ask again."""


def as_calendar(league: LeagueView, player: str, address: str) -> bytes:
    """Return a calendar of the open fixtures with a deadline that a player plays, in their own place or in another player's, and
    of an order on a map that is due: byte for byte the same as long as nothing changes.

    Args:
        league: the league as the player sees it.
        player: their key.
        address: the server's address for links, without a slash at its end; "" if it is not known.
    """
    name = f"{league.terms.name} - Underfire"
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Underfire//Leagues//EN",
        f"NAME:{escaped(name)}",
        f"X-WR-CALNAME:{escaped(name)}",
        f"REFRESH-INTERVAL;VALUE=DURATION:{AGAIN}",
        f"X-PUBLISHED-TTL:{AGAIN}",
    ]
    for fixture in league.fixtures:
        place = seat_holder(fixture, player)
        if place and fixture.state in {"waits", "played"} and fixture.until:
            lines += _fixture(league, player, place, fixture, address)
    if league.map is not None and any(one.player == player and not one.ordered for one in league.map.forces):
        lines += _order(league, player, league.map.until, address)
    lines.append("END:VCALENDAR")
    return b"".join(part for line in lines for part in folded(line))


def _fixture(league: LeagueView, player: str, place: str, fixture: FixtureView, address: str) -> list[str]:
    names = {one.key: one.name for one in league.players}
    meeting = _meeting(fixture, player, place, names)
    round_ = (
        f"Round {fixture.round} of {league.terms.name}." if fixture.round else f"A challenge in {league.terms.name}."
    )
    open_ = "The match has begun." if fixture.match else "The match is made when the first of you presses Play."
    uid = f"{fixture.number}-{player[:16]}"
    return _event(league, uid, fixture.until, f"Play {meeting}", f"{round_} This is the deadline. {open_}", address)


def _order(league: LeagueView, player: str, until: int, address: str) -> list[str]:
    """Return the event of an order that is due; none without a deadline."""
    if not until or league.state == "over":
        return []
    about = f"Turn {league.round} of {league.terms.name}. This is the deadline. Without an order your force stays."
    return _event(league, f"turn-{league.round}-{player[:16]}", until, "Give the order for your force", about, address)


def _event(league: LeagueView, uid: str, until: int, summary: str, about: str, address: str) -> list[str]:
    link = f"{address}/#/league/{league.id}" if address else ""
    revised = league.news[0].at if league.news else league.made_at
    return [
        "BEGIN:VEVENT",
        f"UID:{league.id}-{uid}@underfire",
        f"DTSTAMP:{_moment(revised)}",
        f"DTSTART:{_moment(until - EVENT_MS)}",
        f"DTEND:{_moment(until)}",
        f"SUMMARY:{escaped(f'{summary} ({league.terms.name})')}",
        f"DESCRIPTION:{escaped(f'{about} {link}'.strip())}",
        # A deadline takes none of the player's time.
        "TRANSP:TRANSPARENT",
        *([f"URL:{link}"] if link else []),
        "END:VEVENT",
    ]


def _meeting(fixture: FixtureView, player: str, place: str, names: dict[str, str]) -> str:
    """Return whom a player meets in a fixture that they play in the place of one of its players."""
    other = next((key for key in fixture.players if key != place), "")
    by = sitting(fixture, other)
    instead = f", for whom {names[by]} stands in" if by != other and by in names else ""
    own = f"for {names.get(place, '')} " if place != player else ""
    return f"{own}against {names.get(other, '')}{instead}"


def _moment(ms: int) -> str:
    """Return a moment in UTC (RFC 5545, section 3.3.5, form 2)."""
    return dt.datetime.fromtimestamp(ms // 1000, dt.UTC).strftime("%Y%m%dT%H%M%SZ")


def escaped(text: str) -> str:
    """Return a text as a value (RFC 5545, section 3.3.11). Control characters but line breaks are not allowed there."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for sign in "\\;,":
        text = text.replace(sign, f"\\{sign}")
    # U+0085 and U+2028 are line ends to some programs, though not to the standard.
    text = text.replace("\x85", "\n").replace("\u2028", "\n").replace("\u2029", "\n").replace("\n", "\\n")
    return "".join(sign for sign in text if sign >= " " and sign != "\x7f")


def folded(line: str) -> Iterator[bytes]:
    """Yield a content line as the lines of a file: long ones go on in lines that begin with a blank (RFC 5545, section 3.1). No
    character is divided.
    """
    part = b""
    for sign in line:
        octets = sign.encode()
        if len(part) + len(octets) > LONGEST:
            yield part + b"\r\n"
            part = b" "
        part += octets
    yield part + b"\r\n"
