"""The operator's policy for stalled matches without a clock."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from msgspec import Struct

from server.matches.log.entries import Body, Ended, Stepped
from server.matches.log.fold import Fold
from server.matches.log.names import player, span


class Abandonment(Struct, frozen=True):
    """After `seconds` without the decision that is due, nothing happens ("never"), the others may claim the game ("claim"),
    or it ends as a draw ("draw"). Time stands still while no server is up.
    """

    then: Literal["never", "claim", "draw"] = "never"
    seconds: int = 0

    def since(self, fold: Fold) -> int | None:
        """Return the up-time (ms) from which the match counts as abandoned; None: never."""
        clock = fold.state.desk.clock
        if self.then == "never" or fold.state.result is not None or (clock is not None and not clock.paused):
            return None
        return fold.up + self.seconds * 1000

    def ending(self, fold: Fold, running: Collection[str], up: int) -> Ended | None:
        """Return the end that is due by now without being claimed, if there is one."""
        since = self.since(fold)
        if self.then != "draw" or since is None or up < since or not running:
            return None
        names = " and ".join(player(fold.state, seat) for seat in running)
        reason = f"{names} did not decide for {span(self.seconds)}: the match is off."
        return Ended("", reason, "abandonment", "", f"~abandoned:{fold.number}")

    def deadline(self, fold: Fold, body: Body | None, running: Collection[str]) -> int | None:
        """Return the up-time (ms) at which the match ends as abandoned, once `body`'s entry (None: the last one) is there."""
        if self.then != "draw" or isinstance(body, Ended) or not (running or isinstance(body, Stepped)):
            return None
        since = self.since(fold)
        if since is None:
            return None
        # A replaced sealed answer has no time, so that the others cannot notice it.
        return body.up + self.seconds * 1000 if isinstance(body, Stepped) and body.up else since

    def sentence(self) -> str:
        """Return the policy in a sentence; "" for none."""
        if self.then == "never":
            return ""
        then = "the others may claim the game" if self.then == "claim" else "the game is a draw"
        return f"In a match without a clock, {then} if a decision is not made for {span(self.seconds)}."
