"""Command a running server, with its operator's token (UNDERFIRE_ADMIN_TOKEN, or a file of it in UNDERFIRE_ADMIN_TOKEN_FILE): the
same that the server was started with. What it decides holds on all servers of the same database, except for drain.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException, HTTPMessage
from typing import IO
from urllib.parse import urlsplit

import msgspec

from server import config
from server.console import say
from server.matches.log.names import moment
from server.moderation.commands import (
    HEADER,
    PATH,
    Bans,
    Close,
    Command,
    Done,
    Drain,
    Failed,
    Impose,
    Inspect,
    Inspected,
    Lift,
    List,
    Listed,
    Reply,
    Sanctioned,
    command_in,
    header_of,
    reply_in,
)
from server.moderation.sanctions import Kind
from server.moderation.subjects import AddressSubject, PlayerSubject, SeatSubject, Subject, told

HELP = "command a running server: end matches, mute, ban, drain"
SECONDS = 30.0
"""Seconds that a server may take for a reply."""
_SPAN = re.compile(r"([1-9][0-9]{0,4})([mhd])")


class UnansweredError(ValueError):
    """The server did not reply to a command; the message says why, and what to do."""


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `underfire admin`."""
    parser.add_argument("--url", help="the server (UNDERFIRE_ADMIN_URL, http://localhost:8000)")
    config.add_admin_flag(parser)
    parser.add_argument("--json", action="store_true", help="print the reply as JSON")
    below = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    listing = below.add_parser("list", help="list the newest matches")
    listing.add_argument("--most", type=int, default=50, help="how many (50)")
    listing.set_defaults(command=lambda flags: List(flags.most))
    inspect = below.add_parser("inspect", help="tell more of a match, and who is connected to it at this server")
    inspect.add_argument("match", metavar="MATCH", help="the match's id, as in its links")
    inspect.set_defaults(command=lambda flags: Inspect(flags.match))
    close = below.add_parser("close", help="end a match; it stays, as every match that is over")
    close.add_argument("match", metavar="MATCH", help="the match's id, as in its links")
    close.add_argument("--why", metavar="TEXT", required=True, help="the reason, which its players read")
    close.set_defaults(command=lambda flags: Close(flags.match, flags.why))
    _add_sanction(below, "mute", "take the chat away from a player")
    _add_sanction(below, "ban", "refuse connections of a player, and close those that are open")
    bans = below.add_parser("bans", help="list the bans and mutes that hold")
    bans.set_defaults(command=lambda _flags: Bans())
    drain = below.add_parser("drain", help="send the connections of this one server to other ones, and end it")
    drain.set_defaults(command=lambda _flags: Drain())


def _add_sanction(below: argparse._SubParsersAction[argparse.ArgumentParser], kind: Kind, what: str) -> None:
    """Add the commands that impose and lift a sanction of a kind."""
    impose = below.add_parser(kind, help=what)
    _add_subject(impose)
    impose.add_argument(
        "--for", dest="seconds", type=seconds, default=0, metavar="DURATION", help="30m, 12h, 7d; without it for good"
    )
    impose.set_defaults(command=lambda flags: Impose(kind, _subject(flags), flags.seconds))
    lift = below.add_parser(f"un{kind}", help=f"lift a {kind}")
    _add_subject(lift)
    lift.set_defaults(command=lambda flags: Lift(kind, _subject(flags)))


def _add_subject(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--seat", type=seat, metavar="MATCH/SEAT", help="the player who holds this seat")
    which.add_argument(
        "--player", type=player, metavar="KEY", help="the player with this key, at every seat tied to it"
    )
    which.add_argument("--address", metavar="ADDRESS", help="all who come from it; of IPv6 from its network of 64 bits")


def _subject(flags: argparse.Namespace) -> Subject:
    return flags.seat or flags.player or AddressSubject(flags.address)


def player(text: str) -> PlayerSubject:
    """Return the player whom a word of the command line names."""
    if not re.fullmatch("[0-9a-f]{64}", text):
        raise argparse.ArgumentTypeError(
            "a key has 64 hexadecimal digits: it stands in the address of the player's page"
        )
    return PlayerSubject(text)


def seat(text: str) -> SeatSubject:
    """Return the seat that a word of the command line names."""
    match, _, name = text.partition("/")
    if not match or not name:
        raise argparse.ArgumentTypeError(f"a seat is named as MATCH/SEAT, not {text!r}")
    return SeatSubject(match, name)


def seconds(text: str) -> int:
    """Return the seconds that a word of the command line names."""
    found = _SPAN.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"a duration is written 30m, 12h or 7d, not {text!r}")
    return int(found[1]) * {"m": 60, "h": 3600, "d": 86_400}[found[2]]


