"""Reports of chat for whoever runs the server: what was said, by whom, and why somebody reports it. Pure.

They are no part of the match: its log is published in the end, and who reports somebody is nobody else's concern.
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
    watcher).
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
    """The entry behind a frame of an audience, and what was said in it; None when nothing was."""
    fold = Fold(payloads[0])
    for payload in payloads[1:]:
        added = fold.add(payload)
        if audience in added.noticing and fold.seqs[audience] == frame:
            body = added.envelope.body
            said = body.said if isinstance(body, Aside) else None
            return None if said is None else (added.envelope, said)
    return None


def note(report: ReportNote) -> bytes:
    """A report as it is kept; one that is sent twice is the same to the byte."""
    return msgspec.json.encode(report)


def about(report: ReportNote) -> str:
    """What is reported, and by whom: a second report of the same is none."""
    return f"{report.match}:{report.entry}:{report.by}"


def read(kept: bytes) -> ReportNote:
    """A report that was kept. Raises `msgspec.DecodeError`."""
    return msgspec.json.decode(kept, type=ReportNote)
