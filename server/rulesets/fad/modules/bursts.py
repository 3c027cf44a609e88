"""Grav guns and conversion guns: what their shells do in place of a strike (fad4/tech.weapon-tables,
fad5/weapon.conversion-gun).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from client_protocol.explained import Line
from client_protocol.from_server import Chance
from client_protocol.luck import Luck
from server.kernel.bodies import is_vehicle
from server.kernel.errors import RulesetError
from server.kernel.facts import ConditionGained, ConditionLost, Noted, Rolled, UnitMoved
from server.kernel.procedure import Steps, roll
from server.kernel.questions import total
from server.kernel.space.geometry import Point, bounds, direction, distance, gap, inches, moved, to_mil
from server.kernel.space.hulls import base_to_outline
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Base
from server.kernel.standing import TOUCH, bases, hulls
from server.kernel.state import State, Unit
from server.rulesets.fad import damage, shooting
from server.rulesets.fad.game import MOBILITY, UNDER_FIRE, FadGame, FadRules
from server.rulesets.fad.module import FadModule, WeaponEffect
from server.rulesets.fad.modules.demolitions import collapse
from server.rulesets.fad.modules.pinning import PINNED
from server.rulesets.fad.setup.book import HeavyWeapon
from server.rulesets.fad.shot import Shot
from server.rulesets.shared.modules import ModuleRoll
from server.rulesets.shared.previews import odds
from server.rulesets.shared.previews.luck import reaching
from server.rulesets.shared.words.chances import chance_line, expected_line
from server.rulesets.shared.words.narration import figures_text

RULE = "tech.weapon-tables"
CONVERSION = "tech.conversion-gun"
"""The rule of conversion guns."""
CONVERTS = "converts"
"""The trait of a conversion gun."""
MOVED = "special.moved"
"""The note of a match that lists the vehicles that moved in their last activation."""
STOOD = "special.stood"
"""The note on where the vehicle stood that is activating."""
THROWN = "thrown-clear"
"""The manner in which figures come to the edge of a blast."""

_STEP = 250


# --- terrain --------------------------------------------------------------------------------------------------------


def _reached(state: State, at: Point, radius: int, kinds: tuple[str, ...]) -> list[Terrain]:
    return [piece for piece in state.table.terrain if piece.kind in kinds and to_mil(piece.distance(at)) <= radius]


def _radius(rules: FadRules, trait: str) -> int:
    """Return the radius of the blast of the weapons with a trait: there is one of each."""
    return next(weapon.radius for weapon in rules.book.heavy_weapons.values() if trait in weapon.traits)


# --- grav guns ------------------------------------------------------------------------------------------------------

GRAVITY = "gravity"
"""The trait of a grav gun."""


def pin(game: FadGame, unit: str) -> Steps[None]:
    """Pin a squad, in place of the marker Under Fire."""
    conditions = game.unit(unit).conditions
    if PINNED not in conditions:
        if UNDER_FIRE in conditions:
            yield ConditionLost(unit, UNDER_FIRE, RULE)
        yield ConditionGained(unit, PINNED, RULE)


def _pin_all(game: FadGame, shots: tuple[Shot, ...], _at: Point) -> Steps[None]:
    for shot in shots:
        yield from pin(game, shot.target)


def _foretell_pins(_rules: FadRules, _state: State, _shot: Shot, on_target: Fraction) -> tuple[Chance, ...]:
    return (chance_line("Pinned", on_target),)


def _topple(game: FadGame, _unit: str, _weapon: str, at: Point) -> Steps[None]:
    kinds = game.rules.book.tables.special.structures
    for piece in _reached(game.state, at, _radius(game.rules, GRAVITY), kinds):
        yield from collapse(game, piece.id, RULE, RULE)


def _foretell_topple(rules: FadRules, state: State, at: Point, on_target: Fraction) -> tuple[Chance, ...]:
    found = _reached(state, at, _radius(rules, GRAVITY), rules.book.tables.special.structures)
    return tuple(chance_line(f"Becomes rubble: {piece.name}", on_target) for piece in found)


def _hovers(rules: FadRules, vehicle: Unit) -> bool:
    return vehicle.profile.get(MOBILITY) in rules.book.tables.special.grav_penetrates


def _stop(game: FadGame, shot: Shot, _hits: int) -> Steps[None]:
    # fad4/tech.weapon-tables: what immobilises a vehicle damages it; what penetrates by itself is critical
    if _hovers(game.rules, game.unit(shot.target)):
        yield from game.rules.vehicles.penetrate(game, shot.target, RULE)
    else:
        yield from game.rules.vehicles.immobilise(game, shot.target, RULE)


def _foretell_stop(rules: FadRules, state: State, shot: Shot, hits: Mapping[int, Fraction]) -> tuple[Chance, ...]:
    label = "Critically Damaged" if _hovers(rules, state.units[shot.target]) else "Damaged"
    return (chance_line(label, odds.chance(hits, bool)),)


# --- conversion guns ------------------------------------------------------------------------------------------------


def _convert(game: FadGame, shots: tuple[Shot, ...], at: Point) -> Steps[None]:
    for shot in shots:
        yield from _convert_unit(game, shot, at)


def _convert_unit(game: FadGame, shot: Shot, at: Point) -> Steps[None]:
    """Roll a die for each figure of a unit in the blast, and put the survivors at its edge."""
    rules, table = game.rules, game.rules.book.tables.special
    out, dead = table.converts_wounded, table.converts_killed
    need = total([Line("SET", out, "each figure in the blast, whatever its armour", CONVERSION)])
    faces = yield from roll(len(shot.seen), purpose="conversion")
    fallen = tuple(key for key, face in zip(shot.seen, faces, strict=True) if face >= out)
    yield Rolled(
        purpose="conversion",
        rule=CONVERSION,
        faces=faces,
        marks=tuple("kill" if face >= out else "fail" for face in faces),
        numbers=(need,),
        outcome=str(len(fallen)),
        side=game.unit(shot.shooter).side,
        unit=shot.shooter,
        target=shot.target,
    )
    wounded = tuple(key for key, face in zip(shot.seen, faces, strict=True) if out <= face < dead)
    if fallen:
        yield from damage.lose(game, shot.target, fallen, "blast", CONVERSION, wounded)
    unit = game.unit(shot.target)
    if not unit.left:
        paths = _thrown(rules, game.state, shot, at, tuple(key for key in shot.seen if key in unit.living))
        if paths:
            yield UnitMoved(shot.target, THROWN, paths, CONVERSION)
        yield from shooting.mark(game, shot.target, total(()), "blast.marks-under-fire")


def _thrown(
    rules: FadRules, state: State, shot: Shot, at: Point, figures: tuple[str, ...]
) -> dict[str, tuple[Point, ...]]:
    """Return where the survivors of a unit come to stand: straight outward at the edge of the blast, or as near to it as there
    is room.
    """
    unit, radius = state.units[shot.target], rules.book.heavy_weapons[shot.weapon].radius
    others: list[Base] = bases(state, without=(unit.id,))
    places: dict[str, Base] = {
        key: (figure.at, figure.radius) for key, figure in unit.living.items() if figure.at is not None
    }
    gunner = next(figure.at for key, figure in state.units[shot.shooter].figures.items() if key in shot.firing)
    found: dict[str, tuple[Point, ...]] = {}
    for key in figures:
        start, own = places[key]
        towards = direction(at, start) if start != at else direction(gunner or at, at)
        taken = [*others, *(base for mate, base in places.items() if mate != key)]
        ends = [*range(to_mil(distance(at, start)) + _STEP, radius + own, _STEP), radius + own]
        best = start
        for end in ends:
            place = moved(at, towards, end)
            if not _ground(rules, state, place, own):
                break
            if _room(state, taken, place, own):
                best = place
        if best != start:
            places[key] = (best, own)
            found[key] = (best,)
    return found


def _ground(rules: FadRules, state: State, at: Point, radius: int) -> bool:
    """Return whether a base may stand on the ground of a place."""
    (x, y), table = at, state.table
    if not (radius <= x <= table.width - radius and radius <= y <= table.height - radius):
        return False
    barred = set(rules.pieces_with(state, "impassable"))
    return all(piece.distance(at) >= radius for piece in table.terrain if piece.id in barred)


def _room(state: State, taken: list[Base], at: Point, radius: int) -> bool:
    """Return whether a base at a place is in contact with no other base and no vehicle."""
    if any(to_mil(gap(at, radius, *base)) <= TOUCH for base in taken):
        return False
    return all(to_mil(base_to_outline(at, radius, outline)) > TOUCH for outline in hulls(state))


def _foretell_conversion(rules: FadRules, _state: State, shot: Shot, on_target: Fraction) -> tuple[Chance, ...]:
    out = odds.at_least(rules.book.tables.special.converts_wounded)
    return (expected_line("Expected losses", on_target * len(shot.seen) * out),)


def _small(rules: FadRules, state: State, at: Point) -> list[Terrain]:
    """Return the pieces in the blast of a conversion gun that may collapse."""
    table = rules.book.tables.special
    most = inches(table.small)

    def fits(piece: Terrain) -> bool:
        left, bottom, right, top = bounds(piece.outline)
        return right - left <= most and top - bottom <= most

    return [piece for piece in _reached(state, at, _radius(rules, CONVERTS), table.converted) if fits(piece)]


def _shake(game: FadGame, unit: str, _weapon: str, at: Point) -> Steps[None]:
    need = total([Line("SET", game.rules.book.tables.special.collapses, "to collapse", CONVERSION)])
    for piece in _small(game.rules, game.state, at):
        faces = yield from roll(1, purpose="conversion_terrain")
        falls = faces[0] >= need.value
        yield Rolled(
            purpose="conversion_terrain",
            rule=CONVERSION,
            faces=faces,
            marks=("pass" if falls else "fail",),
            numbers=(need,),
            outcome=piece.id,
            side=game.unit(unit).side,
            unit=unit,
        )
        if falls:
            yield from collapse(game, piece.id, CONVERSION, CONVERSION)


def _foretell_shake(rules: FadRules, state: State, at: Point, on_target: Fraction) -> tuple[Chance, ...]:
    falls = on_target * odds.at_least(rules.book.tables.special.collapses)
    return tuple(chance_line(f"Collapses: {piece.name}", falls) for piece in _small(rules, state, at))


def _against(rules: FadRules, state: State, weapon: HeavyWeapon, target: Unit) -> int:
    """Return the anti-tank rating of a conversion gun against a vehicle."""
    table, own = rules.book.tables.special, weapon.anti_tank or 0
    if rules.vehicles.immobile(target):
        return max(own, table.against_immobilised)
    return own if target.id in moved_last(state) else max(own, table.against_stationary)


# --- vehicles that stand still --------------------------------------------------------------------------------------


def moved_last(state: State) -> tuple[str, ...]:
    """Return the vehicles that moved in their last activation. It is only kept where a unit has a conversion gun. Raises
    `ValueError` if the note holds something else.
    """
    note = state.book.get(MOVED, ())
    if not isinstance(note, tuple):
        raise ValueError(note)  # noqa: TRY004 - the caller knows one kind of error for all notes that cannot be read
    found: list[str] = []
    for row in note:
        if not isinstance(row, str):
            raise ValueError(note)  # noqa: TRY004 - as above
        found.append(row)
    return tuple(found)


def _matters(rules: FadRules, state: State) -> bool:
    """Return whether a unit has a conversion gun."""
    for unit in state.units.values():
        armed = (*(mount.weapon for mount in unit.mounts.values()), *(one.role for one in unit.figures.values()))
        if any((weapon := rules.heavy(key)) is not None and CONVERTS in weapon.traits for key in armed):
            return True
    return False


def _stands(vehicle: Unit) -> Point | None:
    return next((figure.at for figure in vehicle.figures.values()), None)


def began(game: FadGame, unit_id: str) -> Steps[None]:
    """Note where a vehicle stands that activates, if that matters."""
    unit = game.unit(unit_id)
    at = _stands(unit)
    if is_vehicle(unit) and at is not None and _matters(game.rules, game.state):
        yield Noted(STOOD, at)


def concluded(game: FadGame, unit_id: str) -> Steps[None]:
    """Note whether a vehicle has moved in its activation."""
    stood = game.state.book.get(STOOD, ())
    if not stood:
        return
    yield Noted(STOOD, ())
    others = tuple(key for key in moved_last(game.state) if key != unit_id)
    now = others if _stands(game.unit(unit_id)) == stood else (*others, unit_id)
    if now != moved_last(game.state):
        yield Noted(MOVED, now)


def admit(state: State) -> None:
    """Refuse notes that are not this file's. Raises `RulesetError`."""
    try:
        listed = moved_last(state)
    except ValueError:
        raise RulesetError(f"the book's {MOVED} list vehicles") from None
    if not set(listed) <= state.units.keys():
        raise RulesetError(f"the book's {MOVED} name a vehicle that is not there")
    match state.book.get(STOOD, ()):
        case () | (int(), int()):
            pass
        case _:
            raise RulesetError(f"the book's {STOOD} is a place in mil")


