"""Compares the accounts of a match's tables with its log. Pure: it runs in a process of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from server.matches.log.entries import decode
from tests.soak.faults import Outage
from tests.soak.findings import Audited, called
from tests.soak.shown import check_private, check_shown
from tests.soak.timed import check_clocks
from tests.soak.witness import Account
from tests.soak.written import check_written


def audit(
    match: str,
    entries: Sequence[bytes],
    accounts: Sequence[Account],
    secrets: Mapping[str, str],
    outages: Sequence[Outage],
) -> Audited:
    """Hold what all tables of a match tell against its log.

    Args:
        match: the match.
        entries: its whole log.
        accounts: the tables'.
        secrets: what was said in private, each line with the audience that heard it.
        outages: when something was wrong, and when no server ran.
    """
    found = Audited()
    log = [decode(number, payload) for number, payload in enumerate(entries, 1)]
    complaints = [
        *(f"{called(account.audience)}: {wrong}" for account in accounts for wrong in account.wrong),
        *check_written(found, log, accounts),
        *check_shown(found, entries, accounts),
        *check_private(found, accounts, secrets),
        *check_clocks(found, log, accounts, outages),
    ]
    found.compared["matches"] += 1
    found.wrong = [f"{match}: {complaint}" for complaint in complaints]
    return found
