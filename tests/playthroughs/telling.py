"""A whole game as text that a reviewer can read: what is asked, what is answered, what falls, what follows, who sees what."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

import msgspec

from client_protocol.choices import (
    Assigned,
    AssignmentParameter,
    Choice,
    DirectionTaken,
    FiguresPicked,
    FiguresPlaced,
    PathParameter,
    PathsDeclared,
    Picked,
    PlacementParameter,
    PointParameter,
    PointTaken,
    StopParameter,
    StopTaken,
    UnitNamed,
    UnitParameter,
    Value,
)
from client_protocol.explained import Explained, Line
from client_protocol.view import View
from server.kernel.answers.check import Ask, Asked, check
from server.kernel.belief import SPECTATORS, Audience, believed
from server.kernel.differences import diff
from server.kernel.facts import AnswerSealed, AnswersOpened, Fact, UnitMoved, UnitPlaced
from server.kernel.procedure import Run, Step
from server.kernel.ruleset import Ruleset
from server.kernel.space.geometry import Point, inches_text
from server.kernel.state import State, Unit
from server.kernel.views import DeskView, Renderer
from server.matches.log.audiences import text_of
from server.opponents.simulation import RandomDice
from tests.playthroughs.seats import sensible


def playthrough(rules: Ruleset, start: State, seed: int) -> str:
    """The text of a game between sensible seats."""
    return "\n".join(_lines(rules, start, seed)) + "\n"


def _lines(rules: Ruleset, start: State, seed: int) -> Iterator[str]:
    chance = random.Random(seed)
    run = Run(rules, start, RandomDice(random.Random(seed + 1)))
    teller = Teller(rules, start)
    yield f"{start.title} ({start.edition}), played by sensible seats; seed {seed}."
    yield "Options: " + ", ".join(f"{key} = {value}" for key, value in sorted(start.options.items())) + "."
    yield from roster(rules, start)
    number = 0
    yield ""
    yield "=== 0 · the rules begin"
    step = run.begin()
    yield from teller.step(start, step, run.state, run.asked)
    while run.asked is not None:
        number += 1
        seat = next(seat for seat in run.asked.seats if seat not in run.state.sealed)
        asked = run.asked.seats[seat]
        known = believed(run.state, seat)
        picked = sensible(known, asked, chance)
        assert check(known, asked, picked) is None
        before = run.state
        step = run.answer(seat, picked)
        yield ""
        yield f"=== {number} · {seat}: {asked.title}"
        yield f"    > {answered(before, asked, picked)}"
        yield from teller.step(before, step, run.state, run.asked)
    yield from the_end(run.state)


def the_end(state: State) -> Iterator[str]:
    """How a match that is over ended; nothing of one that is not."""
    if state.result is not None:
        winner, reason, rule = state.result.winner, state.result.reason, state.result.rule
        yield ""
        yield f"=== The end: {winner or 'a draw'}. {reason} [{rule}]"


def roster(rules: Ruleset, state: State) -> Iterator[str]:
    """Who plays with what: each unit with its markers, and its card."""
    for side in state.sides.values():
        yield ""
        yield f"{side.name} ({side.id}, {side.letter}, {side.shape})"
        for unit in state.units_of(side.id):
            roles = ", ".join(f"{key} {figure.role}" for key, figure in unit.figures.items() if figure.role)
            marks = ", ".join([*unit.conditions, *_marked(unit)])
            aboard = f"aboard {unit.aboard}" if unit.aboard else ""
            about = "".join(f"; {part}" for part in (roles, marks, aboard) if part)
            yield f"    {unit.id}: {unit.name}, {_figures(unit.strength)}{about}"
            yield f"        {' · '.join(f'{row.label} {row.value} [{row.rule}]' for row in rules.card(state, unit))}"


def _marked(unit: Unit) -> Iterator[str]:
    """What lies on single figures."""
    for key, figure in unit.figures.items():
        yield from (f"{key} {condition}" for condition in figure.conditions)


def _figures(count: int) -> str:
    return "1 figure" if count == 1 else f"{count} figures"


class Teller:
    """Tells the steps of a game, with what each audience comes to see by them.

    Args:
        rules: the edition's.
        start: the state in which the game begins.
    """

    def __init__(self, rules: Ruleset, start: State) -> None:
        self._rules = rules
        audiences: list[Audience] = [*(side.seat for side in start.sides.values()), SPECTATORS]
        self._renderers = {audience: Renderer(rules) for audience in audiences}
        self._views = self._render(start, None)

    def step(self, before: State, step: Step, after: State, ask: Ask | None) -> Iterator[str]:
        """What followed an answer, and what is asked then."""
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
        yield from self._seen(after, ask)
        yield from _asks(after, ask)

    def _fact(self, state: State, fact: Fact) -> Iterator[str]:
        story = self._rules.story(state, fact)
        if isinstance(fact, AnswerSealed):
            yield f"    ({fact.seat} has decided; no other player sees what)"
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
        elif isinstance(fact, UnitMoved) and fact.paths:
            yield f"        {_places({key: path[-1] for key, path in fact.paths.items()})}"

    # --- who sees what ----------------------------------------------------------------------------------------------

    def _render(self, state: State, ask: Ask | None) -> dict[Audience, View]:
        desk = DeskView(frozenset(ask.seats) if ask is not None else frozenset())
        return {who: renderer.view(believed(state, who), desk) for who, renderer in self._renderers.items()}

    def _seen(self, state: State, ask: Ask | None) -> Iterator[str]:
        """What changes in the views: one line where all see the same, else a line for each."""
        views = self._render(state, ask)
        told = {
            who: ", ".join(_changes(msgspec.to_builtins(diff(self._views[who], view)))) or "nothing"
            for who, view in views.items()
        }
        self._views = views
        if len(set(told.values())) == 1:
            yield f"    all see: {told[SPECTATORS]}"
        else:
            yield from (f"    {text_of(who) or 'spectators'} see: {changes}" for who, changes in told.items())


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
        elif isinstance(parameter, AssignmentParameter):
            limits = "".join(f", at most {most} {key}" for key, most in parameter.limits)
            rows = [f"{row.label} to {' or '.join(option.label for option in row.options)}" for row in parameter.rows]
            offers.append(f"{'; '.join(rows)} ({parameter.least} to {parameter.most}{limits})")
        elif isinstance(parameter, StopParameter):
            spans = ", ".join(f"{start / 10:g} % and {end / 10:g} %" for start, end in parameter.spans)
            offers.append(f"between {spans} of the way")
        elif isinstance(parameter, PointParameter):
            near = ", ".join(parameter.near)
            offers.append(
                f"{inches_text(parameter.radius)} around a point within {inches_text(parameter.reach)}, near {near}"
            )
    return ": " + "; ".join(offers) if offers else ""


def answered(state: State, asked: Asked, picked: Picked) -> str:
    """An answer in words."""
    values = ", ".join(_value(state, value) for value in picked.values)
    default = " (the default)" if picked == asked.default else ""
    return f"{picked.choice}{' ' if values else ''}{values}{default}"


def _value(state: State, value: Value) -> str:
    if isinstance(value, UnitNamed):
        return f"{value.unit} ({state.units[value.unit].name})"
    if isinstance(value, PathsDeclared):
        facing = "" if value.facing is None else f", facing {value.facing / 100:g}°"
        return f"{_figures(len(value.paths))}{facing}"
    if isinstance(value, FiguresPicked):
        return " ".join(value.figures)
    if isinstance(value, DirectionTaken):
        return f"{value.angle / 100:g}°"
    if isinstance(value, Assigned):
        return ", ".join(f"{row} {option}" for row, option in value.given.items())
    if isinstance(value, StopTaken):
        return f"after {value.at / 10:g} % of the way"
    if isinstance(value, PointTaken):
        return f"({inches_text(value.at[0])}, {inches_text(value.at[1])})"
    assert isinstance(value, FiguresPlaced)
    return _figures(sum(map(len, value.places)))


def _explained(number: Explained) -> str:
    return f"{number.value} = {' · '.join(map(_line, number.lines))}"


def _line(line: Line) -> str:
    sign = {"SET": "", "ADD": "+" if line.amount >= 0 else "", "SCALE": "x", "CAP": "to "}[line.stage]
    return f"{line.reason} {sign}{line.amount} [{line.rule}]"


def _places(places: Mapping[str, Point]) -> str:
    return "  ".join(f"{key} ({x / 1000:g}, {y / 1000:g})" for key, (x, y) in places.items())
