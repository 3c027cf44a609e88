"""Taking aim: line of sight, range and Fire Priority, before any die is rolled."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import Candidate, Why
from server.kernel.bodies import body, is_vehicle, mount_bears
from server.kernel.space.geometry import Point, about, between, beyond, inches, inches_text, moved, to_point
from server.kernel.space.sight import Sightlines
from server.kernel.space.values import Body
from server.kernel.standing import enemies
from server.kernel.state import State, Unit
from server.kernel.traits import has
from server.rulesets.fad.game import BUSY, NEUTRAL, FadRules
from server.rulesets.fad.module import Act, Crew
from server.rulesets.fad.setup.book import HeavyWeapon, SupportWeapon
from server.rulesets.shared.distances import Nearest, apart, stand, visible_enemies
from server.rulesets.shared.setup.book import ON

BANDS = ("base", "close", "medium", "long")

SMALL_ARMS = "small-arms"
"""What is aimed in place of a mount if the team that is with a squad does not fire along."""

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
        supporting: the support weapons in range, as pairs of figure and weapon; one with several modes as the mode in which it
            is fired.
        weapon: the heavy weapon that is fired; "" if the unit fires its small arms. The fire of such a weapon at a point makes a
            shot at each unit that is struck there, of which `seen` are the figures within the blast.
        mount: the mount of a vehicle that is aimed, or the figure that serves the heavy weapon of a team; "" for a squad's fire
            and for blasts.
        joined: the figure that serves a heavy weapon which fires together with the squad's small arms; "" if none does.
        origin: where the fire of something off the table comes from; None for what stands on it. `shooter` is then the unit that
            called it.
    """

    shooter: str
    target: str
    firing: tuple[str, ...]
    seen: tuple[str, ...]
    distance: int
    band: str
    cover: str
    supporting: tuple[tuple[str, str], ...]
    weapon: str = ""
    mount: str = ""
    joined: str = ""
    origin: Point | None = None


def band_limits(rules: FadRules, unit: Unit, weapon: HeavyWeapon | None = None) -> dict[str, int]:
    """Return the upper edge of each range band for `unit`'s small arm, or its heavy `weapon`, in mil (fad4/shoot.range-bands)."""
    base = inches(rules.quality(unit).base_range)
    close = base * (weapon or rules.small_arm(unit)).range_multiplier
    multiples = rules.book.tables.range_bands
    return {band: base if band == "base" else close * multiples.of(band) for band in BANDS}


def band_of(limits: dict[str, int], mil: int) -> str | None:
    """Return the band in which a distance (mil) lies, its upper edge included; None beyond long range."""
    for band, limit in limits.items():
        if mil <= limit:
            return band
    return None


def aim(rules: FadRules, state: State, shooter: str, target: str, mount: str = "") -> Shot | Why:
    """Return the shot of `shooter`, of a vehicle with the weapon on `mount`, at `target`, or why there is none: forbidden, out of
    sight, out of range (fad4/shoot.method).

    A squad fires all that it can fire together, unless `mount` says `SMALL_ARMS` or names the figure that serves its heavy
    weapon. Fire Priority is not checked here, because free shots ignore it.
    """
    unit, enemy = state.units[shooter], state.units[target]
    barred = rules.barred(state, unit, Act.SHOOT)
    barred = barred or rules.spared(state, enemy)
    if barred is not None:
        return barred
    # fad4/transport.soft-skin-fire: a squad aboard looks and measures from the hull
    lines = rules.sightlines(state, stand(state, unit), enemy)
    crew = rules.crew(state, unit)
    if crew is None:
        return _part(rules, state, unit, enemy, lines, "" if mount == SMALL_ARMS else mount)
    if not mount:
        return _together(rules, state, unit, enemy, lines, crew)
    return _by_crew(rules, state, unit, enemy, lines, crew, mount)


def _by_crew(
    rules: FadRules, state: State, unit: Unit, enemy: Unit, lines: Sightlines, crew: Crew, mount: str
) -> Shot | Why:
    """Return the shot of one part of a unit with a heavy weapon and its crew: of its small arms, or of the weapon."""
    if mount == SMALL_ARMS:
        return _part(rules, state, unit, enemy, lines, "", crew.figures)
    barred = rules.barred(state, unit, Act.SERVE)
    weapon = rules.mounted(unit, crew.gunner)
    if barred is not None:
        return barred
    if weapon.blast and not is_vehicle(enemy):
        # fad4/blast.declare-role
        sentence = f"The {weapon.name.lower()} fires blasts at infantry; aimed fire is for vehicles."
        return Why(sentence, "blast.declare-role")
    return _part(rules, state, unit, enemy, lines, crew.gunner)


