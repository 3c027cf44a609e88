"""Every weapon of the family's editions is fired, or fought with, in a case or in games between random seats."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from client_protocol.choices import Assigned
from server.kernel.cases.resolving import Resolved
from server.kernel.facts import Declared, Rolled
from server.opponents.simulation import Played, play
from server.rulesets.fad.blast import BLAST
from server.rulesets.fad.ranging import bearer
from tests.cases.resolved import names, steps
from tests.rulesets.openings import WILD, opening
from tests.support.battlefield import fad

MOST = 300
"""The most games that are played until all are reached."""
EARLY = {"fad4": (165, 72, 62, 42), "fad5": (25,)}
"""The games that reach the weapons that are seldom fired: they are played before the others."""


def used(name: str, played: Played | Resolved) -> Iterator[str]:
    """Yield the weapons with which units fire or fight in a step: those whose numbers are counted in a roll, the small arms and
    support weapons of squads that fire, and those of vehicles that are aimed.
    """
    book = fad(name).book
    keys = {row.name: key for key, row in book.small_arms.items()}
    keys |= {row.name: key for key, row in book.support_weapons.items()}
    keys |= {row.name: key for key, row in book.heavy_weapons.items()}
    for roll in (fact for fact in played.step.facts if isinstance(fact, Rolled)):
        yield from (keys[line.reason] for number in roll.numbers for line in number.lines if line.reason in keys)
        if roll.purpose == "fire_effect" and roll.unit:
            unit = played.before.units[roll.unit]
            yield str(unit.profile.get("small_arm", ""))
            yield from (figure.role for figure in unit.living.values() if figure.role in book.support_weapons)
    for fact in played.step.facts:
        if isinstance(fact, Declared) and fact.action == BLAST:
            unit = played.before.units[fact.unit]
            served = bearer(fad(name).rules, unit)
            yield "" if served is None else unit.figures[served[0]].role
    if played.picked is not None:
        mounts = played.before.units[played.before.turn.unit].mounts if played.before.turn.unit else {}
        given = [key for value in played.picked.values if isinstance(value, Assigned) for key in value.given]
        aimed = (*given, played.picked.choice.removeprefix(f"{BLAST}:"))
        yield from (mounts[key].weapon for key in aimed if key in mounts)


@pytest.mark.parametrize("name", ["fad4", "fad5"])
def test_cases_and_random_games_reach_every_weapon(name: str) -> None:
    book = fad(name).book
    left = {*book.small_arms, *book.support_weapons, *book.heavy_weapons}
    for rule in names(name):
        for resolved in steps(f"{name}/{rule}"):
            left.difference_update(used(name, resolved))
    for seed in (*EARLY[name], *range(MOST)):
        for played in play(fad(name), opening(name, WILD, seed), seed):
            left.difference_update(used(name, played))
        if not left:
            break
    assert left == set()
