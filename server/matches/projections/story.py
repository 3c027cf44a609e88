"""The story of each entry for each audience: a pure function of the log."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from client_protocol.from_server import Remembered
from client_protocol.view import Story
from server.kernel.belief import SPECTATORS, Audience, believed
from server.kernel.dice import Taken
from server.kernel.facts import AnswerSealed, AnswersOpened, Fact, Rolled
from server.kernel.notes import SECRETS
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.matches.log.entries import Aside, Ended, Envelope, Rewound, Stepped, TakenBack
from server.matches.log.fold import Fold
from server.matches.projections.narration import desk_story, played, rewound, sealed, taken_back


class Told:
    """The story of one entry for each audience; made once where all know the same."""

    def __init__(self, rules: Ruleset, envelope: Envelope, before: State) -> None:
        self._rules = rules
        self._envelope = envelope
        self._body = envelope.body
        self._before = before
        self._same: tuple[Story, ...] | None = None
        desk = before.desk
        # All are sure to know the same only where nothing at all is hidden from anyone.
        self._hidden = bool(
            before.sealed
            or desk.orders
            or SECRETS in before.book
            or any(brought.hidden for brought in desk.forces.values())
        )

    def to(self, audience: Audience) -> tuple[Story, ...]:
        """Return the story for `audience`."""
        body = self._body
        if isinstance(body, Rewound):
            return (rewound(body.reason),)
        if isinstance(body, TakenBack):
            return (taken_back(self._before, body),)
        if isinstance(body, Ended):
            return (Story("end", body.reason),)
        if isinstance(body, Aside):
            told: list[Story] = []
            state = self._before
            for fact in body.facts:
                told.extend(desk_story(state, fact, audience, self._envelope.at))
                state = fact.fold(state)
            return tuple(told)
        if not isinstance(body, Stepped):
            return ()
        same = self._to_all(body)
        return stories(self._rules, self._before, body, audience) if same is None else same

    def _to_all(self, body: Stepped) -> tuple[Story, ...] | None:
        """Return the story that all audiences are told of a step; None if it is not one for all."""
        if self._same is None and not self._hidden and not any(isinstance(fact, AnswerSealed) for fact in body.facts):
            self._same = stories(self._rules, self._before, body, SPECTATORS)
        return self._same


def remembered(
    rules: Ruleset, payloads: Sequence[bytes], audience: Audience, before: int, most: int
) -> tuple[tuple[Remembered, ...], bool]:
    """Return the stories of the last `most` frames of `audience` before the frame `before`, oldest first, and whether there
    are still earlier ones. `payloads` is the whole log.
    """
    fold = Fold(payloads[0])
    kept: deque[tuple[int, Told]] = deque(maxlen=most)
    for payload in payloads[1:]:
        added = fold.add(payload)
        seq = fold.seqs[audience]
        if seq >= before:
            break
        if audience in added.noticing:
            kept.append((seq, Told(rules, added.envelope, added.before)))
    frames = tuple(Remembered(seq, told.to(audience)) for seq, told in kept)
    return frames, bool(frames) and frames[0].seq > 1


def stories(rules: Ruleset, before: State, step: Stepped, audience: Audience) -> tuple[Story, ...]:
    """Return the story of a step for `audience`."""
    state = before
    told: list[Story] = list(played(before, step))
    open_rolls = iter([taken for taken in step.rolls if not taken.stream])
    last = len(step.facts) - 1
    for place, fact in enumerate(step.facts):
        story = _story(rules, state, fact, audience)
        if isinstance(fact, Rolled):
            index = _die_index(fact, open_rolls)
            story = story if story is None or index < 0 else replace(story, die_index=index)
        if story is not None:
            told.append(story)
        if place < last:
            state = fact.fold(state)
    return tuple(told)


def _story(rules: Ruleset, state: State, fact: Fact, audience: Audience) -> Story | None:
    if isinstance(fact, AnswerSealed):
        # All others get the same words for every answer: they may learn that there is one, and nothing more.
        return None if fact.seat in state.sealed and audience != fact.seat else sealed(state, fact.seat)
    if isinstance(fact, AnswersOpened):
        return None
    return rules.story(believed(state, audience), fact)


def _die_index(fact: Rolled, rolls: Iterator[Taken]) -> int:
    """Return the number of the fact's first die in the open stream, if one of the remaining rolls is the fact's."""
    return next((taken.first for taken in rolls if (taken.sides, taken.faces) == (fact.sides, fact.faces)), -1)
