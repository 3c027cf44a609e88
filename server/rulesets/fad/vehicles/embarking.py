"""Getting into a vehicle: at the end of a Move or Rush, with every figure in contact (fad4/transport.embark,
fad5/transport.boarding).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from client_protocol.choices import Choice, PathParameter, PathsDeclared, Picked
from server.kernel.answers.check import check_path
from server.kernel.bodies import is_vehicle, riders
from server.kernel.facts import ActivationBegan, ActivationEnded, Declared, UnitBoarded
from server.kernel.procedure import Steps
from server.kernel.space.values import Base
from server.kernel.standing import hulls
from server.kernel.state import State, Unit
from server.rulesets.fad import movement
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.module import Act
from server.rulesets.fad.travel import go
from server.rulesets.fad.vehicles.transport import carriers, contact, seats_taken
from server.rulesets.fad.vehicles.walls import reaches
from server.rulesets.shared import boarding
from server.rulesets.shared.distances import apart
from server.rulesets.shared.ways import Finder

RULE = "transport.embark"
_EMBARK = "embark:"
_RULES = {movement.MOVE: "move.infantry", movement.RUSH: "move.rush"}
_ACTIONS = {
    movement.MOVE: ("engage", "action.engage-infantry"),
    movement.RUSH: ("move-out", "action.move-out-infantry"),
}


# --- on foot to the vehicle -----------------------------------------------------------------------------------------


def choices(rules: FadRules, state: State, unit: Unit, manners: tuple[str, ...]) -> Iterator[Choice]:
    """Yield a choice for each vehicle that the unit reaches with all of its figures, in the first of these `manners` (move,
    rush) in which the server finds the way.
    """
    if rules.barred(state, unit, Act.MOVE) is not None:
        return
    searches = _Searches(rules, state, unit)
    for vehicle in carriers(rules, state, unit):
        carrier = state.units[vehicle]
        if not carrier.on_table:
            continue
        manner = next((one for one in manners if searches.way(vehicle, one) is not None), None)
        if manner is not None:
            seats = boarding.seats_text(state, vehicle, partial(seats_taken, rules))
            said = f"All figures {movement_word(manner)} up to it and get in. {seats}"
            yield Choice(f"{_EMBARK}{manner}:{vehicle}", f"Get into {carrier.name}", RULE, said)


def movement_word(manner: str) -> str:
    """Return how figures go in this manner, in a word."""
    return "rush" if manner == movement.RUSH else "move"


def picked_way(picked: Picked) -> tuple[str, str] | None:
    """Return the manner and the vehicle of a choice to get in, or None if it is another choice."""
    if not picked.choice.startswith(_EMBARK):
        return None
    manner, _, vehicle = picked.choice.removeprefix(_EMBARK).partition(":")
    return manner, vehicle


class _Searches:
    """Searches for ways of one unit into vehicles. What was found out about the ground serves all of them."""

    def __init__(self, rules: FadRules, state: State, unit: Unit) -> None:
        self._rules, self._state, self._unit = rules, state, unit
        self._finders: dict[str, tuple[PathParameter, Finder]] = {}

    def way(self, vehicle: str, manner: str) -> PathsDeclared | None:
        """Return a way on which all figures come into contact with a vehicle; None if the server finds none."""
        rules, state, unit = self._rules, self._state, self._unit
        if manner == movement.RUSH and ("no_rush" in rules.armour(unit).traits or rules.barred(state, unit, Act.RUSH)):
            return None
        parameter, finder = self._finder(manner)
        if apart(unit, state.units[vehicle]) > parameter.allowance + contact(rules):
            return None
        # What was offered is taken a moment later, when no unit has moved.
        ground = (state.table.terrain, [other.figures for other in state.units.values() if other.on_table], parameter)
        carrier = state.units[vehicle]
        known = rules.embarkings.get(unit.figures, carrier.figures)
        if known is not None and known[0] == ground:
            return known[1]
        found = self._search(vehicle, parameter, finder)
        rules.embarkings.keep(unit.figures, carrier.figures, (ground, found))
        return found

    def _search(self, vehicle: str, parameter: PathParameter, finder: Finder) -> PathsDeclared | None:
        rules, state, unit = self._rules, self._state, self._unit
        near_by = contact(rules)
        sides = hulls(state, only=[vehicle])
        off = {key: _off(unit, key, state.units[vehicle]) for key in unit.living}
        near = sorted(off, key=off.__getitem__)
        # A figure that is too far off even in a straight line has no way, nor has one that has none before others are in contact.
        farthest = near[-1]
        if off[farthest] > parameter.allowance + near_by + 1:
            return None
        alone = finder.near(farthest, (), sides, near_by)
        if alone is None:
            return None
        # The farthest take the places on their side; those nearer have the reach to go round. Mostly the first order does it.
        for order in (near[::-1], near):
            paths: dict[str, tuple[tuple[int, int], ...]] = {}
            taken: list[Base] = []
            for key in order:
                own = finder.near(key, (), sides, near_by, taken, quick=True) if taken or key != farthest else alone
                if own is None:
                    break
                figure = unit.figures[key]
                assert figure.at is not None, "only figures on the table get in"
                taken.append((own[-1] if own else figure.at, figure.radius))
                if own:
                    paths[key] = own
            else:
                declared = PathsDeclared(paths)
                there = reaches(rules, state, unit, state.units[vehicle], taken, RULE)
                if there and check_path(state, parameter, declared) is None:
                    return declared
        return None

    def _finder(self, manner: str) -> tuple[PathParameter, Finder]:
        """Return how the unit may move in this manner, and the finder of such paths."""
        known = self._finders.get(manner)
        if known is None:
            rules, state, unit = self._rules, self._state, self._unit
            ends = movement.rush_ends(rules, state, unit) if manner == movement.RUSH else ()
            parameter = movement.path_parameter(rules, state, unit.id, manner, ends)
            known = self._finders[manner] = (parameter, Finder(state, parameter))
        return known


def _off(unit: Unit, key: str, vehicle: Unit) -> int:
    alone = Unit(unit.id, unit.side, unit.name, unit.number, {}, {key: unit.figures[key]})
    return apart(alone, vehicle)


def embark(game: FadGame, unit: str, vehicle: str, manner: str, *, declare: bool = True) -> Steps[None]:
    """Move a unit into contact with a vehicle, and let it get in."""
    if declare:
        action, rule = _ACTIONS[manner]
        yield Declared(unit, action, rule)
    state = game.believed(game.state.seat_of(unit))
    declared = _Searches(game.rules, state, state.units[unit]).way(vehicle, manner)
    assert declared is not None, "offered only with a way"
    if declared.paths:
        yield from go(game, unit, declared, manner, _RULES[manner])
        if game.unit(unit).left:
            return
    # fad4/move.variable: a move that is rolled for may end before all have got there
    if _come_up(game.rules, game.state, unit, [vehicle]):
        yield UnitBoarded(unit, vehicle, RULE)


# --- at the end of a move -------------------------------------------------------------------------------------------


def offer_seats(game: FadGame, unit: str) -> Steps[None]:
    """Offer a seat to a squad that has ended its Move or Rush with every figure in contact with a vehicle."""
    if game.unit(unit).left:
        return
    state = game.believed(game.state.seat_of(unit))
    vehicles = _come_up(game.rules, state, unit, carriers(game.rules, state, state.units[unit]))
    yield from boarding.offer(game, unit, vehicles, RULE, partial(seats_taken, game.rules))


def _come_up(rules: FadRules, state: State, unit: str, vehicles: Sequence[str]) -> list[str]:
    """Return those of the vehicles that every figure of a unit has come up to, with no wall in between."""
    near, own = boarding.within(state, unit, vehicles, contact(rules)), state.units[unit]
    return [key for key in near if reaches(rules, state, own, state.units[key], own.places(), RULE)]


def join(game: FadGame, unit: str) -> Steps[None]:
    """Let a vehicle that a squad has got into count as activated, and all who were aboard before: they are one unit now
    (fad4/transport.single-unit). Its markers stay until it really activates.
    """
    vehicle = game.unit(unit).aboard
    if not game.rules.book.tables.transport.together:
        # fad5/transport.boarding: the vehicle may still activate
        return
    if not vehicle or is_vehicle(game.unit(unit)):
        return
    for one in (vehicle, *(other.id for other in riders(game.state, vehicle))):
        if game.unit(one).activated < game.state.turn.number:
            yield ActivationBegan(one)
            yield ActivationEnded(one)
