"""A whole game as text that a reviewer can read: what is asked, what is answered, what falls, what follows, who sees what."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

import msgspec

from client_protocol.choices import (
    Choice,
    DirectionTaken,
    FiguresPicked,
    FiguresPlaced,
    PathParameter,
    PathsDeclared,
    Picked,
    PlacementParameter,
    UnitNamed,
    UnitParameter,
    Value,
)
from client_protocol.explained import Explained, Line
from client_protocol.view import View
from server.kernel.belief import SPECTATORS, believed
from server.kernel.facts import AnswerSealed, AnswersOpened, Fact, UnitMoved, UnitPlaced
from server.kernel.geometry import Point, inches_text
from server.kernel.procedure import Run, Step
from server.kernel.prompts import Ask, Asked, check
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.kernel.views import Renderer, diff
from server.opponents.simulation import RandomDice
from tests.playthroughs.seats import sensible


def playthrough(rules: Ruleset, start: State, seed: int) -> str:
    """The text of a game between two sensible seats."""
    return "\n".join(_Game(rules, start, seed).lines()) + "\n"


class _Game:
    def __init__(self, rules: Ruleset, start: State, seed: int) -> None:
        self._rules = rules
        self._chance = random.Random(seed)
        self._run = Run(rules, start, RandomDice(random.Random(seed + 1)))
        self._seed = seed
        self._audiences = [*(side.seat for side in start.sides.values()), SPECTATORS]
        self._renderers = {audience: Renderer(rules) for audience in self._audiences}
        self._views = {audience: self._view(audience) for audience in self._audiences}

    def lines(self) -> Iterator[str]:
        """The text, line by line."""
        state = self._run.state
        yield f"{state.title} ({state.edition}), played by two sensible seats; seed {self._seed}."
        yield "Options: " + ", ".join(f"{key} = {value}" for key, value in sorted(state.options.items())) + "."
        yield from self._roster(state)
        before = state
        step = self._run.begin()
        number = 0
        yield ""
        yield "=== 0 · the rules begin"
        yield from self._step(before, step)
        while self._run.asked is not None:
            number += 1
            seat = next(seat for seat in self._run.asked.seats if seat not in self._run.state.sealed)
            asked = self._run.asked.seats[seat]
            known = believed(self._run.state, seat)
            picked = sensible(known, asked, self._chance)
            assert check(known, asked, picked) is None
            before = self._run.state
            step = self._run.answer(seat, picked)
            yield ""
            yield f"=== {number} · {seat}: {asked.title}"
            yield f"    > {_answer(before, asked, picked)}"
            yield from self._step(before, step)
        result = self._run.state.result
        assert result is not None
        yield ""
        yield f"=== The end: {result.winner or 'a draw'}. {result.reason} [{result.rule}]"

    def _roster(self, state: State) -> Iterator[str]:
        for side in state.sides.values():
            yield ""
            yield f"{side.name} ({side.id}, {side.letter}, {side.shape})"
            for unit in state.units_of(side.id):
                roles = ", ".join(f"{key} {figure.role}" for key, figure in unit.figures.items() if figure.role)
                kind = ", ".join(unit.profile.values())
                yield f"    {unit.id}: {unit.name}, {unit.strength} figures ({kind}){'; ' if roles else ''}{roles}"

    def _step(self, before: State, step: Step) -> Iterator[str]:
        if step.rolls:
            yield "    dice " + ", ".join(" ".join(map(str, taken.faces)) for taken in step.rolls)
        state = before
        for number, fact in enumerate(step.facts):
            if step.boundary is not None and number == step.boundary[0]:
                yield "    -- boundary --"
            yield from self._fact(state, fact)
            state = fact.fold(state)
        if step.boundary is not None and step.boundary[0] == len(step.facts):
            yield "    -- boundary --"
        yield from self._seen()
        yield from _asks(state, self._run.asked)

    def _fact(self, state: State, fact: Fact) -> Iterator[str]:
        story = self._rules.story(state, fact)
        if isinstance(fact, AnswerSealed):
            yield f"    ({fact.seat} has decided; nobody else sees what)"
        elif isinstance(fact, AnswersOpened):
            yield "    (all have decided, and the answers are opened)"
        if story is None:
            return
        rule = f" [{story.rule}]" if story.rule else ""
        yield f"    {story.text}{rule}"
        for number in story.numbers:
            yield f"        {_explained(number)}"
        if isinstance(fact, UnitPlaced):
            yield f"        {_places(fact.places)}"
        elif isinstance(fact, UnitMoved):
            yield f"        {_places({key: path[-1] for key, path in fact.paths.items()})}"

    # --- who sees what ----------------------------------------------------------------------------------------------

    def _view(self, audience: str) -> View:
        asked = frozenset(self._run.asked.seats) if self._run.asked is not None else frozenset[str]()
        return self._renderers[audience].view(believed(self._run.state, audience), asked)

    def _seen(self) -> Iterator[str]:
        """What changes in the views: one line where all see the same, else a line for each."""
        told: dict[str, str] = {}
        for audience in self._audiences:
            view = self._view(audience)
            told[audience] = ", ".join(_changes(msgspec.to_builtins(diff(self._views[audience], view)))) or "nothing"
            self._views[audience] = view
        if len(set(told.values())) == 1:
            yield f"    all see: {told[SPECTATORS]}"
        else:
            yield from (f"    {audience or 'watchers'} see: {changes}" for audience, changes in told.items())


def _changes(patch: Mapping[str, object], depth: int = 3) -> Iterator[str]:
    """The keys of a merge patch, a few levels deep."""
    for key, value in patch.items():
        if isinstance(value, dict) and depth > 1 and value:
            inner = list(_changes(value, depth - 1))
            yield f"{key}({', '.join(inner)})" if len(inner) > 1 else f"{key}.{inner[0]}"
        elif isinstance(value, str | int | bool) or value is None:
            yield f"{key}={'' if value is None else value}"
        else:
            yield key


def _asks(state: State, ask: Ask | None) -> Iterator[str]:
    for seat, asked in ask.seats.items() if ask is not None else ():
        if seat in state.sealed:
            continue
        yield f"    {seat} is asked: {asked.title} [{asked.rule}]"
        for choice in asked.choices:
            default = " (default)" if choice.key == asked.default.choice else ""
            if choice.why is not None:
                yield f"        - {choice.key}: no. {choice.why.sentence} [{choice.why.rule}]"
            else:
                yield f"        + {choice.key}{default}{_offer(choice)}"


def _offer(choice: Choice) -> str:
    offers = []
    for parameter in choice.parameters:
        if isinstance(parameter, UnitParameter):
            rows = [
                f"{row.unit}{f' ({row.note})' if row.note else ''}{f' not: {row.why.rule}' if row.why else ''}"
                for row in parameter.candidates
            ]
            offers.append(", ".join(rows))
        elif isinstance(parameter, PathParameter):
            offers.append(f"{inches_text(parameter.allowance)} [{parameter.allowance_rule}]")
        elif isinstance(parameter, PlacementParameter):
            offers.append(", ".join(parameter.units))
    return ": " + "; ".join(offers) if offers else ""


def _answer(state: State, asked: Asked, picked: Picked) -> str:
    values = ", ".join(_value(state, value) for value in picked.values)
    default = " (the default)" if picked == asked.default else ""
    return f"{picked.choice}{' ' if values else ''}{values}{default}"


def _value(state: State, value: Value) -> str:
    if isinstance(value, UnitNamed):
        return f"{value.unit} ({state.units[value.unit].name})"
    if isinstance(value, PathsDeclared):
        return f"{len(value.paths)} figures"
    if isinstance(value, FiguresPicked):
        return " ".join(value.figures)
    if isinstance(value, DirectionTaken):
        return f"{value.angle / 100:g}°"
    assert isinstance(value, FiguresPlaced)
    return f"{sum(map(len, value.places))} figures"


def _explained(number: Explained) -> str:
    return f"{number.value} = {' · '.join(map(_line, number.lines))}"


def _line(line: Line) -> str:
    sign = {"SET": "", "ADD": "+" if line.amount >= 0 else "", "SCALE": "x", "CAP": "to "}[line.stage]
    return f"{line.reason} {sign}{line.amount} [{line.rule}]"


def _places(places: Mapping[str, Point]) -> str:
    return "  ".join(f"{key} ({x / 1000:g}, {y / 1000:g})" for key, (x, y) in places.items())
