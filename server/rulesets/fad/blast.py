"""Blasts: a weapon that strikes all infantry around a point, friends too."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from client_protocol.choices import Choice, Picked, PointTaken, Why
from client_protocol.explained import Explained, Line
from client_protocol.view import ImpactView
from server.kernel.bodies import body
from server.kernel.facts import Declared, Noted, Rolled
from server.kernel.procedure import Steps, roll
from server.kernel.questions import Question
from server.kernel.space.geometry import Point, inches_text, to_mil
from server.kernel.space.hulls import apart
from server.kernel.space.values import Body
from server.kernel.state import State, Unit
from server.rulesets.fad import damage, shooting
from server.rulesets.fad.cover import cover_around
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.ranging import AREA, Ranged, bearer, point_to_strike, range_in, shelters, struck
from server.rulesets.fad.setup.book import HeavyWeapon
from server.rulesets.fad.shooting import PointsPerHit
from server.rulesets.fad.shot import Shot, band_limits, band_of

POINT = "adv.artillery-impact-point"
BLAST = "blast"
"""The key of the choice, and what a unit declares that takes it."""
NONE_STRUCK = "blast-strikes-none"
"""What is declared when no unit stands where the shell landed."""
IMPACT = "impact"
"""The note of a match that says where a blast struck since the last activation: the unit, the point that it aimed at, the point
that was struck, and the radius. Of a strike that was called and has not come yet it ends with the word `CALLED`.
"""
CALLED = "called"


class StrikeEffect(Question, frozen=True):
    """The Strike Effect of a blast of `weapon`, without the dice."""

    weapon: str


def register(rules: FadRules) -> None:
    """Register the adviser of this chapter."""

    def bonus(_state: State, question: StrikeEffect) -> Iterator[Line]:
        # fad4/blast.strike-effect: no other modifier counts
        weapon = rules.book.heavy_weapons[question.weapon]
        effect = weapon.fire_effect + weapon.at_infantry
        if effect:
            yield Line("ADD", effect, weapon.name, "blast.strike-effect")

    rules.advisers.add(StrikeEffect, bonus)


def choices(rules: FadRules, state: State, unit: Unit, mount: str = "") -> Iterator[Choice]:
    """Yield the choice to fire a weapon that blasts, if `unit` has one, of a vehicle that on `mount`. `state` is what its seat
    may know.
    """
    served = bearer(rules, unit, mount)
    if served is None:
        return
    _, weapon = served
    name = weapon.name.lower()
    label = f"Fire the {name} at a point"
    stays = "" if mount else f"; {unit.name} stays where it is"
    consequence = f"Strikes all infantry within {inches_text(weapon.radius)} of it, friends too{stays}."
    found = point_to_strike(rules, state, unit, mount)
    if isinstance(found, Why):
        yield Choice(_key(mount), label, AREA, consequence, why=found)
    else:
        yield Choice(_key(mount), label, AREA, consequence, (found,), preview=True)


def _key(mount: str) -> str:
    return f"{BLAST}:{mount}" if mount else BLAST


def mount_of(choice: str) -> str:
    """Return the mount whose weapon a choice fires; "" for that of a squad."""
    return choice.removeprefix(BLAST).removeprefix(":")


def fire(game: FadGame, unit: str, picked: Picked) -> Steps[None]:
    """Fire the weapon of `unit` that blasts at the point that `picked` names."""
    taken = picked.values[0]
    assert isinstance(taken, PointTaken), "checked against the choice"
    served = bearer(game.rules, game.unit(unit), mount_of(picked.choice))
    assert served is not None, "the choice is offered to those who have such a weapon"
    figure, weapon = served
    yield Declared(unit, BLAST, AREA)
    for hook in game.rules.firing(game.state):
        yield from hook(game, unit, True)  # noqa: FBT003 - a hook has no names for its arguments
    ranged = yield from range_in(game, unit, figure, weapon, taken.at)
    # fad4/blast.ranging-in: a shell that went wide marks no unit
    if ranged.at is not None:
        yield Noted(IMPACT, (unit, taken.at, ranged.at, weapon.radius))
        yield from _land(game, unit, figure, weapon, ranged)
    for use in game.rules.using(game.state):
        yield from use(game, unit, [weapon])


def _land(game: FadGame, unit: str, figure: str, weapon: HeavyWeapon, ranged: Ranged) -> Steps[None]:
    """Let a shell do what it does where it lands."""
    assert ranged.at is not None, "it lands somewhere"
    shots = shots_at(game.rules, game.state, unit, figure, weapon, ranged.at)
    effects = game.rules.effects(weapon.id)
    bursts = [effect.burst for effect in effects if effect.burst is not None]
    if not shots:
        yield Declared(unit, NONE_STRUCK, AREA)
    elif bursts:
        for burst_of in bursts:
            yield from burst_of(game, shots, ranged.at)
        yield from _follow(game, shots)
    else:
        yield from strike(game, shots, ranged.passes)
    for effect in effects:
        if effect.landed is not None:
            yield from effect.landed(game, unit, weapon.id, ranged.at)


def shots_at(rules: FadRules, state: State, unit: str, figure: str, weapon: HeavyWeapon, at: Point) -> tuple[Shot, ...]:
    """Return what a shell of `weapon` that lands on a point does, as a shot at each unit that it strikes."""
    own = state.units[unit]
    gunner = own.figures[figure]
    assert gunner.at is not None, "the gunner stands on the table"
    away = to_mil(apart(body(gunner), Body(at, 0)))
    band = band_of(band_limits(rules, own, weapon), away) or "long"
    return burst(rules, state, Shot(unit, "", (figure,), (), away, band, "", (), weapon.id), at)


def burst(rules: FadRules, state: State, shot: Shot, at: Point) -> tuple[Shot, ...]:
    """Return what the weapon of `shot`, which names no target yet, does on a point, as a shot at each unit that it strikes."""
    radius = rules.book.heavy_weapons[shot.weapon].radius
    bare = any(effect.ignores_cover for effect in rules.effects(shot.weapon))
    return tuple(
        replace(
            shot,
            target=target.id,
            seen=inside,
            cover="none" if bare else cover_around(rules, state, target, at, inside),
        )
        for target, inside in struck(state, at, radius, shelters(rules, state))
    )


def strike_dice(rules: FadRules, passes: int) -> int:
    """Return how many dice the strike has after so many passes."""
    # fad4/blast.strike-effect
    return rules.book.tables.blast.strike_dice or passes


def strike(game: FadGame, shots: tuple[Shot, ...], passes: int, *, indirect: bool = False) -> Steps[None]:
    """Strike the targets of `shots`, at least one, of a weapon that was ranged in with so many passes. `indirect` fire comes
    from no unit that could be one of those in a crossfire.
    """
    # fad4/blast.all-squads: the hits are dealt to each of them in full
    separately = game.rules.book.tables.blast.separately
    for group in [(shot,) for shot in shots] if separately else [shots]:
        effect = yield from _roll_strike(game, group, passes)
        for shot in group:
            hits = game.rules.dealt(shot, effect.value // _points(game.rules, game.state, shot).value)
            if hits:
                yield from damage.strike(game, shot, hits)
            # fad4/blast.marks-under-fire
            yield from shooting.mark(game, shot.target, effect, "blast.marks-under-fire")
    if not indirect:
        yield from _follow(game, shots)


def _follow(game: FadGame, shots: tuple[Shot, ...]) -> Steps[None]:
    """Do what follows a shell that struck enemies, when their markers lie."""
    side = game.unit(shots[0].shooter).side
    for shot in shots:
        if game.unit(shot.target).side != side:
            for follow in game.rules.following(game.state):
                yield from follow(game, shot)


def _roll_strike(game: FadGame, shots: tuple[Shot, ...], passes: int) -> Steps[Explained]:
    """Roll the Strike Effect against the targets of `shots` and return it."""
    rules, first = game.rules, shots[0]
    count = strike_dice(rules, passes)
    faces = (yield from roll(count, purpose="strike")) if count else ()
    dice = Line("SET", sum(faces), f"{count}D6 added" if count else "no ranging die passed", "blast.strike-effect")
    effect = rules.advisers.answer(game.state, StrikeEffect(first.weapon), dice)
    points = [_points(rules, game.state, shot) for shot in shots]
    yield Rolled(
        purpose="strike",
        rule="blast.strike-effect",
        faces=faces,
        marks=("added",) * count,
        numbers=(effect, *points),
        outcome=" ".join(f"{shot.target}={effect.value // own.value}" for shot, own in zip(shots, points, strict=True)),
        side=game.unit(first.shooter).side,
        unit=first.shooter,
        target=first.target if len(shots) == 1 else "",
    )
    return effect


def hits_of(fact: Rolled) -> list[tuple[str, str]]:
    """Return the units that the strike of a roll was at, each with how many hits there were."""
    rows = (row.rpartition("=") for row in fact.outcome.split())
    return [(unit, hits) for unit, _, hits in rows]


def _points(rules: FadRules, state: State, shot: Shot) -> Explained:
    return rules.advisers.answer(state, PointsPerHit(shot))


# --- where it struck ------------------------------------------------------------------------------------------------


def clear(state: State) -> Iterator[Noted]:
    """Yield what forgets where a blast struck, if one did."""
    if state.book.get(IMPACT):
        yield Noted(IMPACT, ())


def impact(state: State) -> ImpactView | None:
    """Return where a blast struck since the last decision; None if none did. Raises `ValueError` if the note holds something
    else.
    """
    note = state.book.get(IMPACT, ())
    if note == ():
        return None
    match note:
        case (str(unit), (int(x), int(y)), (int(to_x), int(to_y)), int(radius)) if unit in state.units:
            return ImpactView(unit, (x, y), (to_x, to_y), radius, AREA)
        case (str(unit), (int(x), int(y)), (int(to_x), int(to_y)), int(radius), word) if unit in state.units:
            if word != CALLED:
                raise ValueError(note)
            return ImpactView(unit, (x, y), (to_x, to_y), radius, POINT, called=True)
        case _:
            raise ValueError(note)
