"""The computer opponent: it weighs a few answers to a prompt by what they promise, and takes the best.

It is given what its seat may know and what its seat is asked, as a player is, and gives a legal answer. It holds nothing from
one decision to the next: the same question with the same seed has the same answer.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from msgspec import Struct

from client_protocol.choices import (
    Assigned,
    Choice,
    FiguresPlaced,
    Parameter,
    PathsDeclared,
    Picked,
    PlacementParameter,
    StopParameter,
    StopTaken,
    UnitNamed,
    UnitParameter,
    Value,
)
from server.kernel.answers.check import Asked, check
from server.kernel.answers.sampling import sample
from server.kernel.bodies import bodies
from server.kernel.hints import Manner
from server.kernel.march import on_the_way
from server.kernel.ruleset import Ruleset
from server.kernel.space.values import Body
from server.kernel.standing import end_bodies
from server.kernel.state import State, Unit
from server.opponents.answers import values
from server.opponents.outlook import Outlook
from server.opponents.strengths import Strength

_UNKNOWN = -0.05
"""What a choice is worth about which nothing is known."""
_MOST_CHOICES = 4
"""How many choices that place a unit are weighed: they are alike."""


class Weighed(Struct, frozen=True):
    """An answer and its worth, in figures: what its fire promises, what it costs, how good the place is in which it ends."""

    picked: Picked
    dealt: float = 0.0
    taken: float = 0.0
    place: float = 0.0
    more: float = 0.0

    @property
    def score(self) -> float:
        """The worth of the answer."""
        return self.dealt - self.taken + self.place + self.more


def decide(rules: Ruleset, believed: State, asked: Asked, seat: str, strength: Strength, seed: str) -> Picked:
    """Return a legal answer to what a seat is asked.

    Args:
        rules: the rules of the match.
        believed: the state as the seat may know it.
        asked: what it is asked.
        seat: the seat.
        strength: how well it looks.
        seed: decides what is left to chance; the same seed gives the same answer.
    """
    chance = random.Random(seed)
    open_choices = [choice for choice in asked.choices if choice.why is None]
    if len(open_choices) == 1 and not open_choices[0].parameters:
        return Picked(open_choices[0].key)
    if chance.randrange(100) < strength.careless:
        picked = sample(believed, asked, chance)
        return picked if check(believed, asked, picked) is None else asked.default
    weighed = weigh(rules, believed, asked, seat, strength, chance)
    for one in sorted(weighed, key=lambda one: -one.score - chance.uniform(0, strength.wobble)):
        if check(believed, asked, one.picked) is None:
            return one.picked
    return asked.default


def weigh(
    rules: Ruleset, believed: State, asked: Asked, seat: str, strength: Strength, chance: random.Random
) -> list[Weighed]:
    """Return the answers that are worth a look, each with what it is worth."""
    side = next((key for key, one in believed.sides.items() if one.seat == seat), "")
    return _Scales(rules, believed, asked, side, strength, chance).weighed()


class _Scales:
    """Weighs the answers to one prompt."""

    def __init__(
        self, rules: Ruleset, believed: State, asked: Asked, side: str, strength: Strength, chance: random.Random
    ) -> None:
        self._rules = rules
        self._state = believed
        self._asked = asked
        self._strength = strength
        self._chance = chance
        self._outlook = Outlook(rules, believed, side)
        unit = believed.units.get(asked.unit)
        self._unit = unit if unit is not None and unit.on_table else None
        self._places: dict[tuple[tuple[str, Body], ...], tuple[float, float, float]] = {}
        self._best_place: float | None = None

    def weighed(self) -> list[Weighed]:
        """Return all answers that are weighed."""
        choices = [choice for choice in self._asked.choices if choice.why is None]
        placing = [choice for choice in choices if _is(choice, PlacementParameter)]
        if len(placing) > _MOST_CHOICES:
            kept = self._chance.sample(placing, _MOST_CHOICES)
            choices = [choice for choice in choices if choice not in placing or choice in kept]
        # Where one could go is known before what one could do there afterwards.
        choices.sort(key=lambda choice: self._rules.hints.manner(choice.key).moves)
        return [one for choice in choices for one in self._choice(choice)]

    def _choice(self, choice: Choice) -> Iterator[Weighed]:
        manner = self._rules.hints.manner(choice.key)
        if not choice.parameters:
            yield self._plain(choice, manner)
            return
        if len(choice.parameters) > 1:
            yield from self._several(choice)
            return
        (parameter,) = choice.parameters
        for value in values(self._outlook, parameter, self._strength, self._chance):
            yield self._weigh(choice, parameter, manner, Picked(choice.key, (value,)), value)

    def _several(self, choice: Choice) -> Iterator[Weighed]:
        """Yield answers with the first value of each parameter."""
        firsts = [
            next(values(self._outlook, parameter, self._strength, self._chance), None)
            for parameter in choice.parameters
        ]
        picked = Picked(choice.key, tuple(value for value in firsts if value is not None))
        if check(self._state, self._asked, picked) is None:
            yield Weighed(picked, more=_UNKNOWN)

    # --- one answer ---------------------------------------------------------------------------------------------------

    def _weigh(self, choice: Choice, parameter: Parameter, manner: Manner, picked: Picked, value: Value) -> Weighed:
        if isinstance(value, PathsDeclared):
            return self._way(manner, picked, value)
        if isinstance(value, UnitNamed):
            assert isinstance(parameter, UnitParameter), "it was made for one"
            named = self._state.units[value.unit]
            if named.side == self._outlook.side:
                return self._own(picked, named)
            return self._at(choice, manner, picked, named)
        if isinstance(value, FiguresPlaced):
            assert isinstance(parameter, PlacementParameter), "it was made for one"
            return self._placed(parameter, picked, value)
        if isinstance(value, StopTaken):
            assert isinstance(parameter, StopParameter), "it was made for one"
            return self._stop(parameter, picked, value)
        dealt, taken = self._told(choice, picked)
        place = self._here(manner)
        if isinstance(value, Assigned) and not choice.preview:
            # The first of these is the suggestion.
            return Weighed(picked, dealt, taken, place, manner.worth)
        return Weighed(picked, dealt, taken, place, manner.worth)

    def _plain(self, choice: Choice, manner: Manner) -> Weighed:
        picked = Picked(choice.key)
        dealt, taken = self._told(choice, picked)
        if manner.fire and self._unit is not None:
            dealt += manner.fire * self._standing(self._unit, bodies(self._unit))[0]
        return Weighed(picked, dealt, taken, self._here(manner), manner.worth)

    def _way(self, manner: Manner, picked: Picked, value: PathsDeclared) -> Weighed:
        unit = self._state.units[self._moving(picked)]
        fire, exposure, pull = self._standing(unit, end_bodies(unit, value))
        place = pull - self._strength.cautious * manner.seen * exposure
        if manner.fire and (self._best_place is None or place > self._best_place):
            self._best_place = place
        return Weighed(picked, manner.fire * fire, 0.0, place, manner.worth)

    def _moving(self, picked: Picked) -> str:
        choice = self._asked.choice(picked.choice)
        assert choice is not None, "it is one of them"
        unit: str = getattr(choice.parameters[0], "unit", self._asked.unit)
        return unit

    def _own(self, picked: Picked, unit: Unit) -> Weighed:
        """Weigh naming a unit of one's own, mostly to have it act: the one that has most to do, or most to fear."""
        if not unit.on_table:
            return Weighed(picked)
        fire, exposure, pull = self._standing(unit, bodies(unit))
        return Weighed(picked, dealt=fire, more=0.4 * exposure - 0.3 * pull)

    def _at(self, choice: Choice, manner: Manner, picked: Picked, foe: Unit) -> Weighed:
        dealt, taken = self._told(choice, picked)
        if self._rules.hints.bystander(foe):
            return Weighed(picked, more=-1.0)
        place = self._here(manner)
        if manner.moves and self._best_place is not None:
            place = max(place, self._best_place)
        return Weighed(picked, self._outlook.gain(foe, dealt), taken, place, manner.worth)

    def _placed(self, parameter: PlacementParameter, picked: Picked, value: FiguresPlaced) -> Weighed:
        total = 0.0
        for key, places in zip(parameter.units, value.places, strict=True):
            unit = self._state.units[key]
            stand = {one: Body(at, unit.figures[one].radius) for one, at in places.items()}
            fire, exposure, pull = self._standing(unit, stand)
            covered = self._outlook.cover(stand.values()) != self._rules.hints.covers(())
            total += 0.3 * fire + pull - self._strength.cautious * exposure + (0.5 if covered else 0.0)
        return Weighed(picked, place=total)

    def _stop(self, parameter: StopParameter, picked: Picked, value: StopTaken) -> Weighed:
        paths = {key: path[1:] for key, path in parameter.paths.items()}
        there = on_the_way(self._state, parameter.unit, paths, value.at / 1000)
        unit = there.units[parameter.unit]
        return Weighed(picked, dealt=self._standing(unit, bodies(unit))[0])

    # --- what it is worth ---------------------------------------------------------------------------------------------

    def _told(self, choice: Choice, picked: Picked) -> tuple[float, float]:
        """Return what the preview of an answer says: losses dealt and taken."""
        if not choice.preview:
            return 0.0, 0.0
        preview = self._rules.preview(self._state, self._asked, picked)
        if preview is None:
            return 0.0, 0.0
        worth = self._rules.hints.told(self._state, self._asked.unit, preview)
        return worth.dealt, worth.taken

    def _here(self, manner: Manner) -> float:
        if self._unit is None:
            return 0.0
        _, exposure, pull = self._standing(self._unit, bodies(self._unit))
        return pull - self._strength.cautious * manner.seen * exposure

    def _standing(self, unit: Unit, places: Mapping[str, Body]) -> tuple[float, float, float]:
        """Return what a unit's fire promises if it stands so, what enemies could do to it, and how well it stands there for
        where it wants to go.
        """
        key = (unit.id, *sorted(places.items(), key=lambda item: item[0]))
        known = self._places.get(key)  # type: ignore[arg-type]
        if known is None:
            fire, _ = self._outlook.fire_from(unit, places)
            exposure = self._outlook.exposure(unit, places) if self._strength.cautious else 0.0
            known = (fire, exposure, self._outlook.pull(unit, places))
            self._places[key] = known  # type: ignore[index]
        return known


def _is(choice: Choice, kind: type) -> bool:
    return any(isinstance(parameter, kind) for parameter in choice.parameters)
