"""The preview of a blast: how likely it is on target, and what it does to each unit that stands around the point."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from client_protocol.explained import Explained
from client_protocol.from_server import Chance
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import Point, about, gap, inches_text, to_mil
from server.kernel.state import State, Unit
from server.rulesets.fad.blast import StrikeEffect, shots_at, strike_dice
from server.rulesets.fad.damage import DamageBonus
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.previews.losses import armour_numbers, losses
from server.rulesets.fad.previews.special import landing_chances, special_chances, special_notes
from server.rulesets.fad.quality import QualityNeed
from server.rulesets.fad.ranging import always_scatters, bearer, drift_of, scatters
from server.rulesets.fad.setup.book import HeavyWeapon
from server.rulesets.fad.shooting import PointsPerHit
from server.rulesets.fad.shot import Shot
from server.rulesets.shared.previews import odds
from server.rulesets.shared.words.chances import chance_line, expected_line

Spread = Mapping[int, Fraction]


def preview_blast(rules: FadRules, state: State, unit_id: str, at: Point, mount: str = "") -> Preview | None:
    """Return the odds of a blast of `unit_id`, of a vehicle with the weapon on `mount`, at a legal point. `state` is what its
    seat may know.
    """
    unit, table = state.units[unit_id], rules.book.tables.blast
    served = bearer(rules, unit, mount)
    if served is None:
        return None
    figure, weapon = served
    shots = shots_at(rules, state, unit_id, figure, weapon, at)
    need = rules.advisers.answer(state, QualityNeed(unit_id))
    passes = odds.passes(table.ranging_dice, need.value)
    scattering, always = scatters(state), always_scatters(state)
    least = 0 if always else table.ranging_dice if scattering else table.ranging_passes
    on_target = odds.chance(passes, lambda number: number >= least)
    effect = rules.advisers.answer(state, StrikeEffect(weapon.id))
    # Where a shell goes astray is not reckoned: what follows is what it does where it is aimed.
    strikes = odds.over(
        {number: weight for number, weight in passes.items() if number >= least},
        lambda number: {total + effect.value: w for total, w in odds.total(strike_dice(rules, number)).items()},
    )
    bursts = [row.foretell_burst for row in rules.effects(weapon.id) if row.foretell_burst is not None]
    lands = "Lands where it is aimed" if scattering else "On target"
    chances: list[Chance] = [] if always else [chance_line(lands, on_target)]
    numbers: list[tuple[str, Explained]] = [] if always else [("Each ranging die", need)]
    if not bursts:
        numbers.append(("Strike Effect (without the dice)", effect))
    notes: list[str] = []
    for shot in shots if bursts else ():
        found = (row for foretell in bursts for row in foretell(rules, state, shot, on_target))
        name = named(state, shot)
        chances += (Chance(f"{row.label}: {name}", row.value, row.per_myriad) for row in found)
        notes.append(in_blast(rules, state, shot))
    for shot in () if bursts else shots:
        told_chances, told_numbers, note = target_odds(rules, state, shot, strikes)
        chances += told_chances
        numbers += told_numbers
        notes.append(note)
    if shots and not bursts and all(effect.strike is None for effect in rules.effects(weapon.id)):
        numbers.append(("Damage (plus 1D6)", rules.advisers.answer(state, DamageBonus(unit_id, weapon.id))))
    chances += landing_chances(rules, state, weapon.id, at, on_target)
    notes += special_notes(rules, weapon.id)
    if scattering:
        notes.append(_scattering(rules, unit, served, at, always=always))
    dice = "" if always else f"{table.ranging_dice}D6 to range in"
    if not bursts:
        dice += (
            f"{', then ' if dice else ''}{table.strike_dice or '1'}D6{'' if table.strike_dice else ' for each pass'}"
        )
    title = f"{unit.name}: {weapon.name} at a point {about(shots[0].distance) if shots else ''} away".replace("  ", " ")
    notes.append(f"All figures within {inches_text(weapon.radius)} can be hit; each unit there is shot at, hit or not.")
    return Preview(title, dice, tuple(numbers), tuple(chances), tuple(notes))


def _scattering(rules: FadRules, unit: Unit, served: tuple[str, HeavyWeapon], at: Point, *, always: bool) -> str:
    """Return the note on shells that scatter."""
    figure, weapon = served
    gunner = unit.figures[figure]
    if not rules.book.tables.blast.scatter or gunner.at is None:
        return 'Each ranging die that fails moves it 1D6", up to half of its way: the odds above count only shells on target.'
    # fad5/blast.scatter
    _, more = drift_of(rules, unit, weapon, to_mil(gap(gunner.at, gunner.radius, at, 0)))
    far = f'1D6{f"+{more}" if more else ""}"'
    if always:
        return f"It falls {far} from the point, in a random direction: the odds above are those of a shell that hits the point."
    return f"If the ranging die fails, it falls {far} from the point: the odds above count only shells on target."


def target_odds(
    rules: FadRules, state: State, shot: Shot, strikes: Spread
) -> tuple[list[Chance], list[tuple[str, Explained]], str]:
    """Return what the preview says of one unit in the blast: odds, numbers, and how many of its figures are in it."""
    points = rules.advisers.answer(state, PointsPerHit(shot))
    hits = odds.over(strikes, lambda total: {rules.dealt(shot, total // points.value): Fraction(1)})
    lost = odds.over(hits, lambda number: losses(rules, state, shot, number))
    name = named(state, shot)
    left = [
        foretold
        for aftermath in rules.aftermaths(state)
        for foretold in aftermath.foretell(rules, state, shot.target, strikes).chances
    ]
    chances = [
        expected_line(f"Expected hits on {name}", odds.mean(hits)),
        expected_line(f"Expected losses of {name}", odds.mean(lost)),
        *(
            Chance(f"{chance.label}: {name}", chance.value, chance.per_myriad)
            for chance in (*left, *special_chances(rules, state, shot, hits))
        ),
    ]
    numbers = [(f"Points for each hit on {name}", points), *armour_numbers(rules, state, shot, f" ({name})")]
    return chances, numbers, in_blast(rules, state, shot)


def _own(state: State, shot: Shot) -> bool:
    return state.units[shot.target].side == state.units[shot.shooter].side


def named(state: State, shot: Shot) -> str:
    """Return the name of a unit in the blast, and whether it is a friend's."""
    return f"{state.units[shot.target].name}{' (your own)' if _own(state, shot) else ''}"


def in_blast(rules: FadRules, state: State, shot: Shot) -> str:
    """Return how many figures of a unit are in the blast, and in what cover."""
    count = len(shot.seen)
    figures = "1 figure" if count == 1 else f"{count} figures"
    cover = rules.book.covers[shot.cover].name
    return (
        f"{'Your own ' if _own(state, shot) else ''}{state.units[shot.target].name}: {figures} in the blast, {cover}."
    )
