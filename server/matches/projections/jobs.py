"""Projections that are computed in another process, since they can take long: see `server.work.desk`. Pure.

Each takes the editions first; the other arguments and the results are plain values.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from client_protocol.from_client import AskWhatIf
from client_protocol.from_server import Refused, Remembered, WhatIf
from server.kernel.belief import Audience
from server.kernel.desk_facts import Said
from server.kernel.state import State
from server.matches.log import match_file
from server.matches.log.entries import Envelope
from server.matches.log.signatures import Signature
from server.matches.projections.luck import luck_by_side
from server.matches.projections.notation import notation
from server.matches.projections.reports import said_in
from server.matches.projections.steps_as_cases import step_as_case, text_of
from server.matches.projections.story import remembered
from server.matches.projections.what_if import what_if
from server.work.desk import RulesOf


class CaseText(Struct, frozen=True):
    """The text of a case's file."""

    text: str


def told_as_text(rules_of: RulesOf, edition: str, payloads: Sequence[bytes], view: Audience) -> str:
    """See `notation.notation`."""
    return notation(rules_of(edition), payloads, view)


def told_as_case(
    rules_of: RulesOf, edition: str, payloads: Sequence[bytes], view: Audience, frame: int
) -> CaseText | str:
    """Return the text of `steps_as_cases.step_as_case`; or why there is no such case."""
    case = step_as_case(rules_of(edition), payloads, view, frame)
    return case if isinstance(case, str) else CaseText(text_of(case))


def luck_summed(rules_of: RulesOf, edition: str, payloads: Sequence[bytes]) -> dict[str, int]:
    """See `luck.luck_by_side`."""
    return luck_by_side(rules_of(edition), payloads)


def recalled(
    rules_of: RulesOf, edition: str, payloads: Sequence[bytes], audience: Audience, before: int, most: int
) -> tuple[tuple[Remembered, ...], bool]:
    """See `story.remembered`."""
    return remembered(rules_of(edition), payloads, audience, before, most)


def what_if_of(rules_of: RulesOf, edition: str, believed: State, seat: str, message: AskWhatIf) -> WhatIf | Refused:
    """See `projections.what_if`."""
    return what_if(rules_of(edition), believed, seat, message)


def found_said(
    rules_of: RulesOf, payloads: Sequence[bytes], audience: Audience, frame: int
) -> tuple[Envelope, Said] | None:
    """See `reports.said_in`."""
    return said_in(payloads, audience, frame)


def filed(rules_of: RulesOf, payloads: Sequence[bytes], signatures: tuple[Signature, ...] = ()) -> bytes:
    """See `match_file.export`."""
    return match_file.export(payloads, signatures)
