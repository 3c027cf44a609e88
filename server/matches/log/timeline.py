"""The folded log kept for replay: the state after every entry. Pure.

It folds the logged facts and never runs the rules: a match that other rules have played is shown as it was.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from server.kernel.belief import EVERYTHING, Audience
from server.kernel.state import State
from server.matches.log.entries import Aside, Body, Rewound, Stepped
from server.matches.log.fold import FOLDED_AT_ONCE, Added, Fold
from server.work.slicing import Sliced


class Timeline:
    """The entries of a match so far, with the state after each.

    Args:
        payload: the first entry. Raises `LogError`, here or in `add`.
    """

    def __init__(self, payload: bytes) -> None:
        self._fold = Fold(payload)
        self.opened = self._fold.opened
        self.commitment = self._fold.commitment
        """The commitment to the dice secret with which the match began."""
        self.added: list[Added] = []
        """The entries after the first one."""
        self._start = self._fold.state
        self._moves: list[int] = []
        """The numbers of the entries that are not asides."""
        self._frames: dict[Audience, list[int]] = {audience: [] for audience in self._fold.audiences}

    @property
    def last(self) -> int:
        """The number of the last entry."""
        return self._fold.number

    @property
    def state(self) -> State:
        """The state after the last entry."""
        return self._fold.state

    def add(self, payloads: Sequence[bytes]) -> Sliced[None]:
        """Add the next entries."""
        for count, payload in enumerate(payloads, 1):
            added = self._fold.add(payload)
            self.added.append(added)
            if not isinstance(added.envelope.body, Aside):
                self._moves.append(self._fold.number)
            for audience in added.noticing:
                self._frames[audience].append(self._fold.number)
            if count % FOLDED_AT_ONCE == 0:
                yield

    def frames(self, view: Audience) -> Sequence[int] | None:
        """Return the entries that make the frames of an audience, in order: the first makes its frame 1. For `EVERYTHING`,
        each entry makes a frame. None: there is no such audience.
        """
        return range(2, self.last + 1) if view == EVERYTHING else self._frames.get(view)

    def after(self, number: int) -> State:
        """Return the state after an entry."""
        if number == self.last:
            return self.state
        return self.added[number - 1].before

    def entry(self, number: int) -> Added:
        """Return an entry other than the first one."""
        return self.added[number - 2]

    def asked(self, frames: Sequence[int], first: int, until: int) -> list[frozenset[str]]:
        """Return the seats that are asked after each frame from `first` to `until`, as far as those frames show it: the seats
        that answer next.

        Each frame up to `until` is looked at once, and of the later ones only the answers before the next step: in a long
        match there may be thousands of lines of chat between two steps.
        """
        coming: set[str] = set()
        last = frames[until - 1] if until else 1
        for place in range(bisect_right(self._moves, last), len(self._moves)):
            number = self._moves[place]
            if number > (frames[-1] if frames else 1):
                break
            if _among(frames, number) and not self._answers(number, coming):
                break
        found = [self._sealed(frames, until) | coming]
        for place in range(until, first, -1):
            number = frames[place - 1]
            if not isinstance(self.entry(number).envelope.body, Aside):
                own: set[str] = set()
                coming = own | coming if self._answers(number, own) else own
            found.append(self._sealed(frames, place - 1) | coming)
        return found[::-1]

    def _answers(self, number: int, seats: set[str]) -> bool:
        """Add the seat that an entry answers for. Return whether more seats are asked together with it, and answer
        after it.
        """
        body: Body = self.entry(number).envelope.body
        if not isinstance(body, Stepped) or body.picked is None:
            return False
        seats.add(body.seat)
        return bool(body.sealing)

    def _sealed(self, frames: Sequence[int], frame: int) -> frozenset[str]:
        return frozenset((self.after(frames[frame - 1]) if frame else self._start).sealed)

    def standing(self) -> dict[int, int | None]:
        """Return the entries on the line that was played to the end, and how many facts of each belong to it (None: all)."""
        found: dict[int, int | None] = {}
        number, stand = self.last, None
        while number > 1:
            found[number] = stand
            envelope = self.entry(number).envelope
            number, stand = envelope.parent, None
            if isinstance(envelope.body, Rewound) and number > 1:
                # The rewind went back to the boundary, which lies somewhere in that entry.
                body = self.entry(number).envelope.body
                stand = body.boundary[0] if isinstance(body, Stepped) and body.boundary is not None else None
        return found


def _among(frames: Sequence[int], number: int) -> bool:
    """Return whether an entry makes one of these frames."""
    if isinstance(frames, range):
        return number in frames
    place = bisect_left(frames, number)
    return place < len(frames) and frames[place] == number


def frame_at(frames: Sequence[int], number: int) -> int:
    """Return the number of the last frame that an audience with these frames has at an entry."""
    return bisect_right(frames, number)
