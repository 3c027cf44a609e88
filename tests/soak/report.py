"""The figures of a soak."""

from __future__ import annotations

import time
from dataclasses import dataclass

from tests.soak.auditor import Auditor
from tests.soak.faults import Faults

MOST_TOLD = 20


@dataclass
class Report:
    """What a soak came to; as a text it is what the command prints."""

    seed: int
    began: float
    """By the monotonic clock, in seconds."""
    auditor: Auditor
    faults: Faults

    @property
    def wrong(self) -> list[str]:
        """Everything that was found to be wrong."""
        return self.auditor.found.wrong

    def __str__(self) -> str:
        auditor, faults, found = self.auditor, self.faults, self.auditor.found
        site = faults.site
        rows = [
            ("matches played", found.compared["matches"]),
            *((f"  {edition}", count) for edition, count in sorted(auditor.editions.items())),
            ("  played to their end", auditor.finished),
            ("  files verified", auditor.verified),
            ("answers", auditor.answers),
            *((f"answers sent again, {way}", count) for way, count in sorted(auditor.sent_again.items())),
            *((name, count) for name, count in sorted(found.compared.items()) if name != "matches"),
            ("replays compared", auditor.replayed),
            ("steps published to the broker", auditor.follower.published),
            ("  of these again", auditor.follower.again),
            ("reconnects", auditor.reconnects),
            *((f"fault: {name}", count) for name, count in sorted(faults.done.items())),
            *faults.small.again.items(),
            ("servers started after a fault", faults.restarts),
            ("lost", found.lost),
            ("applied twice", found.doubled),
            ("wrong in all", len(found.wrong)),
        ]
        took = time.monotonic() - self.began
        whose = "a database that they share" if site.database == "embedded" else "a database of its own"
        told = [f"A soak of {took:.0f} s with the seed {self.seed}, {len(site.servers)} servers and {whose}:"]
        told += [f"{count:>12,}  {name}" for name, count in rows]
        told.append(f"The slowest recovery took {faults.slowest:.1f} s, after this: {faults.slowest_kind}.")
        told.append(f"The last frame of a match was published {auditor.follower.slowest:.1f} s after it at the latest.")
        return "\n".join([*told, *found.wrong[:MOST_TOLD]])
