"""Matches without a store, whose players also reach agreements on the desk; entries that are due are appended."""

from __future__ import annotations

from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.clocks import ClockTerms
from client_protocol.from_client import Respond
from server.kernel.answers.check import Asked
from server.kernel.belief import believed
from server.kernel.clocks import begun
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.matches.log.entries import Body, Opened, opening, position
from server.matches.log.secrets import Keys, Secrets
from server.matches.play.abandonment import Abandonment
from server.matches.play.agreements import Settling, settling
from server.matches.play.due import due
from server.matches.play.presence import Presence
from tests.support.playing import SECRET, MatchInMemory, Policy

SOON = Abandonment("claim", 10)
"""A policy under which the game of a player who does not decide for ten seconds may be claimed."""


def usual(_state: State, asked: Asked) -> Picked:
    """Return a policy that gives the default answers."""
    return asked.default


class Match(MatchInMemory):
    """A match.

    Args:
        rules: the edition.
        scenario: the scenario in which it begins.
        clock: its clock (None: none).
        secret: the dice secret.
        policy: what seats answer by default.
    """

    def __init__(
        self,
        rules: Ruleset,
        scenario: str,
        *,
        clock: ClockTerms | None = None,
        secret: bytes = SECRET,
        policy: Policy = usual,
    ) -> None:
        super().__init__(rules, scenario, secret)
        self.passed = 0
        """Milliseconds that have passed in addition to the second that each entry takes."""
        self.policy = policy
        if clock is not None:
            fold = self.referee.fold
            desk = replace(fold.state.desk, clock=begun(clock, fold.seats, 0))
            self.reopen(replace(fold.opened, position=position(replace(fold.state, desk=desk))))

    def reopen(self, opened: Opened) -> None:
        """Begin with another first entry."""
        self.entries = [opening(opened, 1000, bytes(16))]
        self.referee = self.again()

    @property
    def up(self) -> int:
        """The up-time (ms)."""
        return 1000 * len(self.entries) + self.passed

    def ready(self) -> Match:
        """Seat all players, and append what is due."""
        self.seat_all()
        self.go_on()
        return self

    def go_on(self) -> None:
        """Append what is due."""
        while True:
            planned = due(self.referee, Secrets(Keys({"secret": self.secret})), Presence(), SOON, lambda: self.up)
            if planned is None:
                return
            self.add(*planned if isinstance(planned, tuple) else (planned,))

    def settle(self, seat: str, message: Settling) -> None:
        """Let a seat make a message of agreements, which must not be refused."""
        done = settling(self.referee, seat, message, f"{seat}:{message.id}", SOON, lambda: self.up)
        assert isinstance(done, Body | tuple), done
        self.add(*done if isinstance(done, tuple) else (done,))
        self.go_on()

    def agree(self, seat: str, message: Settling) -> None:
        """Let all other seats accept what `seat` offers."""
        self.settle(seat, message)
        (offer,) = self.referee.fold.state.desk.offers
        for other in self.referee.fold.seats:
            if other != seat:
                self.accept(other, offer)

    def accept(self, seat: str, offer: str) -> None:
        """Let a seat accept an offer."""
        self.settle(seat, Respond(f"yes-{seat}-{offer}", offer, accept=True))

    def give(self, seat: str, picked: Picked | None = None) -> None:
        """Let a seat answer; by default what its policy says."""
        assert self.referee.ask is not None, "no seat is asked"
        asked = self.referee.ask.seats[seat]
        self.answer(seat, picked or self.policy(believed(self.referee.fold.state, seat), asked))
        self.go_on()

    @property
    def next(self) -> str:
        """The first seat that is asked and has not answered, or ""."""
        ask, sealed = self.referee.ask, self.referee.fold.state.sealed
        return next((seat for seat in ask.seats if seat not in sealed), "") if ask is not None else ""

    def until(self, title: str) -> str:
        """Play on until a seat is asked this, and return that seat."""
        while self.next:
            assert self.referee.ask is not None, "a seat is asked"
            for seat, asked in self.referee.ask.seats.items():
                if asked.title == title:
                    return seat
            self.give(self.next)
        raise AssertionError(f"no seat was asked: {title}")

    def turns(self, number: int) -> Match:
        """Play on until turn `number` begins."""
        while self.next and self.referee.fold.state.turn.number < number:
            self.give(self.next)
        return self

    def finish(self, policy: Policy | None = None) -> Match:
        """Play to the end."""
        self.policy = policy or self.policy
        while self.next:
            self.give(self.next)
        return self
