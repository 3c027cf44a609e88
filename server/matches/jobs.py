"""What of a match is done in another process, since it can take long: see `server.work.desk`. Pure.

Each takes the editions first; what follows and what comes back are values.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from client_protocol.messages import (
    Imagine,
    Imagined,
    MatchInfo,
    Refused,
    Remembered,
    SetupChecked,
)
from server.kernel.belief import Audience
from server.kernel.desk_facts import Said
from server.kernel.ruleset import Ruleset, RulesetError
from server.kernel.state import State
from server.matches import archive
from server.matches.entries import Envelope
from server.matches.forking import Fork, fork
from server.matches.imagining import imagine
from server.matches.importing import Imported, Unfit, noted, prepare
from server.matches.notation import notation
from server.matches.positions import check_setup, open_position
from server.matches.reporting import said_in
from server.matches.signatures import Signature
from server.matches.steps_as_cases import step_as_case, text_of
from server.matches.stories import remembered
from server.work.desk import RulesOf


class CaseText(Struct, frozen=True):
    """The text of a case's file."""

    text: str


def setup_checked(rules_of: RulesOf, id_: str, data: bytes) -> SetupChecked:
    """See `positions.check_setup`."""
    return check_setup(rules_of, id_, data)


def position_opened(rules_of: RulesOf, data: bytes) -> State | str:
    """See `positions.open_position`."""
    return open_position(rules_of, data)


def match_prepared(
    rules_of: RulesOf, data: bytes, up: int, now: int, *, invites: bool = True
) -> tuple[Imported, MatchInfo | None, bool] | str:
    """A match file as `importing.prepare` makes it ready, how the list shows it, and whether it does; or why it is unfit."""

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


def told_as_text(rules_of: RulesOf, edition: str, payloads: Sequence[bytes], view: Audience) -> str:
    """See `notation.notation`."""
    return notation(rules_of(edition), payloads, view)


def told_as_case(
    rules_of: RulesOf, edition: str, payloads: Sequence[bytes], view: Audience, frame: int
) -> CaseText | str:
    """The text of `steps_as_cases.step_as_case`; or why there is none."""
    case = step_as_case(rules_of(edition), payloads, view, frame)
    return case if isinstance(case, str) else CaseText(text_of(case))


def recalled(
    rules_of: RulesOf, edition: str, payloads: Sequence[bytes], audience: Audience, before: int, most: int
) -> tuple[tuple[Remembered, ...], bool]:
    """See `stories.remembered`."""
    return remembered(rules_of(edition), payloads, audience, before, most)


def imagined(rules_of: RulesOf, edition: str, believed: State, seat: str, message: Imagine) -> Imagined | Refused:
    """See `imagining.imagine`."""
    return imagine(rules_of(edition), believed, seat, message)


def forked(rules_of: RulesOf, edition: str, payloads: Sequence[bytes], view: Audience, frame: int) -> Fork | str:
    """See `forking.fork`."""
    return fork(payloads, view, frame, orders=bool(rules_of(edition).orders))


def found_said(
    rules_of: RulesOf, payloads: Sequence[bytes], audience: Audience, frame: int
) -> tuple[Envelope, Said] | None:
    """See `reporting.said_in`."""
    return said_in(payloads, audience, frame)


def filed(rules_of: RulesOf, payloads: Sequence[bytes], signatures: tuple[Signature, ...] = ()) -> bytes:
    """See `archive.export`."""
    return archive.export(payloads, signatures)
