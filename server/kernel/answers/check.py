"""Questions to seats, and the check of their answers before a procedure gets them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec.structs import replace

from client_protocol.choices import (
    Assigned,
    AssignmentParameter,
    Candidate,
    Choice,
    DirectionParameter,
    DirectionTaken,
    FiguresParameter,
    FiguresPicked,
    FiguresPlaced,
    Parameter,
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
from server.kernel.answers.assignments import assignment_fault, stop_fault
from server.kernel.answers.paths import check_path
from server.kernel.answers.placements import check_placement
from server.kernel.answers.points import check_point
from server.kernel.answers.refusal import Refusal
from server.kernel.space.geometry import angle_difference
from server.kernel.standing import TOUCH, bases, end_places, hulls, in_zone, terrain_of, touches
from server.kernel.state import State
from server.kernel.structs import Fixed

__all__ = [
    "TOUCH",
    "Ask",
    "Asked",
    "Later",
    "Refusal",
    "bases",
    "check",
    "check_path",
    "check_placement",
    "end_places",
    "hulls",
    "in_zone",
    "terrain_of",
    "touches",
]


class Asked(Fixed, frozen=True):
    """What one seat is asked: a title, the choices, what is played when its time runs out, the rule, the unit it concerns."""

    title: str
    choices: tuple[Choice, ...]
    default: Picked
    rule: str = ""
    unit: str = ""

    def choice(self, key: str) -> Choice | None:
        """Return the choice of this key, if there is one."""
        return next((choice for choice in self.choices if choice.key == key), None)


class Ask(Fixed, frozen=True):
    """A procedure's question to one seat or to several at once. Several seats' answers stay sealed until the last is in."""

    seats: Mapping[str, Asked]

    def make(self) -> None:
        """Make now what is made only when it is looked at (`Later`)."""
        tuple(self.seats.values())


class Later(Mapping[str, Asked]):
    """The question to one seat, made when it is first looked at.

    A step that ends with it is known as soon as it is known who is asked: it can go to the log while the choices are made.

    Args:
        seat: who is asked.
        make: makes the question. What it returns may not depend on when it is called.
    """

    __slots__ = ("_asked", "_make", "_seat")

    def __init__(self, seat: str, make: Callable[[], Asked]) -> None:
        self._seat = seat
        self._make: Callable[[], Asked] | None = make
        self._asked: Asked | None = None

    def __getitem__(self, seat: str) -> Asked:
        if seat != self._seat:
            raise KeyError(seat)
        if self._asked is None:
            assert self._make is not None, "it is dropped when the question is made"
            self._asked, self._make = self._make(), None
        return self._asked

    def then(self, change: Callable[[Asked], Asked]) -> Later:
        """Return the same question, changed when it is made."""
        return Later(self._seat, lambda: change(self[self._seat]))

    def __contains__(self, seat: object) -> bool:
        return seat == self._seat

    def __iter__(self) -> Iterator[str]:
        yield self._seat

    def __len__(self) -> int:
        return 1


def check(believed: State, asked: Asked, picked: Picked) -> Refusal | None:
    """Return why `picked` is not a legal answer to `asked`, from what the seat may know; None if it is. Pure."""
    choice = asked.choice(picked.choice)
    if choice is None:
        keys = ", ".join(c.key for c in asked.choices)
        return Refusal("no_such_choice", f"There is no choice {picked.choice!r} here; there are {keys}.", asked.rule)
    if choice.why is not None:
        return Refusal("not_allowed", choice.why.sentence, choice.why.rule)
    if len(picked.values) != len(choice.parameters):
        given = len(picked.values)
        came = f"{given or 'none'} {'was' if given < 2 else 'were'} given"
        return Refusal("values", f"{_wanted(choice)}; {came}.", choice.rule)
    for parameter, value in zip(choice.parameters, picked.values, strict=True):
        checker = _CHECKERS.get((type(parameter), type(value)))
        if checker is None:
            kind = _KINDS[type(value)]
            return Refusal(
                "values", f"{_wanted(choice)}; {kind} was given in the place of {_kind(parameter)}.", choice.rule
            )
        refusal = checker(believed, parameter, value)
        if refusal is not None:
            # A parameter without a rule of its own has its choice's.
            return refusal if refusal.rule else replace(refusal, rule=choice.rule or asked.rule)
    return None


def _wanted(choice: Choice) -> str:
    """Return the values that a choice needs, in words."""
    kinds = [_kind(parameter) for parameter in choice.parameters]
    if not kinds:
        return f"{choice.label} takes no values"
    listed = " and ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))
    return f"{choice.label} needs {len(kinds)} {'value' if len(kinds) == 1 else 'values'}, {listed}"


def _kind(parameter: Parameter) -> str:
    """Return the kind of a parameter's value, in words."""
    return next(_KINDS[value] for of, value in _CHECKERS if of is type(parameter))


