"""The operator's policy for matches that are not played any more: they are warned of, and concluded at the date that was told.

It counts days of the calendar, as it is about memory on a disk and not about fairness between players; what clocks and
`abandonment` count is up-time. Pure.
"""

from __future__ import annotations

from msgspec import Struct

from client_protocol.from_server import Refused
from server.kernel.clocks import run_out
from server.kernel.desk_facts import DormancyTold
from server.matches.log.entries import Aside, Body, Ended
from server.matches.log.fold import Fold
from server.matches.log.names import player, side_of, span
from server.matches.play.referee import Referee
from server.matches.play.verdicts import Verdict

DAY_MS = 86_400_000
CONCLUDED = "~concluded"
"""The store's answer id of the end by this policy."""


class Dormancy(Struct, frozen=True):
    """A match is concluded after `days` days without an entry that all notice, and warned of `warning` days before (0 days:
    never).
    """

    days: int = 0
    warning: int = 14

    def warned_at(self, fold: Fold) -> int:
        """Return the time (ms since 1970) from which a match is to be warned of."""
        return fold.lived_at + (self.days - self.warning) * DAY_MS

    def due_at(self, fold: Fold) -> int:
        """Return the time (ms since 1970) from which something is to be done with a match that is not over."""
        return fold.concludes or self.warned_at(fold)

    def answer_id(self, fold: Fold, number: int) -> str:
        """Return the store's answer id of what is due after the entry `number`: of two servers that add it at once, one does."""
        return CONCLUDED if fold.concludes else f"~dormant:{number}"

    def due(self, referee: Referee, number: int, now: int, up: int) -> Verdict:
        """Return the entry that is due, the warning or the end, or why there is none.

        Args:
            referee: the match.
            number: the entry that was its last one when it was found; if there is a later one, nothing is due now.
            now: milliseconds since 1970.
            up: the up-time in milliseconds.
        """
        fold = referee.fold
        if fold.state.result is not None:
            return Refused("", "match_not_running", "The match is over.")
        if not self.days or fold.number != number or now < self.due_at(fold):
            return Refused("", "not_yet", "The match is still played.")
        if not fold.concludes:
            # However long ago the last entry was: players have all the days of the warning to come back.
            until = max(fold.lived_at + self.days * DAY_MS, now + self.warning * DAY_MS)
            return Aside((DormancyTold(until),), "", self.answer_id(fold, number))
        return concluded(referee, self.days, up)


def concluded(referee: Referee, days: int, up: int) -> Body:
    """Return the end of a match that was not played for so many days. It has no winner, unless its clock gives the game to the
    only side that has time left.
    """
    state, clock = referee.fold.state, referee.fold.state.desk.clock
    silence = f"Nothing happened in this match for {span(days * 86_400)}"
    if clock is not None and not clock.paused and clock.terms.at_zero == "claim":
        running = referee.running
        late = {*clock.up, *run_out(clock, running, up)} & set(running)
        left = [side.seat for side in state.sides.values() if side.seat not in {*late, *state.desk.conceded}]
        if late and len(left) == 1:
            names = " and ".join(player(state, seat) for seat in sorted(late))
            verb = "has" if len(late) == 1 else "have"
            reason = f"{silence}: {names} {verb} no time left, and the game is {player(state, left[0])}'s."
            return Ended(side_of(state, left[0]), reason, "time", "", CONCLUDED)
    return Ended("", f"{silence}: the server has concluded it, without a winner.", "abandonment", "", CONCLUDED)


def was_concluded(fold: Fold) -> bool:
    """Return whether a match was ended by this policy."""
    return fold.answers.get(CONCLUDED) is not None
