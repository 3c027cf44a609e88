"""The luck ledger: what each roll of a match could be expected to give, and what it gave. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from client_protocol.luck import LuckRow
from server.kernel.ruleset import Ruleset


def ledger(rules: Ruleset, payloads: Sequence[bytes]) -> tuple[LuckRow, ...]:
    """The rolls of a match in order, on the line that was played to the end."""
    raise NotImplementedError
