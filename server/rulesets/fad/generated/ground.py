"""The edges of the table, the zones and the objective markers (fad4/npc.terrain-edge, fad5/scenario.choose-edge).

The terrain is that of the scenario, which both sides agreed to by playing it (fad5/scenario.terrain).
"""

from __future__ import annotations

from client_protocol.choices import Choice, FiguresPlaced, Picked
from server.kernel.answers.check import Asked
from server.kernel.facts import Noted, Rolled, UnitFormed
from server.kernel.procedure import Steps, ask, roll
from server.kernel.setup_facts import AssetGained, ObjectivePlaced, SideDeclared, SideSettled, UnitsRemoved
from server.kernel.space.geometry import Point, bounds, inches
from server.kernel.state import Asset, Objective, State
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.generated import counters
from server.rulesets.fad.generated.choosing import SECRETLY
from server.rulesets.fad.generated.noting import CHOOSER, FACES, STANCE, hidden, known, points, show, uncontrolled

EDGES = ("south", "north", "west", "east")
OPPOSITE = {"south": "north", "north": "south", "west": "east", "east": "west"}
SECTORS = ("near", "middle", "far")
"""The thirds of the table, seen from a side's own edge."""
HUNDRED = 100
"""The sides of the dice that draw a place."""


def other_side(state: State, side: str) -> str:
    """Return the side against which a side plays."""
    return next(other for other in state.sides if other != side)


def edges(state: State) -> tuple[str, ...]:
    """Return the edges that may be chosen: all of a square table, else the two long ones."""
    width, height = state.table.width, state.table.height
    if width == height:
        return EDGES
    return EDGES[:2] if width > height else EDGES[2:]


def strip(state: State, edge: str, near: int, far: int) -> tuple[Point, ...]:
    """Return the part of the table between two distances from an edge, in mil."""
    width, height = state.table.width, state.table.height
    if edge in {"west", "east"}:
        low, high = (near, far) if edge == "west" else (width - far, width - near)
        return ((low, 0), (high, 0), (high, height), (low, height))
    low, high = (near, far) if edge == "south" else (height - far, height - near)
    return ((0, low), (width, low), (width, high), (0, high))


def depth(state: State, edge: str) -> int:
    """Return how deep the table is from an edge, in mil."""
    return state.table.width if edge in {"west", "east"} else state.table.height


