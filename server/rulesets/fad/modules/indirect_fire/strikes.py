"""Where a strike lands, and what it does there."""

from __future__ import annotations

from msgspec import Struct

from client_protocol.explained import Explained, Line
from server.kernel.bodies import body, is_vehicle
from server.kernel.facts import Declared, Noted, Rolled
from server.kernel.procedure import Steps, roll
from server.kernel.space.geometry import Point, at_most, inches
from server.kernel.space.hulls import apart
from server.kernel.space.values import Body
from server.kernel.state import State, Unit
from server.rulesets.fad import blast, damage, shooting
from server.rulesets.fad.cover import cover_around
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.modules.indirect_fire.batteries import radius
from server.rulesets.fad.quality import quality_test
from server.rulesets.fad.ranging import scatter
from server.rulesets.fad.setup.book import HeavyWeapon
from server.rulesets.fad.shooting import FireEffect, PointsPerHit
from server.rulesets.fad.shot import Shot

ACCURACY_RULE = "adv.artillery-accuracy"
BLAST_RULE = "adv.artillery-blast-resolution"
IMMUNE = "adv.artillery-armour-immune-to-blast"
AIMED_RULE = "adv.artillery-non-blast"
PINPOINT, ASTRAY = "pinpoint", "astray"


class Strike(Struct, frozen=True):
    """A strike on its way.

    Attributes:
        unit: the unit that fires, or for what is off the table the unit that called.
        figure: its figure that serves the weapon, or that called.
        weapon: the weapon.
        at: the impact point that was named.
        need: what each die of the accuracy test must reach.
        off_table: whether the weapon is off the table.
    """

    unit: str
    figure: str
    weapon: HeavyWeapon
    at: Point
    need: Explained
    off_table: bool


def land(game: FadGame, strike: Strike) -> Steps[None]:
    """Let a strike land: test its accuracy, and resolve it where it falls."""
    dice = game.rules.book.tables.artillery.accuracy_dice
    # adv.artillery-accuracy
    passes = yield from quality_test(
        game,
        strike.unit,
        "accuracy",
        ACCURACY_RULE,
        lambda passes: PINPOINT if passes == dice else ASTRAY,
        dice=dice,
        need=strike.need,
    )
    at = strike.at
    if passes < dice:
        at = yield from scatter(game, strike.unit, at, dice - passes, rule=ACCURACY_RULE)
    yield Noted(blast.IMPACT, (strike.unit, strike.at, at, radius(game.rules, strike.weapon)))
    if strike.weapon.blasts:
        yield from _burst(game, strike, at)
    else:
        yield from _hit_nearest(game, strike, at)
    # fad4/tech.weapon-tables: what a shell does where it lands, however it came there
    for effect in game.rules.effects(strike.weapon.id):
        if effect.landed is not None and strike.weapon.blasts:
            yield from effect.landed(game, strike.unit, strike.weapon.id, at)
    if not strike.off_table:
        for use in game.rules.using(game.state):
            yield from use(game, strike.unit, [strike.weapon])


# --- blasts ---------------------------------------------------------------------------------------------------------


def shots_of(rules: FadRules, state: State, strike: Strike, at: Point) -> tuple[Shot, ...]:
    """Return what a blast does that lands on a point, as a shot at each unit that it strikes. Vehicles are not among them
    (adv.artillery-armour-immune-to-blast).
    """
    shot = Shot(strike.unit, "", (strike.figure,), (), 0, "", "", (), strike.weapon.id)
    return blast.burst(rules, state, shot, at)


def _burst(game: FadGame, strike: Strike, at: Point) -> Steps[None]:
    # adv.artillery-blast-resolution: it is not ranged in
    shots = shots_of(game.rules, game.state, strike, at)
    bursts = [effect.burst for effect in game.rules.effects(strike.weapon.id) if effect.burst is not None]
    for burst_of in bursts if shots else ():
        yield from burst_of(game, shots, at)
    if shots and bursts:
        return
    if shots:
        yield from blast.strike(game, shots, game.rules.book.tables.artillery.strike_dice, indirect=True)
    else:
        rule = IMMUNE if _vehicle_within(game.state, at, strike.weapon.radius) else BLAST_RULE
        yield Declared(strike.unit, blast.NONE_STRUCK, rule)


