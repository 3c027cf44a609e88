"""Reports of chat for whoever runs the server: what was said, by whom, and why somebody reports it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from server.kernel.desk_facts import Reported, Said
from server.matches.entries import Aside
from server.matches.log import Fold


class ReportNote(Struct, frozen=True):
    """A report as the operator reads it. `at` is when it was made (ms since 1970), `by` the seat that made it ("": a watcher)."""

    match: str
    entry: int
    seat: str
    name: str
    text: str
    by: str
    reason: str
    at: int


def said_in(payloads: Sequence[bytes], audience: str, frame: int) -> tuple[int, Said] | None:
    """The number of the entry behind a frame of an audience, and what was said in it; None when nothing was."""
    fold = Fold(payloads[0])
    for payload in payloads[1:]:
        added = fold.add(payload)
        if audience in added.noticing and fold.seqs[audience] == frame:
            body = added.envelope.body
            said = body.said if isinstance(body, Aside) else None
            return None if said is None else (added.envelope.number, said)
    return None


def note_of(match: str, name: str, said: Said, reported: Reported, at: int) -> bytes:
    """A report as it is kept; `name` is what the speaker is called."""
    note = ReportNote(match, reported.entry, said.seat, name, said.text, reported.seat, reported.reason, at)
    return msgspec.json.encode(note)


def read(note: bytes) -> ReportNote:
    """A report that was kept. Raises `msgspec.DecodeError`."""
    return msgspec.json.decode(note, type=ReportNote)