def _together(rules: FadRules, state: State, unit: Unit, enemy: Unit, lines: Sightlines, crew: Crew) -> Shot | Why:
    """Return the shot of a unit with a heavy weapon and its crew: of both parts if both can join in it, else of the one that
    can fire.
    """
    served = _by_crew(rules, state, unit, enemy, lines, crew, crew.gunner)
    if crew.whole:
        return served
    squad = _by_crew(rules, state, unit, enemy, lines, crew, SMALL_ARMS)
    if isinstance(served, Why):
        return squad
    if isinstance(squad, Why):
        return served
    weapon = rules.mounted(unit, crew.gunner)
    if is_vehicle(enemy) and (rules.small_arm(unit).anti_tank is None or weapon.anti_tank is None):
        # fad5/adv.weapon-teams.combined-fire: against vehicles both need an anti-tank rating
        return served if rules.small_arm(unit).anti_tank is None else squad
    firing = (*squad.firing, crew.gunner)
    return replace(
        squad,
        seen=(*squad.seen, *(key for key in served.seen if key not in squad.seen)),
        distance=min(squad.distance, served.distance),
        # fad5/adv.weapon-teams.combined-fire: the worse of both parts' range bands
        band=max(squad.band, served.band, key=BANDS.index),
        cover=cover_of(rules, state, stand(state, unit), enemy, firing),
        joined=crew.gunner,
    )


def _part(
    rules: FadRules,
    state: State,
    unit: Unit,
    enemy: Unit,
    lines: Sightlines,
    mount: str,
    without: frozenset[str] = frozenset(),
) -> Shot | Why:
    """Return the shot of one weapon, or of a unit's small arms `without` some of its figures."""
    if unit.aboard or without:
        return _aimed(rules, state, unit, enemy, lines, mount, without)
    known = rules.shots.get(lines, unit.profile)
    wanted = (unit.id, enemy.id, mount)
    if (
        known is not None
        and known[0] is state.options
        and (known[1].shooter, known[1].target, known[1].mount) == wanted
    ):
        return known[1]
    shot = _aimed(rules, state, unit, enemy, lines, mount, without)
    if isinstance(shot, Shot):
        rules.shots.keep(lines, unit.profile, (state.options, shot))
    return shot


def _aimed(
    rules: FadRules,
    state: State,
    unit: Unit,
    enemy: Unit,
    lines: Sightlines,
    mount: str,
    without: frozenset[str] = frozenset(),
) -> Shot | Why:
    """Return what `aim` does for a unit that may shoot. It follows from the figures of the two, the shooter's profile, the
    terrain and the match's options.
    """
    limits = band_limits(rules, unit, rules.mounted(unit, mount) if mount else None)
    borne = _borne(unit, mount, enemy)
    if borne is not None and not borne:
        weapon = rules.mounted(unit, mount).name
        return Why(f"The {weapon.lower()} of {unit.name} does not bear on {enemy.name}.", "shoot.line-of-sight")
    nearest_seen: dict[str, int] = {}
    place = stand(state, unit)
    for index, key in enumerate(_standing(place)):
        # fad4/action.command: who takes part in a task does not shoot
        if BUSY in place.figures[key].conditions or key in without:
            continue
        if mount in place.figures and mount not in place.mounts and key != mount:
            continue
        mil = lines.nearest_seen(index) if borne is None else lines.nearest_of(index, borne)
        if mil is not None:
            nearest_seen[key] = round(mil)
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
    seen = _may_be_hit(rules, state, lines, place, enemy, firing, borne)
    cover = cover_of(rules, state, place, enemy, firing)
    if unit.aboard:
        firing = tuple(key for key in unit.living if key not in without)
    return Shot(
        shooter=unit.id,
        target=enemy.id,
        firing=firing,
        seen=seen,
        distance=mil,
        band=band,
        cover=cover,
        supporting=() if mount else _supporting(rules, unit, firing, band),
        weapon=rules.mounted(unit, mount).id if mount else "",
        mount=mount,
    )