def _vehicle_within(state: State, at: Point, limit: int) -> bool:
    vehicles = (unit for unit in state.units.values() if is_vehicle(unit) and unit.on_table)
    return any(at_most(_away(unit, at), limit) for unit in vehicles)


def _away(unit: Unit, at: Point) -> float:
    """Return how far the nearest figure of a unit on the table is from a point, in mil."""
    return min(apart(body(figure), Body(at, 0)) for figure in unit.living.values() if figure.at is not None)


# --- other weapons --------------------------------------------------------------------------------------------------


def nearest(rules: FadRules, state: State, at: Point) -> Unit | None:
    """Return the unit, friend or foe, that is nearest to a point and near enough to be struck there, the first of equals
    (adv.artillery-non-blast).
    """
    found = {unit.id: _away(unit, at) for unit in state.units.values() if unit.on_table}
    best = min(found, key=found.__getitem__, default="")
    limit = inches(rules.book.tables.artillery.finds)
    return state.units[best] if best and at_most(found[best], limit) else None


def shot_at_nearest(rules: FadRules, state: State, strike: Strike, at: Point) -> Shot | None:
    """Return the shot of a weapon without a blast at the unit that it strikes on a point; None if it strikes none."""
    target = nearest(rules, state, at)
    if target is None:
        return None
    away = {key: apart(body(f), Body(at, 0)) for key, f in target.living.items() if f.at is not None}
    cover = "none" if rules.airborne(target) else cover_around(rules, state, target, at)
    return Shot(
        shooter=strike.unit,
        target=target.id,
        firing=(strike.figure,),
        seen=tuple(sorted(away, key=away.__getitem__)),
        distance=0,
        band="",
        cover=cover,
        supporting=(),
        weapon=strike.weapon.id,
        origin=_origin(state, strike, target),
    )


def _origin(state: State, strike: Strike, target: Unit) -> Point:
    """Return where the fire comes from: the point of its side's edge of the table across from the target."""
    own = state.units[strike.unit]
    x, y = next(figure.at for figure in target.living.values() if figure.at is not None)
    edges = {"south": (x, 0), "north": (x, state.table.height), "west": (0, y), "east": (state.table.width, y)}
    # A side without an edge of its own fires from where its caller stands.
    caller = own.figures[strike.figure].at
    assert caller is not None, "who calls stands on the table"
    return edges.get(state.sides[own.side].edge, caller)


def _hit_nearest(game: FadGame, strike: Strike, at: Point) -> Steps[None]:
    rules, state = game.rules, game.state
    shot = shot_at_nearest(rules, state, strike, at)
    if shot is None:
        yield Declared(strike.unit, blast.NONE_STRUCK, AIMED_RULE)
        return
    faces = yield from roll(rules.book.tables.fire_effect.individual_dice, purpose="indirect_effect")
    dice = Line("SET", max(faces), f"{len(faces)}D6", AIMED_RULE)
    effect = rules.advisers.answer(state, FireEffect(shot), dice)
    points = rules.advisers.answer(state, PointsPerHit(shot))
    hits = effect.value // points.value
    yield Rolled(
        purpose="indirect_effect",
        rule=AIMED_RULE,
        faces=faces,
        marks=("kept",) * len(faces),
        numbers=(effect, points),
        outcome=str(hits),
        side=state.units[strike.unit].side,
        unit=strike.unit,
        target=shot.target,
    )
    if hits:
        yield from damage.strike(game, shot, hits)
    yield from shooting.mark(game, shot.target, effect, AIMED_RULE)
