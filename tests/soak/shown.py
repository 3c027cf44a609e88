"""Each table was shown the projection of the log for its audience, to the field; and nothing that others said in private."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from client_protocol import codec
from client_protocol.choices import Prompt
from client_protocol.from_server import ServerMessage, Snapshot, Update
from client_protocol.view import View
from server.matches.log.audiences import text_of
from server.matches.log.fold import Fold
from server.matches.play.referee import Referee
from server.matches.projections.frames import Teller
from server.rulesets.library import edition
from tests.soak.findings import Audited, called
from tests.soak.witness import Account

State: TypeAlias = tuple[View, Prompt | None]
"""What a table made of all that it was sent: its view and its prompt."""


class _Seen:
    """What the tables were shown and the log has not made yet."""

    def __init__(self, accounts: Sequence[Account]) -> None:
        self.updates: dict[tuple[str, int], Update] = {}
        self.snapshots: dict[tuple[str, int], list[Snapshot]] = defaultdict(list)
        self.states: dict[tuple[str, int], list[State]] = defaultdict(list)
        for account in accounts:
            self.updates.update({(account.audience, seq): update for seq, update in account.updates.items()})
            for snapshot in account.snapshots:
                self.snapshots[account.audience, snapshot.seq].append(snapshot)
            for seq, state in account.states.items():
                self.states[account.audience, seq].append(state)


def check_shown(found: Audited, entries: Sequence[bytes], accounts: Sequence[Account]) -> Iterator[str]:
    """Fold the log again, and compare each frame and each snapshot with what is due there; gives what is wrong."""
    seen = _Seen(accounts)
    fold = Fold(entries[0])
    # No die is drawn here, so the secret is not needed.
    referee = Referee(edition(fold.opened.edition), bytes(32), fold)
    teller = Teller(referee.rules, fold, referee.ask)
    yield from _snapshots(found, teller, fold, seen)
    for payload in entries[1:]:
        added = referee.take(payload, own=False)
        if referee.trouble:
            yield f"entry {fold.number}: the rules cannot follow: {referee.trouble}"
            return
        for frame in teller.tell(added, referee.ask):
            yield from _frame(found, text_of(frame.audience), frame.update, seen)
        yield from _snapshots(found, teller, fold, seen)
    for audience, seq in (*seen.updates, *seen.snapshots, *seen.states):
        found.lost += 1
        yield f"{called(audience)} was shown frame {seq}, which the log does not make"


def _frame(found: Audited, audience: str, update: Update, seen: _Seen) -> Iterator[str]:
    shown, due = seen.updates.pop((audience, update.seq), None), as_sent(update)
    if shown is None:
        found.compared["frames missed, and made up for by a snapshot"] += 1
        return
    found.compared["frames"] += 1
    if shown != due:
        yield f"frame {update.seq} of {called(audience)} was {shown}, and is due as {due}"


def _snapshots(found: Audited, teller: Teller, fold: Fold, seen: _Seen) -> Iterator[str]:
    """Compare the snapshots that were sent at these frames, and what tables had made of what they were sent until then."""
    for audience in fold.audiences:
        place = text_of(audience), fold.seqs[audience]
        shown, states = seen.snapshots.pop(place, []), seen.states.pop(place, [])
        due = as_sent(teller.snapshot(audience)) if shown or states else None
        for snapshot in shown:
            found.compared["snapshots"] += 1
            if snapshot != due:
                yield f"a snapshot of {called(place[0])} was {snapshot}, and is due as {due}"
        for state in states:
            found.compared["states of tables"] += 1
            assert isinstance(due, Snapshot)
            if state != (due.view, due.prompt):
                yield f"a table of {called(place[0])} at frame {place[1]} had {state}, and is due to have {due}"


def as_sent(message: ServerMessage) -> ServerMessage:
    """A message as it comes out at the other end."""
    return codec.decode_server(codec.encode(message))


def check_private(found: Audited, accounts: Sequence[Account], secrets: Mapping[str, str]) -> Iterator[str]:
    """While a match goes on, what was said in private is in no byte that others were sent.

    Args:
        found: counts what is looked for.
        accounts: the tables'.
        secrets: words that were said in private, each with the audience that heard it.
    """
    for account in accounts:
        ends = [seq for seq, update in account.updates.items() if update.patch.get("result")]
        ends += [snapshot.seq for snapshot in account.snapshots if snapshot.view.result is not None]
        over = min(ends, default=1 << 30)
        parts = [codec.encode(update) for seq, update in account.updates.items() if seq < over]
        parts += [codec.encode(snapshot) for snapshot in account.snapshots if snapshot.view.result is None]
        told = b"\n".join([*parts, *account.others])
        for word, audience in secrets.items():
            found.compared["private lines looked for"] += 1
            if audience != account.audience and word.encode() in told:
                yield f"{called(account.audience)} was told what {called(audience)} said in private: {word}"
