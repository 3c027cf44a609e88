"""Every two settings of an edition, together in one whole game between random seats."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import combinations, product

import pytest

from client_protocol.shapes import OptionValue
from server.opponents.simulation import simulate
from server.rulesets.library import edition, every_edition

Setting = tuple[str, OptionValue]
Settings = dict[str, OptionValue]

SOME = 3
"""The most values of a range that are tried: its ends and its default."""


def values(name: str) -> dict[str, tuple[OptionValue, ...]]:
    """Return the values of each option of an edition: all of a list, some of a range."""
    found: dict[str, tuple[OptionValue, ...]] = {}
    for option in edition(name).info.options:
        every = tuple(choice.value for choice in option.choices)
        is_range = len(every) > SOME and all(choice.label.startswith(f"{choice.value} ") for choice in option.choices)
        found[option.id] = tuple(dict.fromkeys((every[0], option.default, every[-1]))) if is_range else every
    return found


def pairs_of(settings: Mapping[str, OptionValue]) -> set[frozenset[Setting]]:
    """Return every two settings of a match."""
    return {frozenset(pair) for pair in combinations(settings.items(), 2)}


def every_pair(name: str) -> set[frozenset[Setting]]:
    """Return every two settings that a match of the edition can have."""
    rows = [[(option, value) for value in among] for option, among in values(name).items()]
    return {frozenset(pair) for one, other in combinations(rows, 2) for pair in product(one, other)}


@cache
def matches(name: str) -> tuple[Settings, ...]:
    """Return the settings of a few matches in which every pair occurs."""
    left, found = every_pair(name), list[Settings]()
    while left:
        settings: Settings = dict(sorted(min(left, key=lambda pair: sorted(map(str, pair)))))
        for option, among in values(name).items():
            if option not in settings:
                settings[option] = max(among, key=lambda value: len(pairs_of({**settings, option: value}) & left))
        left -= pairs_of(settings)
        found.append(settings)
    return tuple(found)


GAMES = [(name, number) for name in every_edition() for number in range(len(matches(name)))]


@pytest.mark.parametrize("name", every_edition())
def test_the_matches_have_every_pair_of_settings(name: str) -> None:
    assert set().union(*(pairs_of(settings) for settings in matches(name))) >= every_pair(name)


@pytest.mark.parametrize(("name", "number"), GAMES)
def test_a_match_with_any_two_settings_is_played_to_its_end(name: str, number: int) -> None:
    rules, settings = edition(name), matches(name)[number]
    scenarios = rules.info.scenarios
    scenario = min(scenarios, key=lambda one: len(rules.open(one.id, {}).units))
    game = simulate(rules, rules.open(scenario.id, settings), seed=number)
    assert game.refusals == 0, settings
