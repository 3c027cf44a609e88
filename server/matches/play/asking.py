"""What is open to a seat of a match, and whether it may be answered so. Nothing changes by asking."""

from __future__ import annotations

from collections.abc import Callable

from client_protocol.choices import Picked
from client_protocol.from_server import Refused
from server.kernel.answers.check import Asked, check
from server.kernel.belief import believed
from server.matches.play.referee import Referee


class Asking:
    """The decisions of one match, for those who would answer them.

    Args:
        referee: the rules on the match's log, up to date.
        stuck: why the match has stopped for good; "" while it goes on.
    """

    def __init__(self, referee: Referee, stuck: Callable[[], str]) -> None:
        self._referee = referee
        self._stuck = stuck

    def asked(self, seat: str, id_: str, prompt: str, picked: Picked) -> Asked | Refused:
        """What is open to `seat`, if it is the prompt that its message `id_` means, and `picked` is a legal answer to it."""
        asked = self._open(seat, id_, prompt)
        if isinstance(asked, Refused):
            return asked
        found = check(believed(self._referee.fold.state, seat), asked, picked)
        if found is None:
            return asked
        return Refused(id_, found.code, found.sentence, found.rule or asked.rule, found.where, found.figure)

    def not_running(self, id_: str) -> Refused:
        """The refusal of the message `id_`, which wants what can only be had while the match is played."""
        if self._referee.trouble:
            sentence = "Another version of the rules plays this match now; load the page again."
        elif self._referee.fold.state.result is not None:
            sentence = "The match is over."
        else:
            sentence = "The match has not begun: not every seat is taken and ready."
        return Refused(id_, "match_not_running", sentence)

    def _open(self, seat: str, id_: str, prompt: str) -> Asked | Refused:
        fold, ask, stuck = self._referee.fold, self._referee.ask, self._stuck()
        if stuck:
            return Refused(id_, "match_not_running", f"This match has stopped: {stuck}.")
        if self._referee.trouble or ask is None:
            return self.not_running(id_)
        if seat not in ask.seats:
            deciding = ", ".join(sorted(ask.seats))
            return Refused(id_, "not_your_prompt", f"It is not for this seat to decide now, but for {deciding}.")
        if prompt != fold.prompt_id(seat):
            return Refused(id_, "prompt_closed", "That has been decided already; another decision is open now.")
        return ask.seats[seat]