def _standing(unit: Unit) -> list[str]:
    """Return the living figures of a unit on the table, in the order of its group."""
    return [key for key, figure in unit.figures.items() if figure.at is not None and not figure.fallen]


def _borne(unit: Unit, mount: str, enemy: Unit) -> list[int] | None:
    """Return the figures of an enemy on the table on which the weapon on a mount bears; None for those of a squad, which bear on
    all.
    """
    if mount not in unit.mounts:
        return None
    return [place for place, (at, _) in enumerate(enemy.places()) if mount_bears(unit, mount, at)]


def _may_be_hit(
    rules: FadRules,
    state: State,
    lines: Sightlines,
    unit: Unit,
    enemy: Unit,
    firing: tuple[str, ...],
    borne: list[int] | None,
) -> tuple[str, ...]:
    # fad4/hits.allocate-closest: nearest first
    shooters = [index for index, key in enumerate(_standing(unit)) if key in firing]
    standing = _standing(enemy)
    seen = lines.seen_by(shooters) if borne is None else [other for other in lines.seen_by(shooters) if other in borne]
    # fad4/shoot.line-of-sight: only figures that are seen can be hit; fad4/shoot.squad-based-targeting: all of them, if half are
    away = rules.apart(enemy)
    if (
        state.options.get(SQUAD_TARGETING) == ON
        and 2 * len(seen) >= len(standing)
        and not all(standing[other] in away for other in seen)
    ):
        seen = list(range(len(standing)))
    nearness = {standing[other]: round(lines.nearness(shooters, other)) for other in seen}
    return tuple(sorted(nearness, key=nearness.__getitem__))


def cover_of(rules: FadRules, state: State, unit: Unit, enemy: Unit, firing: Sequence[str]) -> str:
    """Return the cover level of `enemy` against the `firing` figures of `unit`."""
    if rules.airborne(enemy):
        # fad4/move.fly
        return "none"
    return _level(rules, covering_pieces(rules, state, unit, enemy, firing))


def cover_around(rules: FadRules, state: State, enemy: Unit, at: Point) -> str:
    """Return the cover level of `enemy` against something that bursts at a point (fad4/blast.strike-effect)."""
    return _level(rules, _covering(rules, state, enemy, [at]))


