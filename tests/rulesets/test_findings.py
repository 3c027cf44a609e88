"""Findings agree, in whole games of every edition, with what the rules let units do."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import chain

import pytest

from client_protocol.choices import AssignmentParameter, Choice, UnitParameter
from client_protocol.from_client import Look
from client_protocol.from_server import Sight
from server.kernel.ruleset import Finding, Ruleset, Topic
from server.kernel.space.geometry import about
from server.kernel.state import State
from server.kernel.what_if import placed
from server.matches.projections.sight import look
from server.opponents.simulation import play
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.fad.shot import band_limits
from server.rulesets.library import edition, every_edition
from tests.rulesets.openings import EVERY_KIND, opening

SELDOM = 5
"""Steps of a game from one set of findings to the next."""
PLACES: tuple[Topic, ...] = ("range", "sight", "cover", "fire")


def pairs(state: State, chance: random.Random) -> Iterator[tuple[str, str]]:
    """Yield some of the pairs of units of different sides on the table."""
    there = [unit for unit in state.units.values() if unit.on_table]
    found = [(one.id, other.id) for one in there for other in there if one.side != other.side]
    yield from chance.sample(found, min(3, len(found)))


def all_of(found: Finding) -> Iterator[Finding]:
    """Return a finding and all its parts."""
    yield found
    for part in found.parts:
        yield from all_of(part)


def rule_ids(rules: Ruleset) -> set[str]:
    return {row["id"] for row in rules.reference}


@pytest.mark.parametrize(("name", "kind"), EVERY_KIND)
def test_findings_on_sight_and_range_agree_with_the_browsers(name: str, kind: str) -> None:
    rules, chance = edition(name), random.Random(f"{name} {kind}")
    known, asked = rule_ids(rules), 0
    # Two games: some are over soon.
    steps = chain.from_iterable(play(rules, opening(name, kind, seed), seed) for seed in (1, 2))
    for number, played in enumerate(steps):
        if number % SELDOM:
            continue
        state = played.after
        for unit, target in pairs(state, chance):
            asked += 1
            sight = look(rules, state, Look("l", unit, target))
            assert isinstance(sight, Sight)
            range_, seen, cover, fire = (rules.finding(state, topic, unit, target) for topic in PLACES)
            clear = [ray.figure for ray in sight.rays if ray.clear]
            if rules.in_line_of_fire(state, unit, target)[1]:
                # The browser draws lines of fire, of which there are fewer.
                assert seen.holds
                assert sum(bool(part.holds) for part in seen.parts) >= len(set(clear)) or not seen.parts
            else:
                assert seen.holds == bool(clear)
                # Where sight goes between centres, no figure has one of its own.
                own = seen.parts or rules.looking(state, state.units[unit], state.units[target]) is state.units[unit]
                assert [part.holds for part in seen.parts] == [key in clear for key in state.units[unit].living if own]
            (distance,) = (explained for label, explained in range_.numbers if label == "Distance")
            assert max(0, distance.value) == sight.distance
            assert f"{about(distance.value)} away" in range_.sentence
            assert (seen.holds or not fire.holds) or any(weapon_needs_no_sight(part) for part in fire.parts)
            for found in (range_, seen, cover, fire):
                for part in all_of(found):
                    assert part.rule in known, part
                    assert {line.rule for _, number in part.numbers for line in number.lines} <= known
    assert asked > 10


def weapon_needs_no_sight(part: Finding) -> bool:
    """Return whether a weapon fires at what friends see."""
    return "mortar" in part.sentence.lower()


def offered(choice: Choice) -> dict[str, bool] | None:
    """Return whether a choice lets a unit fire, and at which enemies; None for a choice that is not about fire."""
    for parameter in choice.parameters:
        if isinstance(parameter, UnitParameter):
            return {row.unit: row.why is None for row in parameter.candidates}
        if isinstance(parameter, AssignmentParameter):
            return {option.unit: True for row in parameter.rows for option in row.options}
    return None


FIRE = {"open-fire": "", "fire-move": "", "aimed-fire": "With Aimed Fire"}
"""Choices that fire at once, each with the beginning of the part of a finding that is about it."""


@pytest.mark.parametrize("name", every_edition())
def test_a_finding_allows_fire_exactly_at_the_enemies_that_prompts_offer(name: str) -> None:
    rules, compared = edition(name), set()
    for kind in (kind for edition_, kind in EVERY_KIND if edition_ == name):
        for played in play(rules, opening(name, kind, 2), 2):
            for asked in played.ask.seats.values() if played.ask is not None else ():
                for choice in asked.choices:
                    targets = offered(choice) if choice.key in FIRE and asked.unit else None
                    if targets is None:
                        continue
                    for enemy in played.after.enemies_of(played.after.units[asked.unit].side):
                        if not enemy.on_table:
                            continue
                        found = rules.finding(played.after, "fire", asked.unit, enemy.id)
                        parts = [part for part in found.parts if part.sentence.startswith(FIRE[choice.key])]
                        may = any(part.holds for part in parts) if FIRE[choice.key] else found.holds
                        assert may == targets.get(enemy.id, False), (asked.title, choice.key, found)
                        compared.add(may)
    assert compared == {True, False}


def test_the_range_bands_in_findings_are_the_limits_of_shots() -> None:
    ruleset = FadRuleset("fad4")
    state = ruleset.open("ridge-farm", {})
    for unit in state.units.values():
        here = {key: ((10_000 + 2_000 * i, 10_000)) for i, key in enumerate(unit.figures)}
        other = next(enemy for enemy in state.enemies_of(unit.side))
        there = {key: ((10_000 + 2_000 * i, 30_000)) for i, key in enumerate(other.figures)}
        table = _at(_at(state, unit.id, here), other.id, there)
        found = dict(ruleset.finding(table, "range", unit.id, other.id).numbers)
        del found["Distance"]
        assert [number.value for number in found.values()] == list(band_limits(ruleset.rules, unit).values())


def _at(state: State, unit: str, places: dict[str, tuple[int, int]]) -> State:
    return state.with_unit(placed(state.units[unit], places, {}))
