"""A match as a text for people, in the manner of chess's PGN: tags, numbered activations, dice in braces, comments. Pure.

Tags stand first, one a line, as PGN writes them. Then each turn has a line of its own, and below it one paragraph for each
activation (numbered) and for what happens outside of activations (begun with `...`). A roll is followed by its dice and their
result, `{2D6: 5 3 -> kept 5}`; a move by the position of the unit's middle, in inches. Lines that begin with `;` are the
desk's events and chat, as `; Ada: Good luck.`; those that begin with `<-` go back. The last line is the result, `*` while
there is none.
"""

from __future__ import annotations

import datetime as dt
import textwrap
from collections.abc import Iterator, Sequence

from server.kernel.belief import EVERYTHING, Audience, believed
from server.kernel.desk_facts import DeskFact, ForceBrought, RandomnessRevealed, Said, SecretRevealed
from server.kernel.facts import (
    ActivationBegan,
    ActivationEnded,
    AnswerSealed,
    AnswersOpened,
    Fact,
    Rolled,
    TurnBegan,
    UnitMoved,
    UnitPlaced,
)
from server.kernel.ruleset import Ruleset
from server.kernel.space.geometry import centroid
from server.kernel.state import State
from server.matches.log.entries import Aside, Body, Ended, Opened, Rewound, Stepped, TakenBack, decode
from server.matches.log.fold import Fold
from server.matches.log.names import player
from server.matches.projections.frames import origin
from server.matches.projections.narration import desk_story, played, rewound, taken_back, terms

WIDTH = 100
"""The width of a paragraph, in columns."""
_KEPT = "\0"
"""A space at which lines do not end."""


def notation(rules: Ruleset, payloads: Sequence[bytes], view: Audience) -> str:
    """Return the match as the audience `view` may know it.

    Args:
        rules: the edition, for its sentences.
        payloads: the whole log.
        view: a seat, the spectators, or `belief.EVERYTHING` for a match that is over.
    """
    first = decode(1, payloads[0]).body
    assert isinstance(first, Opened), "a log begins with the entry that opens the match"
    fold = Fold(payloads[0])
    text = _Text(rules, view)
    state = first.state()
    if first.since:
        text.comment("What had happened since the last boundary in the match from which this one goes on:")
    for body in first.since:
        text.body(1, 0, state, body)
        for fact in body.facts:
            state = fact.fold(state)
    for payload in payloads[1:]:
        added = fold.add(payload)
        envelope = added.envelope
        text.body(envelope.number, envelope.parent, added.before, envelope.body)
    text.end(fold.state)
    return "\n".join([*_tags(rules, first, fold, view), "", *text.lines]) + "\n"


def _tags(rules: Ruleset, first: Opened, fold: Fold, view: Audience) -> Iterator[str]:
    state = believed(fold.state, view)
    yield _tag("Event", first.title)
    yield _tag("Site", "?")
    yield _tag("Date", dt.datetime.fromtimestamp(fold.made_at / 1000, dt.UTC).strftime("%Y.%m.%d"))
    yield _tag("Edition", rules.info.name)
    yield _tag("Rules", first.version if fold.version == first.version else f"{first.version}, then {fold.version}")
    yield _tag("Scenario", first.scenario)
    if origin(first):
        yield _tag("Origin", origin(first))
    options = ", ".join(f"{key} = {value}" for key, value in sorted(state.options.items()))
    yield _tag("Options", options)
    yield _tag("Match", first.match)
    for side in state.sides.values():
        yield _tag("Seat", f"{side.name}: {state.desk.players.get(side.seat, '?')}")
        brought = state.desk.forces.get(side.seat)
        if brought is not None:
            yield _tag("Force", f"{side.name}: {brought.force.name}")
    clock = state.desk.clock
    yield _tag("Clock", terms(clock.terms if clock is not None else None))
    yield _tag("Result", _result(state))
    result = state.result
    yield _tag("Termination", "unterminated" if result is None else f"{result.how}: {result.reason}")


