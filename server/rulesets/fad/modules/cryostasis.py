"""CryoStasis units: transports that take wounded out of the battle, and keep them alive (fad4/tech.weapon-tables)."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.choices import Choice, FiguresParameter, FiguresPicked, Picked
from client_protocol.view import CardLine
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle
from server.kernel.errors import RulesetError
from server.kernel.facts import Declared, FiguresGained, FiguresLost, Noted
from server.kernel.procedure import Steps, ask
from server.kernel.state import State, Unit
from server.kernel.traits import has, of
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.module import FadModule, FigureMarker
from server.rulesets.fad.modules.recover_wounded import (
    LEFT_LYING,
    NERVE_STRUCK,
    RECOVER_WOUNDED,
    STABILISED,
    WOUNDED,
)
from server.rulesets.fad.vehicles.reaching import in_contact
from server.rulesets.shared.modules import Declaration

RULE = "tech.cryostasis"
CRYOSTASIS = "cryostasis"
"""The trait of transports that have such a unit."""
IN_STASIS = "in_stasis"
"""The marker on wounded that one holds."""
HELD = "cryostasis.held"
"""The note of a match that lists who is held: the vehicle, the unit and the figure."""
TAKES, LEAVES, LOSES = "takes-in", "leaves-lying", "loses-stasis"

_EACH_SEAT = 2


def held(state: State) -> tuple[tuple[str, str, str], ...]:
    """Return who is held, as (vehicle, unit, figure). Raises `ValueError` if the note holds something else."""
    rows = state.book.get(HELD, ())
    if not isinstance(rows, tuple):
        raise ValueError(rows)  # noqa: TRY004 - the caller knows one kind of error for all notes that cannot be read
    return tuple(map(_row, rows))


def _row(row: object) -> tuple[str, str, str]:
    match row:
        case (str(vehicle), str(unit), str(figure)):
            return vehicle, unit, figure
        case _:
            raise ValueError(row)


def _places(vehicle: Unit) -> int:
    """Return how many wounded a vehicle holds at most: twice as many as it has seats."""
    return _EACH_SEAT * vehicle.seats


def _taken(state: State, vehicle: Unit) -> int:
    return sum(row[0] == vehicle.id for row in held(state))


# --- taking them in -------------------------------------------------------------------------------------------------


def _arrived(game: FadGame, vehicle_id: str) -> Steps[None]:
    vehicle = game.unit(vehicle_id)
    if not has(vehicle, CRYOSTASIS) or not game.rules.plays(game.state, RECOVER_WOUNDED.id):
        return
    for host in [unit.id for unit in game.state.units_of(vehicle.side) if not is_vehicle(unit)]:
        free = _places(vehicle) - _taken(game.state, vehicle)
        found = tuple(
            key
            for key, figure in game.unit(host).figures.items()
            if not {WOUNDED, STABILISED}.isdisjoint(figure.conditions) and in_contact(vehicle, figure)
        )
        if found and free > 0:
            yield from _offer(game, vehicle_id, host, found, min(free, len(found)))


def _offer(game: FadGame, vehicle: str, host: str, found: tuple[str, ...], most: int) -> Steps[None]:
    name, whose = game.unit(vehicle).name, game.unit(host).name
    pick = FiguresParameter("Wounded", host, found, 1, most)
    text = "They count as stabilised, and are out of the match unless the vehicle is lost: then they are too."
    choices = (
        Choice(TAKES, f"Take wounded of {whose} in", RULE, text, (pick,)),
        Choice(LEAVES, "Leave them", RULE),
    )
    default = Picked(TAKES, (FiguresPicked(found[:most]),))
    asked = Asked(f"{name} reaches wounded of {whose}", choices, default, RULE, vehicle)
    picked = yield from ask(game.state.seat_of(vehicle), asked)
    if picked.choice == LEAVES:
        return
    value = picked.values[0]
    assert isinstance(value, FiguresPicked), "checked against the choice"
    taken = tuple(key for key in found if key in value.figures)
    yield Declared(vehicle, TAKES, RULE, host)
    for marker in (WOUNDED, STABILISED, LEFT_LYING, NERVE_STRUCK):
        marked = tuple(key for key in taken if marker in game.unit(host).figures[key].conditions)
        if marked:
            yield FiguresLost(host, marked, marker, RULE)
    yield FiguresGained(host, taken, IN_STASIS, RULE)
    yield Noted(HELD, (*held(game.state), *((vehicle, host, key) for key in taken)))


def _ended(game: FadGame, _unit: str) -> Steps[None]:
    """Let those be casualties whom a vehicle held that is gone."""
    rows = held(game.state)
    lost = [vehicle for vehicle in dict.fromkeys(row[0] for row in rows) if game.unit(vehicle).left]
    for vehicle in lost:
        yield Declared(vehicle, LOSES, RULE)
        for unit in dict.fromkeys(row[1] for row in rows if row[0] == vehicle):
            figures = tuple(row[2] for row in rows if row[:2] == (vehicle, unit))
            yield FiguresLost(unit, figures, IN_STASIS, RULE)
    if lost:
        yield Noted(HELD, tuple(row for row in rows if row[0] not in lost))


# --- words and files ------------------------------------------------------------------------------------------------


def _card(_rules: FadRules, state: State, vehicle: Unit) -> Iterator[CardLine]:
    if has(vehicle, CRYOSTASIS):
        yield CardLine("CryoStasis", f"{_taken(state, vehicle)} of {_places(vehicle)} wounded", RULE)


def _suits(_rules: FadRules, unit: Unit) -> None:
    """Refuse a CryoStasis unit on what carries no one. Raises `RulesetError`."""
    if CRYOSTASIS in of(unit) and not (is_vehicle(unit) and unit.seats):
        raise RulesetError(f"{unit.name}: a CryoStasis unit is mounted on a transport vehicle")


def _admit(state: State) -> None:
    try:
        rows = held(state)
    except ValueError:
        raise RulesetError(f"the book's {HELD} list a vehicle, a unit and a figure each") from None
    for vehicle, unit, figure in rows:
        if vehicle not in state.units or unit not in state.units or figure not in state.units[unit].figures:
            raise RulesetError(f"the book's {HELD} name a unit or figure that is not there")


STASIS = FadModule(
    id="cold_sleep",
    figure_markers=(FigureMarker(IN_STASIS, fallen=True, alive=True, treated=True),),
    arrived=_arrived,
    ended=_ended,
    vehicle_card=_card,
    suits=_suits,
    declares={
        TAKES: Declaration("takes wounded in of", "morale"),
        LOSES: Declaration("is lost with the wounded that it held in stasis", "loss"),
    },
    admit=_admit,
)