def _check_unit(believed: State, parameter: UnitParameter, value: UnitNamed) -> Refusal | None:
    candidate: Candidate | None = next((c for c in parameter.candidates if c.unit == value.unit), None)
    if candidate is None:
        return Refusal(
            "no_such_unit",
            f"{parameter.label}: {_unit_name(believed, value.unit)} cannot be named. {_able(believed, parameter)}",
        )
    if candidate.why is not None:
        return Refusal("not_allowed", candidate.why.sentence, candidate.why.rule)
    return None


def _unit_name(believed: State, key: str) -> str:
    unit = believed.units.get(key)
    return repr(key) if unit is None else f"{unit.name} ({key})"


def _able(believed: State, parameter: UnitParameter) -> str:
    """Return which units can be named, as a sentence."""
    able = [_unit_name(believed, one.unit) for one in parameter.candidates if one.why is None]
    return f"These can: {', '.join(able)}." if able else "None can be named now."


def _check_figures(believed: State, parameter: FiguresParameter, value: FiguresPicked) -> Refusal | None:
    picked = value.figures
    if len(set(picked)) != len(picked) or not set(picked) <= set(parameter.figures):
        offered = ", ".join(parameter.figures)
        return Refusal("figures", f"{parameter.label}: name each figure once, out of these: {offered}.")
    if not parameter.least <= len(picked) <= parameter.most:
        few = str(parameter.least)
        wanted = few if parameter.least == parameter.most else f"{few} to {parameter.most}"
        return Refusal("figures", f"{parameter.label}: pick {wanted} figures; {len(picked)} were picked.")
    return None


def _check_direction(believed: State, parameter: DirectionParameter, value: DirectionTaken) -> Refusal | None:
    if abs(angle_difference(parameter.middle, value.angle)) > parameter.spread:
        degrees, middle = parameter.spread / 100, parameter.middle / 100
        sentence = (
            f"{parameter.label}: at most {degrees:g} degrees to either side of {middle:g}, not {value.angle / 100:g}."
        )
        return Refusal("direction", sentence)
    return None


def _check_assignment(believed: State, parameter: AssignmentParameter, value: Assigned) -> Refusal | None:
    fault = assignment_fault(parameter, value)
    return None if fault is None else Refusal("assignment", fault)


def _check_stop(believed: State, parameter: StopParameter, value: StopTaken) -> Refusal | None:
    fault = stop_fault(parameter, value)
    return None if fault is None else Refusal("stop", fault)


Checker = Callable[..., Refusal | None]
_CHECKERS: dict[tuple[type, type[Value]], Checker] = {
    (UnitParameter, UnitNamed): _check_unit,
    (PathParameter, PathsDeclared): check_path,
    (FiguresParameter, FiguresPicked): _check_figures,
    (PlacementParameter, FiguresPlaced): check_placement,
    (DirectionParameter, DirectionTaken): _check_direction,
    (AssignmentParameter, Assigned): _check_assignment,
    (StopParameter, StopTaken): _check_stop,
    (PointParameter, PointTaken): check_point,
}
_KINDS: dict[type[Value], str] = {
    UnitNamed: "a unit",
    PathsDeclared: "a path",
    FiguresPicked: "a pick of figures",
    FiguresPlaced: "a placement",
    DirectionTaken: "a direction",
    Assigned: "an assignment",
    StopTaken: "a stop",
    PointTaken: "a point",
}
"""The kinds of values in words, as the documentation of the protocol names them."""
