"""Reports of chat to the server's operator: what was said, by whom, and the reason. Pure.

Reports are not part of the match: its log is published in the end, and only the operator may know who reported a player.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from server.kernel.belief import Audience
from server.kernel.desk_facts import Said
from server.matches.log.entries import Aside, Envelope
from server.matches.log.fold import Fold


class ReportNote(Struct, frozen=True):
    """A report as the operator reads it: what was said, in which entry and when (ms since 1970), and who reports it ("": a
    spectator).
    """

    match: str
    entry: int
    seat: str
    name: str
    text: str
    at: int
    by: str
    reason: str


def said_in(payloads: Sequence[bytes], audience: Audience, frame: int) -> tuple[Envelope, Said] | None:
    """Return the entry of a frame of an audience, and the chat line in it; None if it has none."""
    fold = Fold(payloads[0])
    for payload in payloads[1:]:
        added = fold.add(payload)
        if audience in added.noticing and fold.seqs[audience] == frame:
            body = added.envelope.body
            said = body.said if isinstance(body, Aside) else None
            return None if said is None else (added.envelope, said)
    return None


def note(report: ReportNote) -> bytes:
    """Return a report as bytes; the same report gives the same bytes."""
    return msgspec.json.encode(report)


def about(report: ReportNote) -> str:
    """Return the key of a report, what is reported and by whom: further reports with the same key are dropped."""
    return f"{report.match}:{report.entry}:{report.by}"


def read(kept: bytes) -> ReportNote:
    """Return a stored report. Raises `msgspec.DecodeError`."""
    return msgspec.json.decode(kept, type=ReportNote)
