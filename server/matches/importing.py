"""Importing a match file: checking it without its secret, making it a match of this server, and continuing it if it is not
over.
"""

from __future__ import annotations

import contextlib
import hashlib
import secrets
from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.from_server import MatchMade, MatchSummary, Pass, Refused
from server.kernel.desk_facts import ClockSet, DeskFact, DiceRenewed
from server.kernel.errors import RulesetError
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.matches.log.entries import SALT_BYTES, Aside, LogError, Opened, Rewound, decode
from server.matches.log.finding import Wrong
from server.matches.log.fold import Fold
from server.matches.log.match_file import MatchFileError, read
from server.matches.log.secrets import new_token
from server.matches.log.signatures import origin_fields
from server.matches.projections.summary import match_summary
from server.matches.setup.creation import fields
from server.matches.shared_summaries import SharedSummaries
from server.matches.verify.bounds import OutOfBounds, check_entries, check_position, check_state
from server.matches.verify.match_file import checked
from server.store.errors import MatchExists, MatchRemoved, StoreError, StoreUnavailable
from server.store.store import MatchStore
from server.work.desk import RulesOf


class Unfit(Exception):  # noqa: N818 - it is a finding
    """A file that cannot be imported; the message is a sentence."""


class Imported(Struct, frozen=True):
    """A match to be restored: its log, with the entries that another server must add to it, and its private fields."""

    match: str
    made_at: int
    entries: tuple[bytes, ...]
    answers: Mapping[str, int]
    meta: Mapping[str, bytes]
    passes: tuple[Pass, ...]


def prepare(
    data: bytes, rules_of: Callable[[str], Ruleset | None], up: int, now: int, *, invites: bool = True
) -> Imported:
    """Turn a match file into a match of this server.

    A match that is over is imported as it is. Any other goes on with dice of this server's own, and all players take their
    seats again: the seat tokens are the other server's, and only holders of invites made here can be trusted with a seat.

    Args:
        data: the file.
        rules_of: gives the rules of an edition, if they are here.
        up: this server's up-time in milliseconds; the clocks go on from there, and show what they showed.
        now: milliseconds since 1970.
        invites: whether players may take seats; otherwise the match can only be watched.

    Raises:
        Unfit: the file is not a match file, is wrong somewhere, or this server cannot play the match.
    """
    try:
        _check_bounds(data, rules_of)
        report, file, fold = checked(data, rules_of)
        check_state(fold.state)
        check_state(fold.boundary)
    except Wrong as wrong:
        raise Unfit(f"This match file is not in order: {str(wrong).rstrip('.')}.") from wrong
    except OutOfBounds as error:
        raise Unfit(str(error)) from error
    entries = list(file.entries)
    meta: dict[str, bytes] = {}
    passes: tuple[Pass, ...] = ()
    if report.ended:
        if not file.secret:
            raise Unfit("This match is over, and its dice secret not published yet: export it again in a moment.")
        meta["secret"] = bytes.fromhex(file.secret)
    else:
        secret = secrets.token_bytes(32)
        playing = [seat for seat in fold.seats if seat not in fold.state.desk.machines]
        passes = tuple(Pass(seat, invite=new_token()) for seat in playing) if invites else ()
        meta = {"secret": secret, **fields(passes, "")}
        aside = Aside(_taken_over(fold.state, secret, up))
        entries.append(fold.entry(aside, now, secrets.token_bytes(SALT_BYTES)))
    # What came in with a file is never signed as if it had been played here.
    meta |= origin_fields(len(file.entries), file.signatures)
    made_at = min(max(0, fold.made_at), now)
    return Imported(fold.opened.match, made_at, tuple(entries), answers(entries), meta, passes)


def answers(entries: list[bytes]) -> dict[str, int]:
    """Return the versions of the answers that a log holds, by answer id."""
    found: dict[str, int] = {}
    for number, payload in enumerate(entries, 1):
        body = decode(number, payload).body
        if not isinstance(body, Opened | Rewound) and body.answer:
            found[body.answer] = number
    return found


async def keep(
    store: MatchStore, id_: str, found: Imported, summary: MatchSummary | None, *, listed: bool
) -> MatchMade | Refused:
    """Store a prepared match, for the message `id_`; `summary` is its row in the list, None: this server cannot make one."""
    try:
        await store.restore(found.match, found.made_at, found.meta, found.entries, found.answers)
        if summary is not None:
            # If this fails, the match enters the list with its next entry.
            with contextlib.suppress(StoreError):
                await SharedSummaries(store).put(summary, listed=listed)
    except MatchExists as error:
        sentence = f"The match {error.match_id} is on this server already, and cannot be imported a second time."
        return Refused(id_, "match_exists", sentence, match=error.match_id)
    except MatchRemoved as error:
        return Refused(id_, "removed", f"{error} It cannot be imported again.")
    except StoreUnavailable:
        return Refused(id_, "database_away", "The server cannot reach its database: no match can be imported now.")
    except StoreError as error:
        return Refused(id_, "bad_file", f"This match cannot be imported: {error}")
    return MatchMade(id_, found.match, found.passes)


def noted(found: Imported, rules_of: Callable[[str], Ruleset | None]) -> tuple[MatchSummary | None, bool]:
    """Return the match's row in the start page's list (None: this server cannot make one), and whether it is listed."""
    fold = Fold(found.entries[0])
    for payload in found.entries[1:]:
        fold.add(payload)
    rules = rules_of(fold.opened.edition)
    return None if rules is None else match_summary(fold, None, 0, rules), fold.opened.listed


def _taken_over(state: State, secret: bytes, up: int) -> tuple[DeskFact, ...]:
    """Return the facts by which another server continues a match: a dice secret of its own, the clocks as they stood, all
    seats away.
    """
    renewed = DiceRenewed(hashlib.sha256(secret).hexdigest())
    clock = state.desk.clock
    if clock is None:
        return (renewed,)
    return (renewed, ClockSet(replace(clock, at=up, here={}, away=())))


def _check_bounds(data: bytes, rules_of: Callable[[str], Ruleset | None]) -> None:
    """Check the size and shape of everything in the file before any of it is replayed."""
    try:
        entries = read(data).entries
        opened = check_entries(entries)
    except (MatchFileError, LogError):
        return  # `verify` names what is wrong, and where
    rules = rules_of(opened.edition)
    if rules is None:
        raise Unfit(f"This match is of the edition {opened.edition!r}, which this server does not have.")
    check_position(opened, rules)


def match_prepared(
    rules_of: RulesOf, data: bytes, up: int, now: int, *, invites: bool = True
) -> tuple[Imported, MatchSummary | None, bool] | str:
    """Return a match file as `prepare` makes it, its row in the list, and whether it is listed; or why it is unfit."""

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