def _level(rules: FadRules, covered: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> str:
    # fad4/hits.half-in-cover: the best level that half of the living figures reach; heavy counts towards partial
    order, rank = rules.cover_levels, rules.cover_ranks
    levels = [max([rank[level] for _, level in covering], default=rank["none"]) for _, covering in covered]
    share = rules.book.tables.cover.share
    for place in range(len(order) - 1, 0, -1):
        if len([own for own in levels if own >= place]) * 100 >= share * len(levels):
            return order[place]
    return order[0]


def covering_pieces(
    rules: FadRules, state: State, unit: Unit, enemy: Unit, firing: Sequence[str]
) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """Return, for each part of `enemy`, its figure and the pieces that cover it, as (terrain id, cover level).

    A piece covers a part against the nearest of the `firing` figures of `unit`. Half of the parts must be in cover for the
    unit to be.
    """
    return _covering(rules, state, enemy, firing_places(state, unit, firing))


def _covering(
    rules: FadRules, state: State, enemy: Unit, shooters: Sequence[Point]
) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    sight = rules.field(state)
    reach = rules.edge_reach()
    parts = _parts(enemy)
    covered = sight.covers_from([(at, radius) for _, at, radius in parts], shooters, reach)
    return [(key, pieces) for (key, _, _), pieces in zip(parts, covered, strict=True)]


def firing_places(state: State, unit: Unit, firing: Sequence[str]) -> list[Point]:
    """Return from where figures of a unit fire; those aboard a vehicle fire from its place (fad4/transport.soft-skin-fire)."""
    figures = state.units[unit.aboard].figures.values() if unit.aboard else [unit.figures[key] for key in firing]
    return [figure.at for figure in figures if figure.at is not None]


def _parts(enemy: Unit) -> list[tuple[str, Point, int]]:
    """Return the parts of which half must be in cover: the figures of a squad, eight points on the rim of a unit made as one
    figure, or the corners of a hull and the middles of its sides.
    """
    if is_vehicle(enemy):
        return [(key, place, 0) for key, figure in enemy.living.items() for place in _round(body(figure))]
    places = [(key, figure.at, figure.radius) for key, figure in enemy.living.items() if figure.at is not None]
    if len(enemy.figures) > 1:
        return places
    return [(key, moved(at, turn * 4500, radius), 0) for key, at, radius in places for turn in range(8)]


def _round(hull: Body) -> list[Point]:
    sides = zip(hull.outline[-1:] + hull.outline[:-1], hull.outline, strict=True)
    return [place for a, b in sides for place in (b, to_point(between(a, b, 0.5)))]


def _supporting(rules: FadRules, unit: Unit, firing: tuple[str, ...], band: str) -> tuple[tuple[str, str], ...]:
    # fad4/shoot.support-weapons: the operator fires and the weapon's own band covers the distance
    found = []
    for key, weapon in rules.carried(unit):
        modes = modes_in(rules, weapon, band) if key in firing else []
        if modes:
            found.append((key, max(modes, key=_expected).id))
    return tuple(found)


def modes_in(rules: FadRules, weapon: SupportWeapon, band: str) -> list[SupportWeapon]:
    """Return as which rows of the table a support weapon may be fired at this range: itself, or those of a weapon with several
    modes that reach so far (fad4/tech.weapon-tables).
    """
    rows = [rules.book.support_weapons[mode] for mode in weapon.modes] or [weapon]
    return [row for row in rows if row.band in BANDS and BANDS.index(band) <= BANDS.index(row.band)]


def _expected(weapon: SupportWeapon) -> float:
    return 3.5 if weapon.fire_effect_die else weapon.fire_effect


def targets(rules: FadRules, state: State, shooter: str, mount: str = "") -> tuple[Candidate, ...]:
    """Return every enemy unit on the table in the order of Fire Priority, each with why it may not be shot at, by a vehicle with
    the weapon on `mount`.
    """
    unit = state.units[shooter]
    visible = _in_sight(rules, state, unit)
    limit = rules.chapters.fire.priority(rules, unit)
    found = [_target(rules, state, unit, nearest, visible, limit, mount) for nearest in visible]
    seen = {nearest.unit for nearest in visible}
    unseen = [
        Candidate(enemy.id, why=Why(f"{unit.name} does not see {enemy.name}.", "shoot.line-of-sight"))
        for enemy in enemies(state, unit.side)
        if enemy.id not in seen
    ]
    return (*found, *unseen)


def permitted(rules: FadRules, state: State, unit: Unit) -> list[str]:
    """Return the enemies that Fire Priority lets `unit` shoot at, whether they are in range or not, nearest first."""
    visible = _in_sight(rules, state, unit)
    limit = rules.chapters.fire.priority(rules, unit)
    return [nearest.unit for nearest in visible if _closer(rules, state, visible, nearest) < limit]


def _in_sight(rules: FadRules, state: State, unit: Unit) -> list[Nearest]:
    """Return those in sight who may be shot at, nearest first: enemies, and those of its own side who obey no side."""
    found = visible_enemies(rules, state, unit)
    own = stand(state, unit)
    strangers = [other for other in state.units_of(unit.side) if has(other, NEUTRAL) and other.on_table]
    found += [Nearest(apart(own, other), other.id) for other in strangers if rules.sees(state, own, other)]
    return sorted(found, key=lambda nearest: nearest.distance) if strangers else found


def _closer(rules: FadRules, state: State, visible: list[Nearest], nearest: Nearest) -> int:
    # fad4/shoot.fire-priority: one of the N closest visible enemy units; at equal distances either may count as closer
    nearer = [other for other in visible if other.distance < nearest.distance]
    return sum(not rules.bystander(state, state.units[other.unit]) for other in nearer)


def _target(
    rules: FadRules, state: State, unit: Unit, nearest: Nearest, visible: list[Nearest], limit: int, mount: str
) -> Candidate:
    shot = aim(rules, state, unit.id, nearest.unit, mount)
    closer = _closer(rules, state, visible, nearest)
    if isinstance(shot, Why):
        return Candidate(nearest.unit, about(nearest.distance), shot)
    note = f"{about(shot.distance)}, {shot.band} range, {rules.book.covers[shot.cover].name}"
    if closer >= limit:
        quality = rules.quality(unit).name
        closest = "the closest enemy" if limit == 1 else f"one of the {limit} closest enemies"
        sentence = f"{quality} units must shoot at {closest} they see; {closer} are closer."
        return Candidate(nearest.unit, note, Why(sentence, "shoot.fire-priority"))
    return Candidate(nearest.unit, note)
