"""What each audience is told of a match: frames and snapshots, a pure function of the log.

Everything here reads `believed(state, audience)`; nothing that an audience may not know gets any further.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import Prompt
from client_protocol.messages import Remembered, Snapshot, Update
from client_protocol.view import Story, View
from server.kernel.belief import believed
from server.kernel.dice import Taken
from server.kernel.facts import AnswerSealed, AnswersOpened, Fact, Rolled
from server.kernel.prompts import Ask
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.kernel.views import Renderer, diff, table_view
from server.matches.log import Added, Aside, Body, Fold, Rewound, Stepped
from server.matches.narration import beside, rewound, sealed


class Frame(Struct, frozen=True):
    """One frame for one audience: its place in the audience's sequence, and what is sent."""

    audience: str
    seq: int
    update: Update


class _Seen(Struct):
    """What an audience has been told so far."""

    view: View
    prompt: Prompt | None


class Teller:
    """Tells the audiences of one match what happens, and those who come later how things stand.

    Args:
        rules: the edition, for words.
        fold: the match's fold; the teller only reads it, and has told everything up to where it stands.
        ask: what is open.
    """

    def __init__(self, rules: Ruleset, fold: Fold, ask: Ask | None) -> None:
        self._rules = rules
        self._fold = fold
        # A renderer may give back what it made before, so that belongs to those alone for whom it was made: one for all who
        # know everything there is, and one for each audience from which something is hidden.
        self._open = Renderer(rules)
        self._partial = {audience: Renderer(rules) for audience in fold.audiences}
        self._seen = self._look(fold.audiences, ask)
        self._randomness = self._shares()

    def prompt(self, seat: str) -> Prompt | None:
        """The prompt that is open to `seat`."""
        return self._seen[seat].prompt

    def tell(self, added: Added, ask: Ask | None) -> list[Frame]:
        """The frames that an entry makes, which the fold has just taken in; `ask` is what is open now."""
        frames = []
        told = Told(self._rules, added.envelope.body, added.before)
        randomness = self._shares()
        committed, revealed = (
            now if now != was else None for now, was in zip(randomness, self._randomness, strict=True)
        )
        self._randomness = randomness
        patches: dict[tuple[int, int], dict[str, Any]] = {}
        for audience, now in self._look(added.noticing, ask).items():
            was, self._seen[audience] = self._seen[audience], now
            pair = (id(was.view), id(now.view))
            if pair not in patches:
                patches[pair] = diff(was.view, now.view)
            update = Update(
                seq=self._fold.seqs[audience],
                patch=patches[pair],
                story=told.to(audience),
                prompt=now.prompt if now.prompt != was.prompt else None,
                closed=was.prompt is not None and (now.prompt is None or now.prompt.id != was.prompt.id),
                committed=committed,
                revealed=revealed,
            )
            frames.append(Frame(audience, update.seq, update))
        return frames

    def snapshot(self, audience: str) -> Snapshot:
        """All that `audience` sees, at its last frame."""
        fold, seen = self._fold, self._seen[audience]
        committed, revealed = self._randomness
        return Snapshot(
            seq=fold.seqs[audience],
            match=fold.opened.match,
            seat=audience,
            edition=fold.opened.edition,
            view=seen.view,
            table=table_view(fold.state.table, dict(self._rules.cover_names())),
            words=self._rules.words,
            commitment=fold.opened.commitment,
            prompt=seen.prompt,
            committed=committed,
            revealed=revealed,
            orders=self._rules.orders,
        )

    def _look(self, audiences: Sequence[str], ask: Ask | None) -> dict[str, _Seen]:
        """What these audiences see now; rendered once for all from whom nothing is hidden."""
        state = self._fold.state
        asked = frozenset(ask.seats) if ask is not None else frozenset[str]()
        everything: View | None = None
        found = {}
        for audience in audiences:
            known = believed(state, audience)
            if known is not state:
                view = self._partial[audience].view(known, asked)
            else:
                view = everything = everything or self._open.view(state, asked)
            found[audience] = _Seen(view, self._prompt(known, audience, ask))
        return found

    def _prompt(self, state: State, seat: str, ask: Ask | None) -> Prompt | None:
        asked = ask.seats.get(seat) if ask is not None else None
        if asked is None:
            return None
        return Prompt(
            id=self._fold.prompt_id(seat),
            seat=seat,
            title=asked.title,
            choices=asked.choices,
            default=asked.default,
            rule=asked.rule,
            unit=asked.unit,
            sealed=ask is not None and len(ask.seats) > 1,
            answered=seat in state.sealed,
        )

    def _shares(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        desk, seats = self._fold.state.desk, self._fold.seats
        return (
            tuple(seat for seat in seats if seat in desk.digests),
            tuple(seat for seat in seats if seat in desk.randomness),
        )


class Told:
    """The story of one entry, for each audience; told once where all know the same."""

    def __init__(self, rules: Ruleset, body: Body, before: State) -> None:
        self._rules = rules
        self._body = body
        self._before = before
        self._same: tuple[Story, ...] | None = None

    def to(self, audience: str) -> tuple[Story, ...]:
        """The story in the form for `audience`."""
        body = self._body
        if isinstance(body, Rewound):
            return (rewound(body.reason),)
        if isinstance(body, Aside):
            told: list[Story] = []
            state = self._before
            for fact in body.facts:
                told.extend(beside(state, fact, audience))
                state = fact.fold(state)
            return tuple(told)
        if not isinstance(body, Stepped):
            return ()
        if self._before.sealed or any(isinstance(fact, AnswerSealed) for fact in body.facts):
            return stories(self._rules, self._before, body, audience)
        if self._same is None:
            self._same = stories(self._rules, self._before, body, audience)
        return self._same


def remembered(
    rules: Ruleset, payloads: Sequence[bytes], audience: str, before: int, most: int
) -> tuple[tuple[Remembered, ...], bool]:
    """The stories of the last `most` frames of `audience` before the frame `before`, oldest first, and whether there are
    still earlier ones. `payloads` is the whole log.
    """
    fold = Fold(payloads[0])
    kept: deque[tuple[int, Told]] = deque(maxlen=most)
    for payload in payloads[1:]:
        added = fold.add(payload)
        seq = fold.seqs[audience]
        if seq >= before:
            break
        if audience in added.noticing:
            kept.append((seq, Told(rules, added.envelope.body, added.before)))
    frames = tuple(Remembered(seq, told.to(audience)) for seq, told in kept)
    return frames, bool(frames) and frames[0].seq > 1


def stories(rules: Ruleset, before: State, step: Stepped, audience: str) -> tuple[Story, ...]:
    """The story of a step, in the form for `audience`."""
    state = before
    told: list[Story] = []
    open_rolls = iter([taken for taken in step.rolls if not taken.stream])
    for fact in step.facts:
        story = _story(rules, state, fact, audience)
        if isinstance(fact, Rolled):
            index = _die_index(fact, open_rolls)
            story = story if story is None or index < 0 else replace(story, die_index=index)
        if story is not None:
            told.append(story)
        state = fact.fold(state)
    return tuple(told)


def _story(rules: Ruleset, state: State, fact: Fact, audience: str) -> Story | None:
    if isinstance(fact, AnswerSealed):
        # The same words to everybody, whatever was answered: it may tell that there is an answer, and nothing of it.
        return None if fact.seat in state.sealed and audience != fact.seat else sealed(state, fact.seat)
    if isinstance(fact, AnswersOpened):
        return None
    return rules.story(believed(state, audience), fact)


def _die_index(fact: Rolled, rolls: Iterator[Taken]) -> int:
    """The number of the fact's first die in the open stream, if one of the rolls left is the one it tells of."""
    return next((taken.first for taken in rolls if (taken.sides, taken.faces) == (fact.sides, fact.faces)), -1)
