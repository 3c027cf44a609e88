"""Contact markers: how many a side has, who comes back from recon duty, and where they are placed.

Which markers of a player are True the player says, and the seat alone knows. Those of a side without a player are shuffled blind:
what one of them is a die says when it is revealed, out of all that are left then. So nothing at all, not even the log, knows it
before (fad4/npc.markers-shuffled).
"""

from __future__ import annotations

from collections.abc import Sequence

from client_protocol.choices import (
    Assigned,
    AssignmentParameter,
    AssignmentRow,
    Choice,
    FiguresPlaced,
    Picked,
    RowOption,
)
from server.kernel import notes
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle, riders
from server.kernel.facts import Noted, Rolled, SideToAct, UnitFormed, UnitLeft, UnitPlaced
from server.kernel.procedure import Steps, ask, roll
from server.kernel.setup_facts import SideDeclared
from server.kernel.space.geometry import Point, distance, inches, moved
from server.kernel.space.sight import stands_in
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.generated import counters
from server.rulesets.fad.generated.choosing import secretly
from server.rulesets.fad.generated.ground import HUNDRED, drawn, other_side
from server.rulesets.fad.generated.noting import (
    DELAYED,
    DUTY,
    STANCE,
    hidden,
    hidden_words,
    hide,
    known,
    platoons,
    scouts,
    troops,
    uncontrolled,
)
from server.rulesets.shared.roll_off import roll_off

LEFT_TO_PLACE, TRUE = "unplaced", "true"
"""How many markers a side has still to place; which of those that it has placed are True."""
SPREAD = "generated.spread."
"""How the markers of a side without a player are placed, by the side."""
DISPERSED, FREE, CONCENTRATED = "dispersed", "free", "concentrated"
AMBUSHED = "ambushed"
"""The reason of a unit that recon duty has destroyed."""
RULE = "scenario.place-markers"


def count_markers(game: FadGame) -> Steps[None]:
    """Count the dummy markers of each side, see who returns from recon duty, and settle who places first."""
    dummies = {side: _dummies(game.rules, game.state, side) for side in game.state.sides}
    for side in list(game.state.sides):
        for unit in hidden_words(game.state, side, DUTY):
            yield from _returns(game, side, unit)
    totals: dict[str, int] = {}
    for side in game.state.sides:
        totals[side] = dummies[side] + len(deploying(game.state, side))
        yield hide(game.state, side, LEFT_TO_PLACE, totals[side])
    first = max(totals, key=lambda side: totals[side])
    if len(set(totals.values())) == 1:
        order = yield from roll_off(game, "first-markers", RULE, "lowest")
        first = order[-1]
    yield SideDeclared(first, "places-first", RULE)
    yield Noted("generated.first", first)
    yield SideToAct(first)


def deploying(state: State, side: str) -> list[Unit]:
    """Return the units of a side for which it has a True marker, or had: those that do not enter later."""
    later = notes.words(state.book, DELAYED)
    return [unit for unit in troops(state, side) if unit.id not in later]


def undeployed(state: State, side: str) -> list[Unit]:
    """Return the units of a side that a marker may still turn out to be."""
    return [unit for unit in deploying(state, side) if not unit.on_table]


def _dummies(rules: FadRules, state: State, side: str) -> int:
    """Return how many dummy markers a side has (fad5/scenario.dummy-markers)."""
    table = rules.book.tables.generating
    each = table.dummies + table.stances[known(state, side, STANCE)].dummies
    flyers = sum(is_vehicle(unit) and rules.airborne(unit) for unit in troops(state, side))
    return max(0, each * platoons(rules, state, side) - flyers)


