"""Taking aim: line of sight, range and Fire Priority, before any die is rolled."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from client_protocol.choices import Candidate, Why
from server.kernel.space.geometry import Point, about, beyond, distance, gap, inches, inches_text, moved
from server.kernel.space.sight import Sightlines
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.module import Act
from server.rulesets.shared.distances import Nearest, visible_enemies
from server.rulesets.shared.setup.book import ON

BANDS = ("base", "close", "medium", "long")

SQUAD_TARGETING = "squad_targeting"
"""The option by which all figures of a unit may be hit if half of them are seen."""


class Shot(Struct, frozen=True):
    """One unit's fire at another, ready to be resolved.

    Attributes:
        shooter: the unit that fires.
        target: the unit that is fired at.
        firing: the figures that see a figure of the target and are in range of it.
        seen: the target's figures that may be hit, which one of them sees, ordered by the distance to the nearest firing
            figure, ties in roster order.
        distance: from the nearest firing figure to the nearest figure that it sees, in mil.
        band: the range band of that distance.
        cover: the target's cover level.
        supporting: the support weapons in range, as pairs of figure and weapon.
    """

    shooter: str
    target: str
    firing: tuple[str, ...]
    seen: tuple[str, ...]
    distance: int
    band: str
    cover: str
    supporting: tuple[tuple[str, str], ...]


def band_limits(rules: FadRules, unit: Unit) -> dict[str, int]:
    """Return the upper edge of each range band for `unit`'s small arm, in mil (fad4/shoot.range-bands)."""
    base = inches(rules.quality(unit).base_range)
    close = base * rules.small_arm(unit).range_multiplier
    multiples = rules.book.tables.range_bands
    return {band: base if band == "base" else close * multiples.of(band) for band in BANDS}


def band_of(limits: dict[str, int], mil: int) -> str | None:
    """Return the band in which a distance (mil) lies, its upper edge included; None beyond long range."""
    return next((band for band in BANDS if mil <= limits[band]), None)


def aim(rules: FadRules, state: State, shooter: str, target: str) -> Shot | Why:
    """Return the shot of `shooter` at `target`, or why there is none: forbidden, out of sight, out of range (fad4/shoot.method).

    Fire Priority is not checked here, because free shots ignore it.
    """
    unit, enemy = state.units[shooter], state.units[target]
    barred = rules.barred(state, unit, Act.SHOOT)
    if barred is not None:
        return barred
    limits = band_limits(rules, unit)
    lines = rules.sightlines(state, unit, enemy)
    theirs = enemy.places()
    nearest_seen: dict[str, int] = {}
    for index, (key, at, radius) in enumerate(_standing(unit)):
        if lines.sees_none(index):
            continue
        for mil, other in sorted((gap(at, radius, there, base), other) for other, (there, base) in enumerate(theirs)):
            if lines.sees(index, other):
                nearest_seen[key] = round(mil)
                break
    if not nearest_seen:
        # fad4/shoot.line-of-sight
        return Why(f"{unit.name} does not see {enemy.name}.", "shoot.line-of-sight")
    # fad4/shoot.squad-one-target: figures that see no enemy or are out of range do not count
    firing = tuple(key for key, mil in nearest_seen.items() if mil <= limits["long"])
    if not firing:
        reach = inches_text(limits["long"])
        sentence = (
            f"{enemy.name} is {beyond(min(nearest_seen.values()), limits['long'])} away; {unit.name} reaches {reach}."
        )
        return Why(sentence, "shoot.range-bands")
    mil = min(nearest_seen[key] for key in firing)
    band = band_of(limits, mil)
    assert band is not None, "a firing figure is within long range"
    return Shot(
        shooter=shooter,
        target=target,
        firing=firing,
        seen=_may_be_hit(state, lines, unit, enemy, firing),
        distance=mil,
        band=band,
        cover=cover_of(rules, state, unit, enemy, firing),
        supporting=_supporting(rules, unit, firing, band),
    )


def _standing(unit: Unit) -> list[tuple[str, Point, int]]:
    """Return the living figures of a unit on the table, each with its place and radius."""
    return [(key, f.at, f.radius) for key, f in unit.figures.items() if f.at is not None and not f.fallen]


