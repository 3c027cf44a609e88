"""FAD 4's rules on which figures count in a shot."""

from __future__ import annotations

from collections.abc import Mapping

from server.kernel import traits
from server.kernel.space.geometry import gap, inches
from server.kernel.state import State, Unit
from server.rulesets.fad.bots import is_bot
from server.rulesets.fad.chapters import Fire
from server.rulesets.fad.game import LINKED, SUIT_DAMAGED, FadRules
from server.rulesets.fad.shot import Shot


def _alone(unit: Unit) -> bool:
    # fad4/fire.effect-roll: a squad rolls two dice also when it is down to its last man
    return sum(not (figure.of or is_bot(figure)) for figure in unit.figures.values()) == 1


def _riflemen(_rules: FadRules, state: State, shot: Shot) -> int:
    # fad4/fire.shooter-riflemen: every firing figure counts, or by option those without a working support weapon
    small_arms_only = state.options.get("riflemen_count") == "small_arms_only"
    unit = state.units[shot.shooter]
    gunners = {key for key, _ in shot.supporting} if small_arms_only else set()
    # fad4/tech.weapon-tables: a gun-bot adds its weapon alone
    firing = sum(key not in gunners and not is_bot(unit.figures[key]) for key in shot.firing)
    if not traits.has(unit, LINKED):
        return firing
    # fad4/tech.weapon-tables: linked weapons count double; fad4/tech.personal-armour: a damaged suit fires one of them
    damaged = sum(SUIT_DAMAGED in unit.figures[key].conditions for key in shot.firing)
    return firing * 2 - damaged


def _bunched_up(rules: FadRules, unit: Unit) -> bool:
    # fad4/fire.target-bunched-up: at least half of the figures have a squad mate less than 1" away
    places = unit.places()
    if len(places) < 2:
        return False
    near = inches(rules.book.tables.bunched_up.gap)
    bunched = sum(
        any(i != j and round(gap(at, radius, other, base)) < near for j, (other, base) in enumerate(places))
        for i, (at, radius) in enumerate(places)
    )
    return bunched * 100 >= rules.book.tables.bunched_up.share * len(places)


def _priority(rules: FadRules, unit: Unit) -> int:
    # fad4/shoot.fire-priority
    return rules.quality(unit).fire_priority


def _in_place(_rules: FadRules, _unit: Unit, _fallen: tuple[str, ...]) -> Mapping[str, str]:
    # fad4/hits.allocate-closest: a gunner takes up the rifle of the last rifleman
    return {}


def _placed(
    _rules: FadRules, _state: State, _unit: Unit, _enemy: Unit, able: tuple[str, ...], _mil: int, _mount: str
) -> tuple[str, ...]:
    # fad4/shoot.line-of-sight: all that see and reach a figure fire
    return able


FIRE = Fire(
    alone=_alone, riflemen=_riflemen, bunched_up=_bunched_up, priority=_priority, in_place=_in_place, placed=_placed
)
