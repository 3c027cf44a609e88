"""What a check of a league file has found."""

from __future__ import annotations

from msgspec import Struct

from server.matches.log.signatures import Signature


class LeagueReport(Struct, frozen=True):
    """The result of checking a valid league file.

    Attributes:
        league: the league's id.
        name: its name.
        entries: how many entries there are.
        rounds: how many rounds there are; with the rules, they were drawn again with the same fixtures.
        steps: how many steps after battles follow from the rules.
        dice: how many dice were derived again.
        sealed: how many dice have a secret that is not revealed yet.
        rules: whether the rules of its edition are installed here: without them it is not checked what players may do.
        versions: those of the rules that decided.
        differences: what the rules that are installed here would have decided otherwise, where another version decided: the
            numbers of the entries, each with what differs.
        matches: the matches whose files were checked against its results.
        missing: the matches of results whose files were not there.
        hashes: those of the entries, in order; the last one is the file's head.
        signatures: all valid.
    """

    league: str
    name: str
    entries: int
    rounds: int
    steps: int
    dice: int
    sealed: int
    rules: bool
    versions: tuple[str, ...]
    differences: tuple[tuple[int, str], ...]
    matches: tuple[str, ...]
    missing: tuple[str, ...]
    hashes: tuple[bytes, ...]
    signatures: tuple[Signature, ...]
