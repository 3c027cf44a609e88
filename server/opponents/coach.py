"""The coach: what the strongest program would answer to a prompt, and why, in one sentence with its numbers.

It looks at what the seat may know and at nothing else, and gives the answer that the program itself would give. The numbers
are those by which the program chose: figures that are lost on average.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from client_protocol.choices import Choice, PathsDeclared, Picked, UnitNamed
from server.kernel.answers.check import Asked
from server.kernel.bodies import bodies
from server.kernel.ruleset import Ruleset
from server.kernel.space.geometry import distance
from server.kernel.space.values import Body
from server.kernel.state import State
from server.opponents.outlook import Outlook, middle
from server.opponents.policy import Stand, Weighed, best
from server.opponents.strengths import COMMANDER

_SEED = "coach"
"""The coach has no secret: asked again, it says the same."""
_LEAST = 0.05
"""Figures below this are not worth a word."""
_COMPARED = 40
"""How many answers it looks through for the next best of another kind."""


def advise(rules: Ruleset, believed: State, asked: Asked, seat: str) -> tuple[Picked, str]:
    """Return a legal answer to what a seat is asked, and why, in a sentence.

    Args:
        rules: the rules of the match.
        believed: the state as the seat may know it.
        asked: what it is asked.
        seat: the seat.
    """
    open_choices = [choice for choice in asked.choices if choice.why is None]
    if len(open_choices) == 1 and not open_choices[0].parameters:
        return Picked(open_choices[0].key), f"{open_choices[0].label}: there is nothing else to choose."
    found = list(islice(best(rules, believed, asked, seat, COMMANDER, _SEED), _COMPARED))
    if not found:
        choice = asked.choice(asked.default.choice)
        label = choice.label if choice is not None else "The default"
        return asked.default, f"{label}: it is what is played by default, and nothing speaks against it."
    return found[0].picked, _Reasons(rules, believed, asked, seat).sentence(found)


class _Reasons:
    """Puts into words why an answer is the best."""

    def __init__(self, rules: Ruleset, believed: State, asked: Asked, seat: str) -> None:
        side = next((key for key, one in believed.sides.items() if one.seat == seat), "")
        self._state = believed
        self._asked = asked
        self._side = side
        self._outlook = Outlook(rules, believed, side)

    def sentence(self, found: list[Weighed]) -> str:
        """Return why the first of these answers is taken."""
        first = found[0]
        reasons = [*self._reasons(first), *self._next_best(found)]
        if not reasons:
            reasons = ["all that can be done here comes to the same"]
        return f"{self._label(first)}: {'; '.join(reasons)}."

    def _reasons(self, one: Weighed) -> Iterator[str]:
        stand = one.stand
        if one.at and one.dealt >= _LEAST:
            foe = self._state.units[one.at]
            yield f"it should cost {foe.name} {_figures(one.dealt / self._outlook.gain(foe, 1.0))} on average"
        elif stand is not None and stand.whom and stand.fire >= _LEAST and one.dealt >= _LEAST:
            foe = self._state.units[stand.whom]
            yield f"its fire could cost {foe.name} {_figures(stand.fire / self._outlook.gain(foe, 1.0))}"
        if one.taken >= _LEAST:
            yield f"it should lose {_figures(one.taken)} itself"
        if stand is None:
            return
        yield from self._danger(stand, moved=_moves(one))
        yield from self._way(stand, moved=_moves(one))

    def _danger(self, stand: Stand, *, moved: bool) -> Iterator[str]:
        """Yield what the enemies could do to it, and what it was where it stands now."""
        where = "there" if moved else "here"
        if stand.exposure < _LEAST:
            yield f"no enemy could hurt it {where} with fire"
            return
        now = self._outlook.exposure(self._state.units[stand.unit], self._bodies(stand.unit)) if moved else 0.0
        than = f", and {now:.1f} where it is" if moved and now >= _LEAST else ""
        yield f"the enemies' fire could cost it {_figures(stand.exposure)} {where}{than}"

    def _way(self, stand: Stand, *, moved: bool) -> Iterator[str]:
        """Yield how far it is from where it wants to be."""
        unit = self._state.units[stand.unit]
        goal = self._outlook.goal(unit) if unit.on_table else None
        if goal is None or not moved:
            return
        name = next((one.name for one in self._state.objectives.values() if one.at == goal.at), "its goal")
        off = max(0.0, distance(stand.at, goal.at) - goal.radius)
        before = max(0.0, distance(middle(unit), goal.at) - goal.radius)
        if off == 0:
            yield f"it has {name} then"
        elif before - off >= 500:
            left = f', {off / 1000:.0f}" from it' if off >= 500 else ", and is almost there"
            yield f'it comes {(before - off) / 1000:.0f}" nearer to {name}{left}'
        elif off - before >= 500:
            yield f'it goes {(off - before) / 1000:.0f}" back from {name}'

    def _next_best(self, found: list[Weighed]) -> Iterator[str]:
        """Yield by how much the best answer of another kind is worse."""
        first = found[0]
        for other in found[1:]:
            if other.picked.choice == first.picked.choice and not _names(other):
                continue
            worse = first.score - other.score
            if worse >= _LEAST:
                yield f"next best would be {self._label(other)}, by {_figures(worse)} worse"
            return

    def _label(self, one: Weighed) -> str:
        choice = self._asked.choice(one.picked.choice)
        label = choice.label if isinstance(choice, Choice) else one.picked.choice
        named = _names(one)
        if named and self._state.units[named].name not in label:
            return f"{label} ({self._state.units[named].name})"
        return label

    def _bodies(self, unit: str) -> dict[str, Body]:
        return dict(bodies(self._state.units[unit]))


def _moves(one: Weighed) -> bool:
    return any(isinstance(value, PathsDeclared) and value.paths for value in one.picked.values)


def _names(one: Weighed) -> str:
    """Return the unit that an answer names, or ""."""
    return next((value.unit for value in one.picked.values if isinstance(value, UnitNamed)), "")


def _figures(number: float) -> str:
    return f"{number:.1f} figures"