def run(flags: argparse.Namespace) -> int:
    """Send the command, and print the reply.

    Raises:
        ConfigError: there is no token.
        UnansweredError: the server gave no reply.
        OSError: the file of the token cannot be read.
    """
    file = flags.admin_token_file or os.environ.get("UNDERFIRE_ADMIN_TOKEN_FILE") or None
    token = config.admin_token(os.environ, file)
    if not token:
        raise config.ConfigError(
            "There is no token: set UNDERFIRE_ADMIN_TOKEN or UNDERFIRE_ADMIN_TOKEN_FILE as for the server."
        )
    command: Command = flags.command(flags)
    try:
        command_in(header_of(command))
    except msgspec.ValidationError as error:
        raise ValueError(f"This command cannot be sent: {error}.") from None
    url = flags.url or os.environ.get("UNDERFIRE_ADMIN_URL") or "http://localhost:8000"
    reply = asked(url, token, command)
    if flags.json:
        say(json.dumps(msgspec.to_builtins(reply)))
    else:
        for line in _lines(reply):
            say(line, error=isinstance(reply, Failed))
    return 1 if isinstance(reply, Failed) else 0


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token is for the named server alone."""

    def redirect_request(
        self,
        req: urllib.request.Request,  # noqa: ARG002 - the library's own arguments
        fp: IO[bytes],  # noqa: ARG002
        code: int,  # noqa: ARG002
        msg: str,  # noqa: ARG002
        headers: HTTPMessage,  # noqa: ARG002
        newurl: str,  # noqa: ARG002
    ) -> None:
        return None


def asked(url: str, token: str, command: Command) -> Reply:
    """Send a command to a server, and return its reply.

    Args:
        url: the server.
        token: its operator's token.
        command: the command.

    Raises:
        UnansweredError: the server gave no reply.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise UnansweredError(f"The server is named as http://localhost:8000, or with https, not {url!r}.")
    request = urllib.request.Request(  # noqa: S310 - of http and https alone
        f"{parts.scheme}://{parts.netloc}{PATH}",
        headers={"Authorization": f"Bearer {token}", HEADER: header_of(command)},
        method="POST",
    )
    # Neither a proxy of the environment nor another server learns the token.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects())
    try:
        with opener.open(request, timeout=SECONDS) as response:
            return reply_in(response.read())
    except urllib.error.HTTPError as error:
        with error:
            return _refused(error, error.read(), url)
    except (OSError, HTTPException) as error:
        raise UnansweredError(f"No server answers at {url}. Does it run, and is this its address?") from error
    except msgspec.DecodeError as error:
        raise UnansweredError(f"What answers at {url} is no server of this version.") from error


def _refused(error: urllib.error.HTTPError, body: bytes, url: str) -> Reply:
    """Return the reply in a response that is no success. Raises `UnansweredError`."""
    try:
        return reply_in(body)
    except msgspec.DecodeError:
        pass
    if error.code == 404:
        raise UnansweredError(
            f"The server at {url} takes no commands here: it was started without a token, or a proxy stands in front of it. "
            "Ask the server itself."
        )
    raise UnansweredError(
        body.decode(errors="replace").strip() or f"The server at {url} answered with status {error.code}."
    )


def _lines(reply: Reply) -> Iterator[str]:
    match reply:
        case Done(sentence) | Failed(sentence):
            yield sentence
        case Listed(matches):
            for one in matches:
                seats = ", ".join(f"{name or 'free'} ({seat})" for seat, _, name in one.seats)
                yield f"{one.match}  {one.state:8}  {moment(one.made_at)}  {one.title} ({one.edition}), turn {one.turn}: {seats}"
            if not matches:
                yield "There are no matches."
        case Inspected():
            yield from _inspected(reply)
        case Sanctioned(sanctions):
            for sanction in sanctions:
                yield (
                    f"{sanction.kind}  {told(sanction.subject)}, since {moment(sanction.since)}"
                    f"{sanction.until_when or ' for good'}"
                )
            if not sanctions:
                yield "There are no bans and no mutes."


def _inspected(reply: Inspected) -> Iterator[str]:
    one = reply.row
    yield f"Match {one.match}: {one.title or 'its log cannot be read here'} ({one.edition or '?'})"
    yield f"  It is {one.state}, in turn {one.turn}, {'listed' if one.listed else 'unlisted'}."
    for name, player in one.players.items():
        yield f"  {name}: {player}"
    yield f"  Made {moment(one.made_at)}; {one.entries} entries, the last one {moment(one.last_at)}."
    if one.result:
        yield f"  {one.result}"
    yield "  Connected at this server:" if reply.present else "  No connection is open at this server."
    for present in reply.present:
        yield f"    {present.seat or present.name or 'a spectator'} from {present.address}"