def _tag(name: str, value: str) -> str:
    escaped = _one_line(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'


def _result(state: State) -> str:
    if state.result is None:
        return "*"
    return state.sides[state.result.winner].name if state.result.winner else "draw"


class _Text:
    """The lines below the tags, written as entries come.

    Args:
        rules: the edition, for its sentences.
        view: the audience that it is for.
    """

    def __init__(self, rules: Ruleset, view: Audience) -> None:
        self.lines: list[str] = []
        self._rules = rules
        self._view = view
        self._number = 0
        self._activations: dict[int, int] = {}
        self._lead = "..."
        self._said: list[str] = []

    def body(self, number: int, parent: int, before: State, body: Body) -> None:
        """Write an entry."""
        if isinstance(body, Aside):
            self._aside(before, body)
        elif isinstance(body, Stepped):
            self._step(before, body)
        elif isinstance(body, TakenBack | Rewound):
            story = taken_back(before, body) if isinstance(body, TakenBack) else rewound(body.reason)
            there = self._activations.get(parent, 0)
            self._line(f"<- {story.text} The table is as it was {f'in {there}' if there else 'before 1'}.")
        elif isinstance(body, Ended):
            self.comment(body.reason)
        self._activations[number] = self._number

    def comment(self, text: str) -> None:
        """Write a line about the desk."""
        self._line(f"; {_one_line(text)}")

    def end(self, state: State) -> None:
        """Write the last line."""
        self._flush()
        result = state.result
        if result is None:
            line = "*"
        elif result.winner:
            line = f"{state.sides[result.winner].name} wins. {_one_line(result.reason)}"
        else:
            line = f"A draw. {_one_line(result.reason)}"
        self.lines += ["", line]

    def _line(self, text: str) -> None:
        self._flush()
        self.lines.append(text)

    def _flush(self) -> None:
        """End the paragraph."""
        if self._said:
            text = " ".join([self._lead, *self._said])
            lines = textwrap.wrap(
                text, WIDTH, subsequent_indent=" " * 4, break_long_words=False, break_on_hyphens=False
            )
            self.lines += [line.replace(_KEPT, " ") for line in lines]
        self._said = []
        self._lead = "..."

    def _aside(self, before: State, body: Aside) -> None:
        state = before
        for fact in body.facts:
            self._desk_fact(state, fact)
            state = fact.fold(state)

    def _desk_fact(self, state: State, fact: DeskFact) -> None:
        if isinstance(fact, Said):
            if fact.heard_on == "table":
                self.comment(f"{player(state, fact.seat)}: {fact.text}")
            return
        if isinstance(fact, RandomnessRevealed | SecretRevealed):
            return  # the same in every match
        knows_all = self._view == EVERYTHING and isinstance(fact, ForceBrought)
        audience = fact.seat if knows_all and isinstance(fact, ForceBrought) else self._view
        for story in desk_story(state, fact, audience):
            self.comment(story.text)

    def _step(self, before: State, step: Stepped) -> None:
        if not before.turn.unit:
            self._flush()
        for story in played(before, step):
            self.comment(story.text)
        state = before
        for fact in step.facts:
            self._fact(state, fact)
            state = fact.fold(state)

    def _fact(self, state: State, fact: Fact) -> None:
        if isinstance(fact, AnswerSealed | AnswersOpened):
            return
        if isinstance(fact, TurnBegan):
            self._flush()
            self.lines += ["", f"Turn {fact.number}"]
            return
        if isinstance(fact, ActivationBegan):
            self._flush()
            self._number += 1
            self._lead = f"{self._number}."
        story = self._rules.story(believed(state, self._view), fact)
        said = _one_line(story.text) if story is not None else ""
        if isinstance(fact, Rolled):
            said = f"{said} {_dice(fact)}".strip()
        elif isinstance(fact, UnitMoved | UnitPlaced):
            said = f"{said} {_middle(state, fact)}".strip()
        if said:
            self._said.append(said)
        if isinstance(fact, ActivationEnded):
            self._flush()


def _dice(fact: Rolled) -> str:
    """Return the dice of a roll and their result. A failure is named only where there is nothing else."""
    faces = " ".join(map(str, fact.faces))
    text = f"{len(fact.faces)}D{fact.sides}: {faces}"
    marks = [mark for mark in dict.fromkeys(fact.marks) if mark]
    told = [mark for mark in marks if mark != "fail"] or marks
    came: list[str] = []
    for mark in told:
        marked = [str(face) for face, own in zip(fact.faces, fact.marks, strict=False) if own == mark]
        came.append(mark if len(marked) == len(fact.faces) else f"{mark} {' '.join(marked)}")
    return (f"{{{text} -> {', '.join(came)}}}" if came else f"{{{text}}}").replace(" ", _KEPT)


def _middle(state: State, fact: UnitMoved | UnitPlaced) -> str:
    """Return the position of the unit's middle now."""
    unit = fact.fold(state).units[fact.unit]
    places = [figure.at for figure in unit.figures.values() if figure.at is not None and not figure.fallen]
    if not places:
        return ""
    x, y = centroid(places)
    return f"(at {x / 1000:.1f}, {y / 1000:.1f})".replace(" ", _KEPT)


def _one_line(text: str) -> str:
    return " ".join(text.split())