def _may_be_hit(state: State, lines: Sightlines, unit: Unit, enemy: Unit, firing: tuple[str, ...]) -> tuple[str, ...]:
    # fad4/hits.allocate-closest: nearest first
    shooters = [(index, at, radius) for index, (key, at, radius) in enumerate(_standing(unit)) if key in firing]
    standing = _standing(enemy)
    seen = [place for other, place in enumerate(standing) if any(lines.sees(index, other) for index, _, _ in shooters)]
    # fad4/shoot.line-of-sight: only figures that are seen can be hit; fad4/shoot.squad-based-targeting: all of them, if half are
    whole = state.options.get(SQUAD_TARGETING) == ON and 2 * len(seen) >= len(standing)
    nearness = {
        key: round(min(gap(at, radius, there, base) for _, at, radius in shooters))
        for key, there, base in (standing if whole else seen)
    }
    return tuple(sorted(nearness, key=nearness.__getitem__))


def cover_of(rules: FadRules, state: State, unit: Unit, enemy: Unit, firing: Sequence[str]) -> str:
    """Return the cover level of `enemy` against the `firing` figures of `unit`."""
    # fad4/hits.half-in-cover: the best level that half of the living figures reach; heavy counts towards partial
    order = list(rules.book.covers)
    levels = [
        order.index(rules.cover_level(level for _, level in covering))
        for _, covering in covering_pieces(rules, state, unit, enemy, firing)
    ]
    share = rules.book.tables.cover.share
    for level in range(len(order) - 1, 0, -1):
        if sum(own >= level for own in levels) * 100 >= share * len(levels):
            return order[level]
    return order[0]


def covering_pieces(
    rules: FadRules, state: State, unit: Unit, enemy: Unit, firing: Sequence[str]
) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """Return, for each part of `enemy`, its figure and the pieces that cover it, as (terrain id, cover level).

    A piece covers a part against the nearest of the `firing` figures of `unit`. Half of the parts must be in cover for the
    unit to be.
    """
    sight = rules.field(state)
    shooters = [at for key in firing if (at := unit.figures[key].at) is not None]
    found = []
    for key, at, radius in _parts(enemy):
        nearest = min(shooters, key=lambda shooter: distance(shooter, at))
        found.append((key, sight.cover_of(at, radius, nearest, rules.edge_reach())))
    return found


def _parts(enemy: Unit) -> list[tuple[str, Point, int]]:
    """Return the parts of which half must be in cover: the figures of a squad, or eight points on the rim of a unit made as
    one figure.
    """
    places = [(key, figure.at, figure.radius) for key, figure in enemy.living.items() if figure.at is not None]
    if len(enemy.figures) > 1:
        return places
    return [(key, moved(at, turn * 4500, radius), 0) for key, at, radius in places for turn in range(8)]


def _supporting(rules: FadRules, unit: Unit, firing: tuple[str, ...], band: str) -> tuple[tuple[str, str], ...]:
    # fad4/shoot.support-weapons: the operator fires and the weapon's own band covers the distance
    return tuple(
        (key, weapon.id)
        for key, weapon in rules.carried(unit)
        if key in firing and BANDS.index(band) <= BANDS.index(weapon.band)
    )


def targets(rules: FadRules, state: State, shooter: str) -> tuple[Candidate, ...]:
    """Return every enemy unit on the table in the order of Fire Priority, each with why it may not be shot at."""
    unit = state.units[shooter]
    visible = visible_enemies(rules, state, unit)
    limit = rules.chapters.fire.priority(rules, unit)
    found = [_target(rules, state, unit, nearest, visible, limit) for nearest in visible]
    unseen = [
        Candidate(enemy.id, why=Why(f"{unit.name} does not see {enemy.name}.", "shoot.line-of-sight"))
        for enemy in state.enemies_of(unit.side)
        if enemy.on_table and all(enemy.id != nearest.unit for nearest in visible)
    ]
    return (*found, *unseen)


def _target(
    rules: FadRules, state: State, unit: Unit, nearest: Nearest, visible: list[Nearest], limit: int
) -> Candidate:
    shot = aim(rules, state, unit.id, nearest.unit)
    # fad4/shoot.fire-priority: one of the N closest visible enemy units; at equal distances either may count as closer
    closer = sum(other.distance < nearest.distance for other in visible)
    if isinstance(shot, Why):
        return Candidate(nearest.unit, about(nearest.distance), shot)
    note = f"{about(shot.distance)}, {shot.band} range, {rules.book.covers[shot.cover].name}"
    if closer >= limit:
        quality = rules.quality(unit).name
        closest = "the closest enemy" if limit == 1 else f"one of the {limit} closest enemies"
        sentence = f"{quality} units must shoot at {closest} they see; {closer} are closer."
        return Candidate(nearest.unit, note, Why(sentence, "shoot.fire-priority"))
    return Candidate(nearest.unit, note)
