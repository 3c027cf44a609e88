"""Findings about two units as they stand: distance, sight, cover, and whether one may shoot at the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from client_protocol.choices import Why
from client_protocol.explained import Explained, Line
from server.kernel.bodies import is_vehicle
from server.kernel.questions import total
from server.kernel.ruleset import Finding, Topic
from server.kernel.space.geometry import about, inches
from server.kernel.state import State, Unit
from server.rulesets.fad.allocation import CLOSEST, allocation
from server.rulesets.fad.cover import Covered, asked, cover_of, covering_pieces
from server.rulesets.fad.fire_priority import targets
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.lines_of_fire import THROUGH_FRIENDS, stopped_by
from server.rulesets.fad.previews import vehicle_findings
from server.rulesets.fad.shooting import PointsPerHit
from server.rulesets.fad.shot import BANDS, Shot, aim, band_limits, band_of
from server.rulesets.fad.sights import by_centres
from server.rulesets.shared.distances import apart
from server.rulesets.shared.previews.findings import covered, listed, measured, piece_named, sight, who

RANGE = "shoot.range-bands"
SIGHT = "shoot.line-of-sight"
COUNTS = "shoot.squad-one-target"
CENTRE = "shoot.los-squad-centre"


def finding(rules: FadRules, state: State, topic: Topic, unit_id: str, target_id: str) -> Finding:
    """Return the finding on `topic`. See `server.kernel.ruleset.Ruleset.finding`."""
    return _TOPICS[topic](rules, state, state.units[unit_id], state.units[target_id])


def _sight(rules: FadRules, state: State, unit: Unit, target: Unit) -> Finding:
    if by_centres(state, unit, target):
        return _centres(rules, state, unit, target)
    # fad4/shoot.line-of-sight
    return sight(state, unit, target, SIGHT, rules.aloft(state), rules.shelters(state, unit, target))


def _centres(rules: FadRules, state: State, unit: Unit, target: Unit) -> Finding:
    """Return whether the centres of two squads see each other (fad5/shoot.los-squad-centre)."""
    one, other = (rules.group(rules.centred(squad)).bodies[0] for squad in (unit, target))
    line = rules.field(state).line_body(one, other, rules.hulls(state))
    sentence = f"The centre of {unit.name} {'sees' if line.clear else 'does not see'} that of {target.name}"
    by = "" if line.clear else f" because of {piece_named(state, line.blocked_by or '')}"
    return Finding(f"{sentence}{by}.", CENTRE, holds=line.clear)


def _range(rules: FadRules, state: State, unit: Unit, target: Unit) -> Finding:
    # fad4/shoot.range-bands
    if is_vehicle(unit):
        return vehicle_findings.in_range(rules, unit, target)
    # fad5/shoot.los-squad-centre
    mil = apart(rules.looking(state, unit, target), rules.looking(state, target, unit))
    band = band_of(band_limits(rules, unit), mil)
    where = f"in {band} range" if band else "beyond long range"
    sentence = f"{target.name} is {about(mil)} away from {unit.name}, {where} of its {rules.small_arm(unit).name}."
    away = measured(mil, RANGE)
    if by_centres(state, unit, target):
        away = "Distance", Explained(mil, (Line("SET", mil, "centre to centre", CENTRE),), "mil")
    numbers = (away, *_bands(rules, unit))
    parts = []
    shot = aim(rules, state, unit.id, target.id)
    if isinstance(shot, Shot) and shot.distance != mil:
        # fad4/shoot.squad-one-target: measured between the nearest figures that see each other
        seen = f"Between the nearest figures that see each other it is {about(shot.distance)}: {shot.band} range."
        parts.append(Finding(seen, COUNTS, numbers=(measured(shot.distance, COUNTS),)))
    return Finding(sentence, RANGE, numbers=numbers, parts=tuple(parts))


def _bands(rules: FadRules, unit: Unit) -> Iterator[tuple[str, Explained]]:
    """Yield how far each range band reaches, with the lines that make up that length."""
    quality, arm, multiples = rules.quality(unit), rules.small_arm(unit), rules.book.tables.range_bands
    base = Line("SET", inches(quality.base_range), f"{quality.name}, base range", RANGE)
    close = Line("SCALE", 100 * arm.range_multiplier, f"{arm.name}, x{arm.range_multiplier}", RANGE)
    for band in BANDS:
        lines = [base] if band == "base" else [base, close]
        if multiples.of(band) != 1:
            lines.append(Line("SCALE", 100 * multiples.of(band), f"{band} range, x{multiples.of(band)}", RANGE))
        yield f"{band.title()} range up to", total(lines, "mil")


def _cover(rules: FadRules, state: State, unit: Unit, target: Unit) -> Finding:
    # fad4/hits.half-in-cover: against the figures that shoot, or against all of them if there is no shot
    shot = (
        vehicle_findings.any_shot(rules, state, unit, target)
        if is_vehicle(unit)
        else aim(rules, state, unit.id, target.id)
    )
    firing = shot.firing if isinstance(shot, Shot) else tuple(unit.living)
    level = cover_of(rules, state, unit, target, firing, shot.seen if isinstance(shot, Shot) else ())
    levels = rules.book.covers
    by_figure: dict[str, list[tuple[str, str]]] = {}
    parts_asked: Sequence[Covered] = covering_pieces(rules, state, unit, target, firing)
    if isinstance(shot, Shot):
        parts_asked = asked(rules, target, parts_asked, shot.seen)
    for figure, pieces in parts_asked:
        by_figure.setdefault(figure, []).extend(pieces)
    parts = []
    for figure, found in by_figure.items():
        best = rules.cover_level(level for _, level in found)
        by = f" by {listed(piece_named(state, piece) for piece in dict(found))}" if found else ""
        parts.append(
            Finding(f"{who(target, [figure])}: {levels[best].name}{by}.", levels[best].rule, holds=best != "none")
        )
    numbers: tuple[tuple[str, Explained], ...] = ()
    if isinstance(shot, Shot):
        numbers = (("Points for each hit", rules.advisers.answer(state, PointsPerHit(shot))),)
    sentence = covered(target, unit, levels[level].name, parts)
    if not isinstance(shot, Shot):
        parts.append(Finding(shot.sentence, shot.rule, holds=False))
    return Finding(sentence, "hits.half-in-cover", level != "none", numbers, tuple(parts))


def _fire(rules: FadRules, state: State, unit: Unit, target: Unit) -> Finding:
    # fad4/shoot.method
    if is_vehicle(unit):
        return vehicle_findings.fire(rules, state, unit, target)
    candidate = next(row for row in targets(rules, state, unit.id) if row.unit == target.id)
    if candidate.why is not None:
        return Finding(candidate.why.sentence, candidate.why.rule, holds=False)
    shot = aim(rules, state, unit.id, target.id)
    assert not isinstance(shot, Why), "a target that may be named can be aimed at"
    supporting = [
        Finding(f"{who(unit, [figure])} adds {rules.book.support_weapons[weapon].name}.", "shoot.support-weapons")
        for figure, weapon in shot.supporting
    ]
    ordered = allocation(state) == CLOSEST
    parts = (
        Finding(f"{who(unit, shot.firing)} {_verb(shot.firing, 'see')} the target and can fire.", COUNTS),
        Finding(f"{who(target, shot.seen)} can be hit{', in this order' if ordered else ''}.", SIGHT),
        *_in_the_way(rules, state, unit, target),
        *supporting,
    )
    sentence = f"{unit.name} may shoot at {target.name}: {candidate.note}."
    return Finding(sentence, "shoot.method", holds=True, numbers=(measured(shot.distance, COUNTS),), parts=parts)


def _in_the_way(rules: FadRules, state: State, unit: Unit, target: Unit) -> Iterator[Finding]:
    """Yield which friends stop lines of fire of a unit that it has others besides (fad5/shoot.through-friendly-infantry)."""
    friends = stopped_by(rules, state, unit, target)
    if friends:
        names = listed(friend.name for friend in friends)
        verb = "stand" if len(friends) > 1 else "stands"
        yield Finding(f"{names} {verb} in some of its lines of fire.", THROUGH_FRIENDS, holds=False)


def _verb(figures: tuple[str, ...], verb: str) -> str:
    return f"{verb}s" if len(figures) == 1 else verb


_TOPICS: dict[Topic, Callable[[FadRules, State, Unit, Unit], Finding]] = {
    "range": _range,
    "sight": _sight,
    "cover": _cover,
    "fire": _fire,
}