# --- words ----------------------------------------------------------------------------------------------------------


def _story(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    name, inside = state.units[fact.target].name, figures_text(len(fact.faces))
    return f"{name} had {inside} in the blast: {figures_text(int(fact.outcome))} out.", "loss", fact.rule


def _luck(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    return reaching(fact, "figures taken out", "kill")


def _terrain_story(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    name = next(piece.name for piece in state.table.terrain if piece.id == fact.outcome)
    return f"{name} {'collapses' if fact.marks == ('pass',) else 'stands'} in the blast.", "fire", fact.rule


def _terrain_luck(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    return reaching(fact, "terrain that collapses", "pass")


GRAV_GUN = WeaponEffect(
    trait=GRAVITY,
    burst=_pin_all,
    strike=_stop,
    landed=_topple,
    foretell=_foretell_stop,
    foretell_burst=_foretell_pins,
    foretell_landing=_foretell_topple,
    note="Its shells pin all infantry in the blast without damage, and buildings there become rubble.",
)
"""What grav guns do."""
CONVERSION_GUNS = FadModule(
    id="conversion_guns",
    weapon_effects=(
        WeaponEffect(
            trait=CONVERTS,
            burst=_convert,
            landed=_shake,
            anti_tank=_against,
            foretell_burst=_foretell_conversion,
            foretell_landing=_foretell_shake,
            note="A die for each figure in the blast says whether it is out, whatever its armour; survivors end at its edge.",
        ),
    ),
    rolls={
        "conversion": ModuleRoll(_story, _luck),
        "conversion_terrain": ModuleRoll(_terrain_story, _terrain_luck),
    },
    manners={THROWN: "is thrown to the edge of the blast, {far} at most"},
    beginning=began,
    concluding=concluded,
    admit=admit,
)
"""What conversion guns do."""
