"""Taking in a match file: checked without its secret, made a match of this server, and gone on with if it is not over."""

from __future__ import annotations

import contextlib
import hashlib
import secrets
from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.from_server import MatchInfo, MatchMade, Pass, Refused
from server.kernel.desk_facts import ClockSet, DeskFact, DiceRenewed
from server.kernel.errors import RulesetError
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.matches.log.entries import SALT_BYTES, Aside, LogError, Opened, Rewound, decode
from server.matches.log.finding import Wrong
from server.matches.log.fold import Fold
from server.matches.log.match_file import ArchiveError, read
from server.matches.log.secrets import new_token
from server.matches.log.signatures import origin_fields
from server.matches.projections.summary import match_info
from server.matches.setup.creation import fields
from server.matches.shared_summaries import Notes
from server.matches.verify.bounds import OutOfBounds, check_entries, check_position, check_state
from server.matches.verify.match_file import checked
from server.store.errors import MatchExists, MatchRemoved, StoreError, StoreUnavailable
from server.store.store import MatchStore
from server.work.desk import RulesOf


class Unfit(Exception):  # noqa: N818 - it is a finding
    """A file that cannot be taken in; the message is a sentence."""


class Imported(Struct, frozen=True):
    """A match to be restored: its log, with what another server has to add to it, and what only this server knows of it."""

    match: str
    made_at: int
    entries: tuple[bytes, ...]
    answers: Mapping[str, int]
    meta: Mapping[str, bytes]
    passes: tuple[Pass, ...]


def prepare(
    data: bytes, rules_of: Callable[[str], Ruleset | None], up: int, now: int, *, invites: bool = True
) -> Imported:
    """Make a match of this server of a match file.

    One that is over is taken in as it is. Another one goes on with dice of this server's own, and everybody sits down anew: its
    secret is the other server's, and only who holds an invite made here may be trusted with a seat.

    Args:
        data: the file.
        rules_of: gives the rules of an edition, if they are here.
        up: this server's up-time in milliseconds; the clocks go on from there, and show what they showed.
        now: milliseconds since 1970.
        invites: whether anybody may sit down; else the match is only to be looked at.

    Raises:
        Unfit: it is none, something in it is wrong, or this server cannot play it.
    """
    try:
        _check_bounds(data, rules_of)
        report, archive, fold = checked(data, rules_of)
        check_state(fold.state)
        check_state(fold.boundary)
    except Wrong as wrong:
        raise Unfit(f"This match file is not in order: {str(wrong).rstrip('.')}.") from wrong
    except OutOfBounds as error:
        raise Unfit(str(error)) from error
    entries = list(archive.entries)
    meta: dict[str, bytes] = {}
    passes: tuple[Pass, ...] = ()
    if report.ended:
        if not archive.secret:
            raise Unfit("This match is over, and its dice secret not published yet: export it again in a moment.")
        meta["secret"] = bytes.fromhex(archive.secret)
    else:
        secret = secrets.token_bytes(32)
        passes = tuple(Pass(seat, invite=new_token()) for seat in fold.seats) if invites else ()
        meta = {"secret": secret, **fields(passes, "")}
        aside = Aside(_taken_over(fold.state, secret, up))
        entries.append(fold.entry(aside, now, secrets.token_bytes(SALT_BYTES)))
    # What came in with a file is never signed as if it had been played here.
    meta |= origin_fields(len(archive.entries), archive.signatures)
    made_at = min(max(0, fold.made_at), now)
    return Imported(fold.opened.match, made_at, tuple(entries), answers(entries), meta, passes)


def answers(entries: list[bytes]) -> dict[str, int]:
    """The versions of the answers that a log holds, by answer id."""
    found: dict[str, int] = {}
    for number, payload in enumerate(entries, 1):
        body = decode(number, payload).body
        if not isinstance(body, Opened | Rewound) and body.answer:
            found[body.answer] = number
    return found


async def keep(
    store: MatchStore, id_: str, found: Imported, info: MatchInfo | None, *, listed: bool
) -> MatchMade | Refused:
    """Put a match that is ready into the store, for the message `id_`; `info` is how the list shows it."""
    try:
        await store.restore(found.match, found.made_at, found.meta, found.entries, found.answers)
        if info is not None:
            # If that fails, it comes into the list when something happens in it.
            with contextlib.suppress(StoreError):
                await Notes(store).put(info, listed=listed)
    except MatchExists as error:
        sentence = f"The match {error.match_id} is on this server already, and cannot be taken in a second time."
        return Refused(id_, "match_exists", sentence)
    except MatchRemoved as error:
        return Refused(id_, "removed", f"{error} It cannot be taken in again.")
    except StoreUnavailable:
        return Refused(id_, "database_away", "The database is away: no match can be taken in now.")
    except StoreError as error:
        return Refused(id_, "bad_file", f"This match cannot be taken in: {error}")
    return MatchMade(id_, found.match, found.passes)


def noted(found: Imported, rules_of: Callable[[str], Ruleset | None]) -> tuple[MatchInfo | None, bool]:
    """How the start page lists the match (None: this server cannot say), and whether it does."""
    fold = Fold(found.entries[0])
    for payload in found.entries[1:]:
        fold.add(payload)
    rules = rules_of(fold.opened.edition)
    return None if rules is None else match_info(fold, None, 0, rules), fold.opened.listed


def _taken_over(state: State, secret: bytes, up: int) -> tuple[DeskFact, ...]:
    """What another server that goes on with a match says: dice of its own, and the clocks as they stood, with nobody here."""
    renewed = DiceRenewed(hashlib.sha256(secret).hexdigest())
    clock = state.desk.clock
    if clock is None:
        return (renewed,)
    return (renewed, ClockSet(replace(clock, at=up, here={}, away=())))


def _check_bounds(data: bytes, rules_of: Callable[[str], Ruleset | None]) -> None:
    """Look at all that the file holds before any of it is played again."""
    try:
        entries = read(data).entries
        opened = check_entries(entries)
    except (ArchiveError, LogError):
        return  # the check names what is wrong, and where
    rules = rules_of(opened.edition)
    if rules is None:
        raise Unfit(f"This server has no edition {opened.edition!r}, of which this match is.")
    check_position(opened, rules)


def match_prepared(
    rules_of: RulesOf, data: bytes, up: int, now: int, *, invites: bool = True
) -> tuple[Imported, MatchInfo | None, bool] | str:
    """A match file as `prepare` makes it ready, how the list shows it, and whether it does; or why it is unfit."""

    def find(edition: str) -> Ruleset | None:
        try:
            return rules_of(edition)
        except RulesetError:
            return None

    try:
        found = prepare(data, find, up, now, invites=invites)
    except Unfit as unfit:
        return str(unfit)
    return (found, *noted(found, find))