def sector(state: State, side: str, which: str) -> tuple[Point, ...]:
    """Return a third of the table, seen from a side's edge."""
    edge = state.sides[side].edge
    part, whole = SECTORS.index(which), depth(state, edge)
    return strip(state, edge, whole * part // 3, whole * (part + 1) // 3)


# --- the edges --------------------------------------------------------------------------------------------------------


def take_edges(game: FadGame) -> Steps[None]:
    """Settle who has which edge, and show the stances with their zones. Dice and Recon Points stay secret: all learn who won."""
    sides = list(game.state.sides)
    while True:
        faces = yield from roll(len(sides), stream=SECRETLY, purpose="choose-edge")
        scores = {side: face + points(game.state, side) for side, face in zip(sides, faces, strict=True)}
        if len(set(scores.values())) > 1:
            break
    winner = max(scores, key=lambda side: scores[side])
    yield SideDeclared(winner, "edge-won", "scenario.choose-edge")
    yield Noted(CHOOSER, winner)
    if uncontrolled(game.state, winner):
        # fad4/npc.terrain-edge: the other side deploys on a random edge
        yield from _random_edge(game, winner)
    else:
        yield from _chosen_edge(game, winner)
    for side in list(game.state.sides):
        yield from _show_stance(game, side)


def _chosen_edge(game: FadGame, side: str) -> Steps[None]:
    rule = "scenario.choose-edge"
    choices = tuple(Choice(edge, f"The {edge} edge", rule) for edge in edges(game.state))
    asked = Asked("You have won the roll: which edge of the table is yours?", choices, Picked(choices[0].key), rule)
    picked = yield from ask(game.state.sides[side].seat, asked)
    yield SideDeclared(side, "edge", rule, picked.choice)
    yield from _settle(game, side, picked.choice)


def _random_edge(game: FadGame, winner: str) -> Steps[None]:
    rule, able, player = "npc.terrain-edge", edges(game.state), other_side(game.state, winner)
    (face,) = yield from roll(1, len(able), purpose="random-edge")
    edge = able[face - 1]
    yield Rolled("random-edge", rule, (face,), len(able), outcome=edge, side=player)
    yield from _settle(game, player, edge)


def _settle(game: FadGame, side: str, edge: str) -> Steps[None]:
    """Give both sides their edges, and zones as deep as their stances say (fad5/scenario.deployment-zone)."""
    for one, own in ((side, edge), (other_side(game.state, side), OPPOSITE[edge])):
        stance = game.rules.book.tables.generating.stances[known(game.state, one, STANCE)]
        zone = strip(game.state, own, 0, inches(stance.zone))
        yield SideSettled(one, own, zone, "scenario.deployment-zone")


def _show_stance(game: FadGame, side: str) -> Steps[None]:
    stance = known(game.state, side, STANCE)
    face = hidden(game.state, side, f"{STANCE}.{FACES}")
    faces = (face,) if isinstance(face, int) else ()
    rule = "npc.stance-attitude" if uncontrolled(game.state, side) else "scenario.deployment-zone"
    yield SideDeclared(side, "stance", rule, stance, faces)
    yield show(side, STANCE, stance)
    calls = game.rules.book.tables.generating.stances[stance].calls
    found = game.rules.assets()
    if calls and found is not None and game.rules.plays(game.state, found[0].id):
        # fad5/scenario.stance.offensive
        yield AssetGained(side, _battery(game.rules, calls), "scenario.stance")


def _battery(rules: FadRules, calls: int) -> Asset:
    weapon = rules.book.tables.generating.call
    name = f"{rules.book.heavy_weapons[weapon].name}, off the table"
    found = rules.assets()
    assert found is not None, "a module plays assets"
    return Asset("stance-battery", name, found[1].profile(rules, name, {"weapon": weapon, "strikes": calls}))


# --- objectives -------------------------------------------------------------------------------------------------------


def place_objectives(game: FadGame) -> Steps[None]:
    """Have each side place an objective marker in each third of the table, the one that won the roll first
    (fad5/scenario.objectives).
    """
    first = str(game.state.book[CHOOSER])
    for which in SECTORS:
        for side in (first, other_side(game.state, first)):
            at = yield from (_drawn if uncontrolled(game.state, side) else _placed)(game, side, which)
            yield ObjectivePlaced(side, _objective(game, side, which, at), "scenario.objectives")


def _objective(game: FadGame, side: str, which: str, at: Point) -> Objective:
    radius = inches(game.rules.book.tables.generating.held)
    name = f"{which.capitalize()} objective {game.state.sides[side].letter}"
    return Objective(f"{side}.{which}", name, at, radius)


def objective(side: str, which: str) -> str:
    """Return the id of the objective marker that a side placed in a third, as it sees it."""
    return f"{side}.{which}"


def _wanted(game: FadGame, side: str, which: str) -> Point:
    """Return a third of the way along the middle of a sector, from the left for the side that chose its edge."""
    left, bottom, right, top = bounds(sector(game.state, side, which))
    share = 1 if side == game.state.book[CHOOSER] else 2
    if game.state.sides[side].edge in {"west", "east"}:
        return ((left + right) // 2, bottom + (top - bottom) * share // 3)
    return (left + (right - left) * share // 3, (bottom + top) // 2)


def _placed(game: FadGame, side: str, which: str) -> Steps[Point]:
    seat, rule = game.state.sides[side].seat, "scenario.objectives"
    marker = counters.counter(game.rules, game.state, side, counters.OBJECTIVE, 1 + SECTORS.index(which))
    yield UnitFormed(marker, rule)
    zone = sector(game.state, side, which)
    clear = inches(game.rules.book.tables.generating.sector)
    parameter = counters.placing(game.believed(seat), [marker], zone, [_wanted(game, side, which)], clear)
    choice = Choice("place", f"Place the {which} objective", rule, "", (parameter,))
    default = Picked("place", (FiguresPlaced(parameter.suggested),))
    picked = yield from ask(seat, Asked(f"Place an objective marker in your {which} third", (choice,), default, rule))
    placed = picked.values[0]
    assert isinstance(placed, FiguresPlaced), "checked against the choice"
    yield UnitsRemoved((marker.id,), rule)
    return placed.places[0][counters.FIGURE]


def _drawn(game: FadGame, side: str, which: str) -> Steps[Point]:
    """Return a place drawn by two dice, or the nearest to it that is far enough from the others (fad4/npc.terrain-edge)."""
    across, along = yield from roll(2, HUNDRED, purpose="objective-place")
    yield Rolled("objective-place", "npc.terrain-edge", (across, along), HUNDRED, outcome=which, side=side)
    zone = sector(game.state, side, which)
    wanted = drawn(zone, across, along)
    others = [one.at for one in game.state.objectives.values()]
    for apart in (inches(game.rules.book.tables.generating.sector), 2 * counters.RADIUS):
        found = counters.ground(game.state, zone, apart, others).nearest(wanted, counters.RADIUS)
        if found is not None:
            return found
    return wanted


def drawn(zone: tuple[Point, ...], across: int, along: int) -> Point:
    """Return the place in a rectangle that two dice of a hundred sides draw."""
    left, bottom, right, top = bounds(zone)
    return (left + (right - left) * across // (HUNDRED + 1), bottom + (top - bottom) * along // (HUNDRED + 1))
