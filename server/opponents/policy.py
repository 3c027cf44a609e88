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
from server.kernel.space.geometry import Point, centroid
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


class Stand(Struct, frozen=True):
    """A unit as it would stand: what its fire promises and at which enemy, what the enemies' fire could do to it (figures), how
    good the place is for where it wants to go, and its middle.
    """

    unit: str
    fire: float
    whom: str
    exposure: float
    pull: float
    at: Point


class Weighed(Struct, frozen=True):
    """An answer and its worth, in figures: what its fire promises, what it costs, how good the place is in which it ends.
    `stand` is how the unit stands then, `at` the enemy that the answer names, where that is so.
    """

    picked: Picked
    dealt: float = 0.0
    taken: float = 0.0
    place: float = 0.0
    more: float = 0.0
    stand: Stand | None = None
    at: str = ""

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
    return next((one.picked for one in _best(rules, believed, asked, seat, strength, chance)), asked.default)


def best(rules: Ruleset, believed: State, asked: Asked, seat: str, strength: Strength, seed: str) -> Iterator[Weighed]:
    """Yield the legal answers to what a seat is asked, the best first: those of which `decide` gives the first, if the strength
    leaves nothing to chance. The arguments are those of `decide`.
    """
    chance = random.Random(seed)
    chance.randrange(100)
    return _best(rules, believed, asked, seat, strength, chance)


def _best(
    rules: Ruleset, believed: State, asked: Asked, seat: str, strength: Strength, chance: random.Random
) -> Iterator[Weighed]:
    weighed = weigh(rules, believed, asked, seat, strength, chance)
    for one in sorted(weighed, key=lambda one: -one.score - chance.uniform(0, strength.wobble)):
        if check(believed, asked, one.picked) is None:
            yield one


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
        self._places: dict[tuple[tuple[str, Body], ...], Stand] = {}
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
            return self._placed(parameter, manner, picked, value)
        if isinstance(value, StopTaken):
            assert isinstance(parameter, StopParameter), "it was made for one"
            return self._stop(parameter, picked, value)
        dealt, taken = self._told(choice, picked)
        place = self._here(manner)
        if isinstance(value, Assigned) and not choice.preview:
            # The first of these is the suggestion.
            return Weighed(picked, dealt, taken, place, manner.worth, self._stand())
        return Weighed(picked, dealt, taken, place, manner.worth, self._stand())

    def _plain(self, choice: Choice, manner: Manner) -> Weighed:
        picked = Picked(choice.key)
        dealt, taken = self._told(choice, picked)
        if manner.fire and self._unit is not None:
            dealt += manner.fire * self._standing(self._unit, bodies(self._unit)).fire
        return Weighed(picked, dealt, taken, self._here(manner), manner.worth, self._stand())

    def _way(self, manner: Manner, picked: Picked, value: PathsDeclared) -> Weighed:
        unit = self._state.units[self._moving(picked)]
        stand = self._standing(unit, end_bodies(unit, value))
        place = stand.pull - self._strength.cautious * manner.seen * stand.exposure
        if manner.fire and (self._best_place is None or place > self._best_place):
            self._best_place = place
        return Weighed(picked, manner.fire * stand.fire, 0.0, place, manner.worth, stand)

    def _moving(self, picked: Picked) -> str:
        choice = self._asked.choice(picked.choice)
        assert choice is not None, "it is one of them"
        unit: str = getattr(choice.parameters[0], "unit", self._asked.unit)
        return unit

    def _own(self, picked: Picked, unit: Unit) -> Weighed:
        """Weigh naming a unit of one's own, mostly to have it act: the one that has most to do, or most to fear."""
        if not unit.on_table:
            return Weighed(picked)
        stand = self._standing(unit, bodies(unit))
        return Weighed(picked, dealt=stand.fire, more=0.4 * stand.exposure - 0.3 * stand.pull, stand=stand)

    def _at(self, choice: Choice, manner: Manner, picked: Picked, foe: Unit) -> Weighed:
        dealt, taken = self._told(choice, picked)
        if self._rules.hints.bystander(foe):
            return Weighed(picked, more=-1.0)
        place = self._here(manner)
        if manner.moves and self._best_place is not None:
            place = max(place, self._best_place)
        return Weighed(picked, self._outlook.gain(foe, dealt), taken, place, manner.worth, self._stand(), foe.id)

    def _placed(self, parameter: PlacementParameter, manner: Manner, picked: Picked, value: FiguresPlaced) -> Weighed:
        total, last = 0.0, None
        for key, places in zip(parameter.units, value.places, strict=True):
            unit = self._state.units[key]
            stand = {one: Body(at, unit.figures[one].radius) for one, at in places.items()}
            last = self._standing(unit, stand)
            covered = self._outlook.cover(stand.values()) != self._rules.hints.covers(())
            total += 0.3 * last.fire + last.pull - self._strength.cautious * last.exposure + (0.5 if covered else 0.0)
        return Weighed(picked, place=total, more=manner.worth, stand=last)

    def _stop(self, parameter: StopParameter, picked: Picked, value: StopTaken) -> Weighed:
        paths = {key: path[1:] for key, path in parameter.paths.items()}
        there = on_the_way(self._state, parameter.unit, paths, value.at / 1000)
        unit = there.units[parameter.unit]
        stand = self._standing(unit, bodies(unit))
        return Weighed(picked, dealt=stand.fire, stand=stand)

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
        stand = self._standing(self._unit, bodies(self._unit))
        return stand.pull - self._strength.cautious * manner.seen * stand.exposure

    def _stand(self) -> Stand | None:
        """Return how the unit stands that the prompt is about, if it has been looked at: it stays there."""
        if self._unit is None:
            return None
        places = bodies(self._unit)
        return self._places.get((self._unit.id, *sorted(places.items(), key=lambda item: item[0])))  # type: ignore[arg-type]

    def _standing(self, unit: Unit, places: Mapping[str, Body]) -> Stand:
        """Return how a unit would stand."""
        key = (unit.id, *sorted(places.items(), key=lambda item: item[0]))
        known = self._places.get(key)  # type: ignore[arg-type]
        if known is None:
            fire, whom = self._outlook.fire_from(unit, places)
            exposure = self._outlook.exposure(unit, places) if self._strength.cautious else 0.0
            x, y = centroid([body.at for body in places.values()])
            known = Stand(unit.id, fire, whom, exposure, self._outlook.pull(unit, places), (round(x), round(y)))
            self._places[key] = known  # type: ignore[index]
        return known


def _is(choice: Choice, kind: type) -> bool:
    return any(isinstance(parameter, kind) for parameter in choice.parameters)