def _returns(game: FadGame, side: str, unit: str) -> Steps[None]:
    """Roll for a unit that was on recon duty (fad5/scenario.recon-return)."""
    table, rule = game.rules.book.tables.generating, "scenario.recon-return"
    (face,) = yield from roll(1, purpose="recon-return")
    score = face + scouts(game.rules, game.unit(unit))
    # fad5/scenario.recon-return: the total counts, so that a unit that is good at recon is never destroyed
    outcome = AMBUSHED if score <= table.lost else "back" if score >= table.back else "delayed"
    yield Rolled("recon-return", rule, (face,), outcome=outcome, side=side, unit=unit)
    if outcome == AMBUSHED:
        for one in (*riders(game.state, unit), game.unit(unit)):
            yield UnitLeft(one.id, AMBUSHED, rule)
    elif outcome == "delayed":
        yield Noted(DELAYED, (*notes.words(game.state.book, DELAYED), unit))


# --- placing ----------------------------------------------------------------------------------------------------------


def left_to_place(state: State, side: str) -> int:
    """Return how many markers a side has still to place, as far as is known here."""
    own = hidden(state, side, LEFT_TO_PLACE)
    return own if isinstance(own, int) else 0


def place_markers(game: FadGame) -> Steps[None]:
    """Have the side to act place a batch of its markers, and let the other side go on."""
    side = game.state.turn.active
    left = left_to_place(game.state, side)
    count = min(left, game.rules.book.tables.generating.batch)
    numbers = range(len(counters.contacts(game.state, side)) + 1, len(counters.contacts(game.state, side)) + count + 1)
    batch = [counters.counter(game.rules, game.state, side, counters.CONTACT, number) for number in numbers]
    for marker in batch:
        yield UnitFormed(marker, RULE)
    yield hide(game.state, side, LEFT_TO_PLACE, left - count)
    if uncontrolled(game.state, side):
        yield from _draw(game, side, batch)
    else:
        yield from _placed(game, side, batch, left)
    yield SideDeclared(side, "markers-placed", RULE, _counted(count))
    other = other_side(game.state, side)
    if left_to_place(game.state, other):
        yield SideToAct(other)


def _counted(count: int) -> str:
    return "1 contact marker" if count == 1 else f"{count} contact markers"


def _placed(game: FadGame, side: str, batch: Sequence[Unit], left: int) -> Steps[None]:
    """Ask a player where the markers of a batch lie, and which of them are True."""
    seat, zone = game.state.sides[side].seat, game.state.sides[side].zone
    wanted = _row(game.state, side, len(batch))
    parameter = counters.placing(game.believed(seat), batch, zone, wanted)
    own = hidden_words(game.state, side, TRUE)
    true = len(deploying(game.state, side)) - len(own)
    suggested = yield from _shuffled(side, [marker.id for marker in batch], true, left)
    rows = tuple(AssignmentRow(marker.id, marker.name, (RowOption("true", "True: a unit"),)) for marker in batch)
    fewest = max(0, true - (left - len(batch)))
    most = min(len(batch), true)
    told = AssignmentParameter(
        "Which are True", batch[0].id, rows, fewest, most, dict.fromkeys(suggested, "true"), none="Dummy"
    )
    text = "The others see where they lie, and not which of them are True. Which unit a True one is you say when it is revealed."
    choice = Choice("place", f"Place {_counted(len(batch))}", RULE, text, (parameter, told))
    default = Picked("place", (FiguresPlaced(parameter.suggested), Assigned(told.suggested)))
    title = f"Place contact markers: {true} of the {left} that you have left are True"
    picked = yield from ask(seat, Asked(title, (choice,), default, RULE))
    placed, given = picked.values
    assert isinstance(placed, FiguresPlaced), "checked against the choice"
    assert isinstance(given, Assigned), "checked against the choice"
    # Before they are placed, so that their cards are made with what their own player knows.
    yield hide(game.state, side, TRUE, (*own, *given.given))
    for marker, places in zip(batch, placed.places, strict=True):
        yield UnitPlaced(marker.id, places)


