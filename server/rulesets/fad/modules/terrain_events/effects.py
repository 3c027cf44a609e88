"""What terrain events do to units that enter and move in a piece, stand in it, or wait in it for the next turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from client_protocol.choices import GroundRule, Why
from server.kernel import notes
from server.kernel.bodies import is_vehicle, pose
from server.kernel.errors import RulesetError
from server.kernel.facts import Noted, Rolled
from server.kernel.procedure import Steps, roll
from server.kernel.space.geometry import Point, distance_to_outline, inches
from server.kernel.space.terrain import Terrain
from server.kernel.state import State, Unit
from server.rulesets.fad import collapse, damage
from server.rulesets.fad.attached import is_team
from server.rulesets.fad.game import POWERED, FadGame, FadRules
from server.rulesets.fad.module import Act, Going
from server.rulesets.fad.modules.terrain_events.happening import EVENT, event_of, on_ground, with_event
from server.rulesets.fad.modules.touching import at, inside, near
from server.rulesets.fad.setup.book import HeavyWeapon
from server.rulesets.fad.shot import Shot

WOODS, BUILDING, SWAMP = "terrain-event.woods", "terrain-event.building", "terrain-event.swamp"
CAUSE = "terrain"
_MORTAR = "mortar"
"""The word in the ids of mortars."""
FOOTING = "terrain_events.footing"
"""The note of a match that lists for whom footing has been rolled in the activation under way: unit, figure and piece."""
_STEPS = 40
"""At how many places of its whole way a figure is looked for in a piece."""


_CLOSED: tuple[tuple[str, Callable[[Unit], bool], str], ...] = (
    ("blocked-off", lambda _: True, f"{BUILDING}.blocked-off"),
    ("impassable", lambda _: True, f"{SWAMP}.impassable"),
    ("undergrowth", is_team, f"{WOODS}.undergrowth"),
)
"""The events that close a piece, to which units on foot they do, and by which rules."""


# --- moving ---------------------------------------------------------------------------------------------------------


def entered(game: FadGame, began: Unit, going: Going, until: float) -> Steps[None]:
    """Do what pieces do to the figures of a unit that have entered them, or moved in them, up to t `until` on their paths; the
    unit `began` so.
    """
    if is_vehicle(began):
        return
    table = game.rules.book.tables.terrain_events
    for piece in tuple(game.state.table.terrain):
        event = event_of(piece)
        if event == "booby-trapped":
            # fad5/terrain-event.woods.booby-trapped: each time that a figure comes in from outside
            if POWERED not in game.rules.armour(began).traits:
                there = inside(began, piece)
                struck = [key for key in _through(game, began, going, piece, until) if key not in there]
                yield from _take(game, began.id, struck, "booby_trap", (f"{WOODS}.{event}", table.trap_on))
        elif event == "dangerous-footing":
            struck = _through(game, began, going, piece, until)
            yield from _swallow(game, began.id, struck, piece.id)


def _swallow(game: FadGame, unit: str, figures: list[str], piece: str) -> Steps[None]:
    """Roll for figures that move in a swamp with dangerous footing, once for each in an activation
    (fad5/terrain-event.swamp.dangerous-footing).
    """
    tried = _tried(game.state)
    struck = [key for key in figures if (unit, key, piece) not in tried]
    if struck:
        yield Noted(FOOTING, (*tried, *((unit, key, piece) for key in struck)))
        how = (f"{SWAMP}.dangerous-footing", game.rules.book.tables.terrain_events.footing_on)
        yield from _take(game, unit, struck, "footing", how)


def forget(game: FadGame, _unit: str) -> Steps[None]:
    """Forget, as activations begin and end, for whom footing has been rolled."""
    if _tried(game.state):
        yield Noted(FOOTING, ())


def _through(game: FadGame, began: Unit, going: Going, piece: Terrain, until: float) -> list[str]:
    """Return the figures that have moved and were in a piece on their way, of those that stand."""
    now = game.unit(began.id)
    moved = {key: path for key, path in going.paths.items() if key in now.living and path}
    if not moved or until <= 0 or not near(began, moved, piece):
        return []
    state = game.state.with_unit(began)
    count = max(1, round(_STEPS * until))
    places = [at(state, began.id, moved, until * step / count) for step in range(count + 1)]
    found = {key for there in places for key in inside(there, piece) if key in moved}
    return [key for key in now.living if key in found]


def _take(game: FadGame, unit: str, figures: list[str], purpose: str, how: tuple[str, int]) -> Steps[None]:
    """Roll a die for each of these figures, and take out those on whose die it is high enough (fad5/terrain-event.wounds)."""
    rule, least = how
    if not figures or game.unit(unit).left:
        return
    faces = yield from roll(len(figures), purpose=purpose)
    marks = tuple("kill" if face >= least else "pass" for face in faces)
    fallen = tuple(key for key, mark in zip(figures, marks, strict=True) if mark == "kill")
    side = game.unit(unit).side
    yield Rolled(purpose, rule, faces, 6, marks, outcome=str(len(fallen)), side=side, unit=unit)
    if fallen:
        yield from damage.lose(game, unit, fallen, CAUSE, rule)


# --- standing -------------------------------------------------------------------------------------------------------


def prey(game: FadGame, unit: str) -> Steps[None]:
    """Roll for the predators of a swamp in which a unit activates: they take the figure that stands farthest in."""
    own = game.unit(unit)
    if is_vehicle(own) or not on_ground(game.rules, own):
        return
    event = "local-predators"
    for piece in tuple(with_event(game.state, event)):
        there = inside(game.unit(unit), piece)
        if not there or game.unit(unit).left:
            continue
        (face,) = yield from roll(1, purpose="predators")
        rule, eaten = f"{SWAMP}.{event}", face >= game.rules.book.tables.terrain_events.predators_on
        marks = ("kill" if eaten else "pass",)
        yield Rolled("predators", rule, (face,), 6, marks, outcome=str(int(eaten)), side=own.side, unit=unit)
        if eaten:
            yield from damage.lose(game, unit, (_deepest(game.unit(unit), there, piece),), CAUSE, rule)


def _deepest(unit: Unit, figures: tuple[str, ...], piece: Terrain) -> str:
    def depth(key: str) -> float:
        place = unit.figures[key].at
        assert place is not None, "it stands in the piece"
        return _depth(piece, place)

    return max(figures, key=depth)


def _depth(piece: Terrain, at: Point) -> float:
    """Return how far within its border a place in a piece lies, in mil."""
    return distance_to_outline(at, (*piece.outline, piece.outline[0]), linear=True)


def conceals(rules: FadRules, state: State, at: Point) -> Iterator[tuple[Terrain, str]]:
    """Yield the swamps that conceal infantry at a place from outside, each with the level of cover that it has there."""
    table = rules.book.tables.terrain_events
    for piece in state.table.terrain:
        # fad5/terrain-event.swamp
        if piece.kind in table.swamp and piece.holds(at) and _depth(piece, at) > inches(table.swamp_conceals):
            yield piece, table.swamp_cover


def heartened(_rules: FadRules, state: State, unit: Unit) -> str:
    """Return the rule by which a unit that is wholly in a building is not broken; "" if it may be."""
    event = "unexpected-find"
    for piece in with_event(state, event):
        if unit.on_table and not is_vehicle(unit) and len(inside(unit, piece)) == unit.strength > 0:
            return f"{BUILDING}.{event}"
    return ""


def closes(_rules: FadRules, state: State, unit: Unit) -> Iterator[GroundRule]:
    """Yield what is closed to all on foot, and the woods with undergrowth into which a weapons team does not go."""
    for event, closed, rule in _CLOSED:
        if closed(unit):
            for piece in with_event(state, event):
                yield GroundRule(piece.id, rule)


def bars(rules: FadRules, state: State, unit: Unit, act: str) -> Why | None:
    """Return why a weapons team stays in undergrowth, and why a mortar does not fire out of woods; None if neither is so."""
    if is_vehicle(unit) or not unit.on_table:
        return None
    if act in {Act.MOVE, Act.ASSAULT} and is_team(unit):
        piece = next((one for one in with_event(state, "undergrowth") if inside(unit, one)), None)
        if piece is not None:
            return Why(
                f"{unit.name} cannot move its weapon in the undergrowth of {piece.name}.", f"{WOODS}.undergrowth"
            )
    if act in {Act.SHOOT, Act.SERVE}:
        return _under_trees(rules, state, unit)
    return None


def _under_trees(rules: FadRules, state: State, unit: Unit) -> Why | None:
    mortars = [
        figure.at
        for figure in unit.living.values()
        if _MORTAR in figure.role and rules.heavy(figure.role) and figure.at is not None
    ]
    if not mortars or not (is_team(unit) or len(mortars) == unit.strength):
        return None
    return next((why for place in mortars if (why := _wooded(rules, state, place))), None)


def spent(rules: FadRules, state: State, unit: Unit, weapon: HeavyWeapon) -> Why | None:
    """Return why a vehicle does not fire its mortar out of woods; None if it may."""
    if is_vehicle(unit) and _MORTAR in weapon.id and on_ground(rules, unit):
        return _wooded(rules, state, pose(unit).at)
    return None


def trims(rules: FadRules, state: State, unit: Unit, shot: Shot) -> Shot | Why:
    """Return a shot with a weapon of a vehicle, or why it is a mortar that is not fired there."""
    return (spent(rules, state, unit, rules.mounted(unit, shot.mount)) if shot.mount else None) or shot


def _wooded(rules: FadRules, state: State, at: Point) -> Why | None:
    for piece in state.table.terrain:
        wooded = piece.kind in rules.book.tables.terrain_events.woods and EVENT + "clearing" not in piece.flags
        if wooded and piece.holds(at):
            return Why(f"A mortar does not fire from within {piece.name}.", WOODS)
    return None


# --- buildings ------------------------------------------------------------------------------------------------------


def turn_begins(game: FadGame) -> Steps[None]:
    """Roll for each unstable building."""
    event = "unstable"
    for piece in tuple(with_event(game.state, event)):
        (face,) = yield from roll(1, purpose="unstable")
        falls = face >= game.rules.book.tables.terrain_events.collapse_on
        marks, rule = ("kill" if falls else "pass",), f"{BUILDING}.{event}"
        yield Rolled("unstable", rule, (face,), 6, marks, outcome=piece.name)
        if falls:
            yield from collapse.bring_down(game, piece.id)


def withstands(game: FadGame, piece: Terrain) -> Steps[bool]:
    """Roll for a strongly built building that would come down, and return whether it stands."""
    event = "strongly-built"
    if EVENT + event not in piece.flags:
        return False
    (face,) = yield from roll(1, purpose="strongly_built")
    stands = face >= game.rules.book.tables.terrain_events.stands_on
    marks, rule = ("pass" if stands else "kill",), f"{BUILDING}.{event}"
    yield Rolled("strongly_built", rule, (face,), 6, marks, outcome=piece.name)
    return stands


# --- notes ----------------------------------------------------------------------------------------------------------


def _tried(state: State) -> list[tuple[str, str, str]]:
    """Return for whom footing has been rolled, and in which piece. Raises `ValueError` if the note holds something else."""
    found: list[tuple[str, str, str]] = []
    for row in notes.rows(state.book, FOOTING):
        match row:
            case (str(unit), str(figure), str(piece)):
                found.append((unit, figure, piece))
            case _:
                raise ValueError(row)
    return found


def inspect(state: State) -> None:
    """Refuse a note of footing that holds something else. Raises `RulesetError`."""
    try:
        _tried(state)
    except ValueError:
        raise RulesetError(f"the book's {FOOTING} list units, figures and pieces of terrain") from None
