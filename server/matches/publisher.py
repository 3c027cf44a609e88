"""The publisher, the last station of an entry: it is in the log and folded, and now its audiences and the match list are
told.
"""

from __future__ import annotations

from collections.abc import Callable

from server.kernel.desk_facts import SeatHere
from server.matches.log.entries import Aside
from server.matches.log.fold import Added
from server.matches.outlet import Outlet
from server.matches.play.presence import Presence
from server.matches.play.referee import Referee
from server.matches.projections.frames import Teller


class Publisher:
    """Publishes the changes of each entry of one match.

    Args:
        referee: the rules on the match's log, up to date.
        teller: makes the frames.
        outlet: sends them.
        presence: the connections of seats on this server; the log names them.
        changed: called after every entry with whether this server wrote it.
    """

    def __init__(
        self, referee: Referee, teller: Teller, outlet: Outlet, presence: Presence, changed: Callable[[bool], None]
    ) -> None:
        self._referee = referee
        self._teller = teller
        self._outlet = outlet
        self._presence = presence
        self._changed = changed
        self._prepared: bytes | None = None
        """The entry of which frames are prepared."""

    def expect(self, payload: bytes) -> None:
        """Prepare publishing an entry that is on its way to the log: no player is told before it is there."""
        self._prepared = None
        expected = self._referee.expect(payload)
        if expected is not None:
            self._outlet.prepare(self._teller.expect(*expected, self._outlet.awaited))
            self._prepared = payload

    def confirm(self, payload: bytes) -> None:
        """Send what was prepared of an entry, which is in the log now: players wait for it. It is published next."""
        if payload is self._prepared:
            self._outlet.send_prepared()

    def publish(self, added: Added, own: bool) -> None:
        """Publish an entry that was just folded; `own` if this server wrote it."""
        self._prepared = None
        for fact in added.envelope.body.facts if isinstance(added.envelope.body, Aside) else ():
            if isinstance(fact, SeatHere):
                self._presence.name(fact.link)
        try:
            self._outlet.publish(self._teller.tell(added, self._referee.ask, self._outlet.awaited))
        except Exception:
            # What a step asks may be made only now.
            if self._referee.doubt():
                self._teller.ask_nothing()
            raise
        self._changed(own)