def _shuffled(side: str, markers: Sequence[str], true: int, left: int) -> Steps[list[str]]:
    """Return which markers of a batch are suggested as True: a die in secret for each, so that no one can guess it."""
    found: list[str] = []
    for number, marker in enumerate(markers):
        if left - number > 1:
            (face,) = yield from roll(1, min(left - number, 256), stream=secretly(side), purpose="suggested-markers")
        else:
            face = 1
        if face <= true - len(found):
            found.append(marker)
    return found


def _row(state: State, side: str, count: int) -> list[Point]:
    """Return places along the middle of a zone, between those of the batches before."""
    zone, edge = state.sides[side].zone, state.sides[side].edge
    batch = len(counters.contacts(state, side)) // max(1, count)
    shift = (2 * (batch % 5) + 1) * HUNDRED // (10 * count)
    along = [number * HUNDRED // count + shift for number in range(count)]
    if edge in {"west", "east"}:
        return [drawn(zone, HUNDRED // 2, share) for share in along]
    return [drawn(zone, share, HUNDRED // 2) for share in along]


# --- a side without a player ------------------------------------------------------------------------------------------


def _draw(game: FadGame, side: str, batch: Sequence[Unit]) -> Steps[None]:
    """Place a batch where dice say: two places for each marker, of which the first in cover is taken, or the first."""
    rule = "npc.markers-placement"
    spread = notes.word(game.state.book, SPREAD + side, "")
    if not spread:
        (face,) = yield from roll(1, purpose="marker-spread")
        spread = game.rules.book.tables.generating.npc_markers[face - 1]
        yield Rolled("marker-spread", rule, (face,), outcome=spread, side=side)
        yield Noted(SPREAD + side, spread)
    for marker in batch:
        faces = yield from roll(4, HUNDRED, purpose="marker-place")
        at = _found(game.rules, game.state, side, spread, faces)
        yield Rolled("marker-place", rule, faces, HUNDRED, side=side, unit=marker.id)
        yield UnitPlaced(marker.id, {counters.FIGURE: at})


def _found(rules: FadRules, state: State, side: str, spread: str, faces: Sequence[int]) -> Point:
    """Return the place of a marker: the nearest to a drawn one that is in the zone and as far from, or as near to, the
    other markers of the side as the placement says; the least wrong one where there is none.
    """
    table, zone = rules.book.tables.generating, state.sides[side].zone
    others = [counters.at(marker) for marker in counters.contacts(state, side)]
    pairs = [(faces[0], faces[1]), (faces[2], faces[3])]
    if spread == CONCENTRATED and others:
        reach = inches(table.concentrated)
        wanted = [_around(others, reach, *pair) for pair in pairs]
        places = [place for at in wanted if (place := counters.ground(state, zone).nearest(at, counters.RADIUS))]
        fit = [place for place in places if any(distance(place, other) <= reach for other in others)]
        nearest = counters.ground(state, zone).nearest(others[0], counters.RADIUS)
        assert nearest is not None, "a zone has space for a marker"
        return _covered(rules, state, fit or [nearest])
    wanted = [drawn(zone, *pair) for pair in pairs]
    apart = inches(table.dispersed) if spread == DISPERSED else 0
    while True:
        free = counters.ground(state, zone, apart, others if apart else ())
        places = [place for at in wanted if (place := free.nearest(at, counters.RADIUS))]
        if places:
            return _covered(rules, state, places)
        assert apart > 0, "a zone has space for a marker"
        apart = max(0, apart - inches(1))


def _around(others: Sequence[Point], reach: int, one: int, two: int) -> Point:
    """Return a place near one of the markers that lie already: the dice say in which direction and how far."""
    return moved(others[(one + two) % len(others)], one * 36_000 // HUNDRED % 36_000, reach * two // (HUNDRED + 1))


def _covered(rules: FadRules, state: State, places: Sequence[Point]) -> Point:
    cover = rules.cover_pieces(state)
    pieces = [piece for piece in state.table.terrain if piece.id in cover]

    def covered(place: Point) -> bool:
        return any(stands_in(place, counters.RADIUS, piece, rules.edge_reach()) for piece in pieces)

    return next((place for place in places if covered(place)), places[0])
