"""Replay: the frames of a match from its beginning, as an audience saw them. A pure function of the log.

Frames are numbered as they were while the match was played; for `EVERYTHING`, each entry makes one. Of the view's fields that
do not follow from the state, the asked seats are found from who answers next, and the possible take-backs are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from client_protocol.clocks import OfferView
from client_protocol.codec import pack
from client_protocol.from_client import Replay
from client_protocol.from_server import Refused, ReplayFrame, ReplayPart, Snapshot
from client_protocol.view import View
from server.kernel.belief import EVERYTHING, SPECTATORS, Audience, believed
from server.kernel.differences import diff
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.kernel.views import DeskView, Renderer, table_view
from server.matches.log.audiences import audience_of, text_of
from server.matches.log.entries import Rewound, TakenBack
from server.matches.log.timeline import Timeline, frame_at
from server.matches.projections.frames import origin
from server.matches.projections.offers import offer_view
from server.matches.projections.story import Told
from server.work.slicing import Sliced, at_once

MOST_FRAMES = 200
"""The most frames of a part."""
MOST_BYTES = 200_000
"""The most bytes of a part's frames, unless its first frame alone has more."""
TOLD_AT_ONCE = 2
"""How many frames are made between two pauses."""


def replay_part(rules: Ruleset, payloads: Sequence[bytes], message: Replay) -> ReplayPart | Refused:
    """Return the frames after `message.after`, as many as fit into one answer. `payloads` is the whole log."""
    timeline = Timeline(payloads[0])
    at_once(timeline.add(payloads[1:]))
    return at_once(part_of(timeline, rules, message))


def part_of(timeline: Timeline, rules: Ruleset, message: Replay) -> Sliced[ReplayPart | Refused]:
    """Return the frames after `message.after`, as many as fit into one answer, with the start if it is asked for."""
    audience = audience_of(message.view)
    numbers = timeline.frames(audience)
    if numbers is None:
        return Refused(message.id, "no_view", "That match has no such seat.")
    # The match may go on between two pauses: only what has happened until now is shown.
    numbers = numbers if isinstance(numbers, range) else tuple(numbers)
    first = min(max(message.after, 0), len(numbers))
    until = min(first + MOST_FRAMES, len(numbers))
    telling = _Telling(timeline, rules, audience, numbers, first, until)
    start = telling.start() if message.after < 0 else None
    view = start.view if start is not None else telling.view(first)
    frames: list[ReplayFrame] = []
    size = 0
    for place in range(first + 1, until + 1):
        was, view = view, telling.view(place)
        patch = diff(was, view)
        if place == first + 1 and start is None:
            patch = _with_asked(patch, view)
        frame = telling.frame(place, patch)
        size += len(pack(frame))
        if frames and size > MOST_BYTES:
            break
        frames.append(frame)
        if len(frames) % TOLD_AT_ONCE == 0:
            yield
    last = len(numbers)
    return ReplayPart(message.id, tuple(frames), last, more=first + len(frames) < last, start=start)


class _Telling:
    """Makes frames for one audience; `numbers` are the entries that make its frames, of which those from `first` to `until`
    are made.
    """

    def __init__(
        self, timeline: Timeline, rules: Ruleset, audience: Audience, numbers: Sequence[int], first: int, until: int
    ) -> None:
        self._timeline = timeline
        self._rules = rules
        self._audience = audience
        self._numbers = numbers
        self._renderer = Renderer(rules)
        self._first = first
        self._asked = timeline.asked(numbers, first, until)

    def _known(self, place: int) -> State:
        return believed(self._timeline.after(self._numbers[place - 1] if place else 1), self._audience)

    def view(self, place: int) -> View:
        """Return the view after a frame (0: before the first one)."""
        state = self._known(place)
        desk = DeskView(self._seats_asked(place))
        if state.desk.offers:
            desk = replace(desk, offers=self._offers(state))
        return self._renderer.view(state, desk)

    def _seats_asked(self, place: int) -> frozenset[str]:
        if place < self._first:
            return self._timeline.asked(self._numbers, place, place)[0]
        return self._asked[place - self._first]

    def _offers(self, state: State) -> dict[str, OfferView]:
        # What a take-back would have undone stands in the story before it, so it is not repeated.
        return {
            key: offer_view(offer, (), frame_at(self._numbers, offer.to) if offer.kind == "take_back" else -1)
            for key, offer in state.desk.offers.items()
        }

    def frame(self, place: int, patch: dict[str, Any]) -> ReplayFrame:
        """Return a frame, with what changed on the table."""
        added = self._timeline.entry(self._numbers[place - 1])
        body, parent = added.envelope.body, added.envelope.parent
        return ReplayFrame(
            seq=place,
            at=added.envelope.at,
            turn=self._known(place).turn.number,
            patch=patch,
            story=Told(self._rules, added.envelope, added.before).to(self._audience),
            back=frame_at(self._numbers, parent) if isinstance(body, TakenBack | Rewound) else -1,
        )

    def start(self) -> Snapshot:
        """Return the snapshot of the beginning."""
        timeline, rules, state = self._timeline, self._rules, self._known(0)
        desk = state.desk
        seats = [side.seat for side in state.sides.values()]
        return Snapshot(
            seq=0,
            match=timeline.opened.match,
            seat=text_of(SPECTATORS if self._audience == EVERYTHING else self._audience),
            edition=timeline.opened.edition,
            view=self.view(0),
            table=table_view(state.table, dict(rules.cover_names())),
            words=rules.words,
            commitment=timeline.commitment,
            committed=tuple(seat for seat in seats if seat in desk.digests),
            revealed=tuple(seat for seat in seats if seat in desk.randomness),
            orders=rules.orders,
            origin=origin(timeline.opened),
        )


def _with_asked(patch: dict[str, Any], view: View) -> dict[str, Any]:
    """Return `patch` with whether each seat is asked. The frame before it may have been made when that was not known yet."""
    seats = patch.get("seats", {})
    return {**patch, "seats": {key: {**seats.get(key, {}), "asked": seat.asked} for key, seat in view.seats.items()}}
