"""Laying minefields: one of each side before it deploys, and others by rounds (fad5/adv.mines.placement,
fad5/munition.mine-layer).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from msgspec.structs import replace

from client_protocol.choices import (
    Assigned,
    AssignmentParameter,
    AssignmentRow,
    Choice,
    FiguresPlaced,
    Picked,
    PointParameter,
    PointTaken,
    RowOption,
    Why,
)
from client_protocol.from_server import Chance
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle
from server.kernel.facts import Declared, Noted, UnitFormed
from server.kernel.notes import words
from server.kernel.procedure import Steps, ask, roll
from server.kernel.setup_facts import SideDeclared, UnitsRemoved
from server.kernel.space.geometry import FULL_TURN, Point, centroid, inches, inches_text, moved, to_point
from server.kernel.state import State, Unit
from server.kernel.traits import has
from server.rulesets.fad.attached import is_character
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.generated import counters
from server.rulesets.fad.generated.choosing import secretly
from server.rulesets.fad.generated.noting import uncontrolled
from server.rulesets.fad.modules.demolitions import ENGINEER
from server.rulesets.fad.modules.mines.fields import MARKERS, RULE, Field, free_letter, lay, number
from server.rulesets.shared.words.chances import chance_line

DONE = "mines.laid"
"""The note that lists the sides that have laid their fields."""
COUNTER = "mine"
"""The kind of the counters that stand for markers while they are being placed."""
LAID = "minefield"
LAYS, LAYS_SPIDERS = "lays_mines", "lays_spiders"
"""The traits of rounds that lay minefields."""
SCATTERS = "mines-laid"
SPREAD = 2000
"""How far from where a round landed its markers lie if their player says nothing else, in mil."""
NO_COMMANDER = "none"
LIGHT = "anti-personnel"
"""The type of spider mines (fad5/gear.spider-mines-damage)."""


# --- before the sides deploy --------------------------------------------------------------------------------------------


def due(state: State) -> bool:
    """Return whether a side has still to lay its field."""
    return len(words(state.book, DONE)) < len(state.sides)


def prepare(game: FadGame) -> Steps[None]:
    """Have the next side lay a field."""
    done = words(game.state.book, DONE)
    side = next(side for side in game.state.sides if side not in done)
    letter = free_letter(game.state)
    field = Field(letter, side, "", _pieces(letter))
    batch = [
        replace(counters.counter(game.rules, game.state, side, COUNTER, count), name=f"Mine marker {letter}{count}")
        for count in range(1, MARKERS + 1)
    ]
    for marker in batch:
        yield UnitFormed(marker, RULE)
    seat = game.state.sides[side].seat
    width, height = game.state.table.width, game.state.table.height
    whole = ((0, 0), (width, 0), (width, height), (0, height))
    parameter = counters.placing(game.believed(seat), batch, whole, _before_zone(game.rules, game.state, side))
    suggested = yield from _drawn(game, side, field)
    told = _which(game.rules, field, batch[0].id, suggested)
    default = Picked("lay", (FiguresPlaced(parameter.suggested), Assigned(suggested)))
    picked = default
    if not uncontrolled(game.state, side):
        text = "The others see where the three markers lie, and not which of them is the mine. Units of both sides set it off."
        choice = Choice("lay", "Lay the minefield", RULE, text, (parameter, told))
        picked = yield from ask(
            seat, Asked(f"Lay minefield {letter}: a mine and two dummies", (choice,), default, RULE)
        )
    placed, given = picked.values
    assert isinstance(placed, FiguresPlaced), "checked against the choice"
    assert isinstance(given, Assigned), "checked against the choice"
    yield UnitsRemoved(tuple(marker.id for marker in batch), RULE)
    yield SideDeclared(side, LAID, RULE, letter)
    (piece, kind), *_ = given.given.items()
    yield from lay(game, field, piece, kind, [places[counters.FIGURE] for places in placed.places])
    yield Noted(DONE, (*done, side))


def _pieces(letter: str) -> tuple[str, ...]:
    return tuple(f"{COUNTER}.{letter}.{count}" for count in range(1, MARKERS + 1))


def _before_zone(rules: FadRules, state: State, side: str) -> list[Point]:
    """Return three places before the middle of a side's zone, towards the middle of the table."""
    zone, table = state.sides[side].zone, state.table
    own = centroid(zone) if zone else (table.width // 2, 0)
    apart, middle = inches(rules.book.tables.mines.apart), (table.width / 2, table.height / 2)
    flat = abs(middle[0] - own[0]) < abs(middle[1] - own[1])
    to_x, to_y = ((own[0] + middle[0]) / 2, (own[1] + middle[1]) / 2)
    steps = [(count - 1) * apart for count in range(MARKERS)]
    wanted = [(to_x + step, to_y) if flat else (to_x, to_y + step) for step in steps]
    return [_on_table(state, to_point(at)) for at in wanted]


def _on_table(state: State, at: Point) -> Point:
    edge = counters.RADIUS
    return (
        min(max(at[0], edge), state.table.width - edge),
        min(max(at[1], edge), state.table.height - edge),
    )


def _drawn(game: FadGame, side: str, field: Field, types: Sequence[str] = ()) -> Steps[dict[str, str]]:
    """Return which marker is suggested as the mine, and its type: dice in secret, so that no one can guess it."""
    kinds = types or tuple(game.rules.book.mines)
    which, kind = yield from roll(2, MARKERS * len(kinds), stream=secretly(side), purpose="minefield-suggested")
    return {field.pieces[(which - 1) % MARKERS]: kinds[(kind - 1) % len(kinds)]}


def _which(
    rules: FadRules, field: Field, unit: str, suggested: dict[str, str], types: Sequence[str] = ()
) -> AssignmentParameter:
    options = tuple(
        RowOption(key, row.name, note=f"damage +{row.damage}, anti-tank +{row.anti_tank}")
        for key, row in rules.book.mines.items()
        if not types or key in types
    )
    rows = tuple(AssignmentRow(piece, f"Marker {number(field, piece)}", options) for piece in field.pieces)
    return AssignmentParameter("Which marker is the mine", unit, rows, 1, 1, suggested, none="Dummy")


# --- by rounds ----------------------------------------------------------------------------------------------------------


def scatter_mines(game: FadGame, unit: str, _weapon: str, at: Point) -> Steps[None]:
    """Lay a field of mines where a round lands."""
    yield from _scatter(game, unit, at, spiders=False)


def scatter_spiders(game: FadGame, unit: str, _weapon: str, at: Point) -> Steps[None]:
    """Lay a field of spider mines where a round lands."""
    yield from _scatter(game, unit, at, spiders=True)


def _scatter(game: FadGame, unit: str, at: Point, *, spiders: bool) -> Steps[None]:
    # A round that has gone astray over the edge of the table lays its field at that edge.
    middle, side = _on_table(game.state, at), game.unit(unit).side
    letter = free_letter(game.state)
    field = Field(letter, side, "", _pieces(letter))
    yield Declared(unit, SCATTERS, RULE)
    types = (LIGHT,) if spiders else tuple(game.rules.book.mines)
    suggested = yield from _drawn(game, side, field, types)
    wanted = [
        _on_table(game.state, to_point(moved(middle, turn * FULL_TURN // MARKERS, SPREAD))) for turn in range(MARKERS)
    ]
    places, given, commander = wanted, suggested, ""
    able = _commanders(game.state, side) if spiders else []
    if not uncontrolled(game.state, side):
        seat = game.state.sides[side].seat
        limit = inches(game.rules.book.tables.mines.scatter)
        spots = tuple(
            near(game.state, unit, f"Marker {number(field, piece)}", middle, limit, wanted[place])
            for place, piece in enumerate(field.pieces)
        )
        told = _which(game.rules, field, unit, suggested, types)
        text = f"Each marker lies within {inches_text(limit)} of where the round landed."
        choice = Choice("lay", "Lay the minefield", RULE, text, (*spots, told))
        default = Picked("lay", (*(PointTaken(place) for place in wanted), Assigned(suggested)))
        title = f"Lay minefield {letter}: a mine and two dummies"
        picked = yield from ask(seat, Asked(title, (choice,), default, RULE, unit))
        *points, answer = picked.values
        assert isinstance(answer, Assigned), "checked against the choice"
        places, given = [point.at for point in points if isinstance(point, PointTaken)], dict(answer.given)
        if able:
            commander = yield from _commanded(seat, letter, able)
    elif able:
        commander = able[0].id
    (piece, kind), *_ = given.items()
    yield from lay(game, replace(field, commander=commander), piece, kind, places)


def near(state: State, unit: str, label: str, at: Point, reach: int, suggested: Point) -> PointParameter:
    """Return the question for a point within `reach` mil of another one."""
    figure = next(iter(state.units[unit].figures))
    nothing = Why("Any point will do.", RULE)
    return PointParameter(label, unit, figure, reach, 0, (), nothing, suggested, RULE, around=at)


def _commanders(state: State, side: str) -> list[Unit]:
    """Return the units of a side that can command spider mines: a character, or one with an engineer (fad5/gear.spider-mines)."""
    return [
        unit
        for unit in state.units.values()
        if unit.side == side
        and unit.on_table
        and not is_vehicle(unit)
        and (is_character(unit) or any(has(figure, ENGINEER) for figure in unit.living.values()))
    ]


def _commanded(seat: str, letter: str, able: Sequence[Unit]) -> Steps[str]:
    """Ask which unit commands a field of spider mines, and return it; "" for none."""
    choices = (
        *(Choice(f"commander:{unit.id}", unit.name, RULE, "It moves them when it activates.") for unit in able),
        Choice(NO_COMMANDER, "None", RULE, "They stay where they lie."),
    )
    title = f"Which unit commands the spider mines of field {letter}?"
    picked = yield from ask(seat, Asked(title, choices, Picked(choices[0].key), RULE))
    return picked.choice.partition(":")[2]


def foretell_landing(_rules: FadRules, _state: State, _at: Point, on_target: Fraction) -> tuple[Chance, ...]:
    """Return how likely a minefield lies where the round is aimed."""
    return (chance_line("A minefield lies there", on_target),)
