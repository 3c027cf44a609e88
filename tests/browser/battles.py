"""The battles that the browser tests play: the first scenario of every edition."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from client_protocol.from_server import EditionInfo, ScenarioInfo
from server.rulesets.library import editions


class Battle(NamedTuple):
    """A scenario of an edition."""

    edition: EditionInfo
    scenario: ScenarioInfo

    @property
    def sides(self) -> dict[str, str]:
        """The sides' names, by seat."""
        return dict(self.scenario.seats)

    def option(self, title: str) -> dict[str, str] | None:
        """The option of which one choice is called `title`, and that choice, as a start page names them."""
        for option in self.edition.options:
            for choice in option.choices:
                if choice.label.partition(" – ")[0] == title:
                    return {option.title: title}
        return None


BATTLES = [Battle(rules.info, rules.info.scenarios[0]) for rules in editions().values()]
ANY = BATTLES[0]
"""For what every edition offers alike."""

_OF_FAMILY = {type(rules): Battle(rules.info, rules.info.scenarios[0]) for rules in editions().values()}
every_family = pytest.mark.parametrize("battle", _OF_FAMILY.values(), ids=lambda battle: battle.edition.id)
"""For what editions of a family do alike: the last edition of each."""

SHORTEST = [
    Battle(rules.info, min(rules.info.scenarios, key=lambda scenario: scenario.minutes))
    for rules in editions().values()
]
"""The battle of each edition that is over soonest."""

every_battle = pytest.mark.parametrize("battle", BATTLES, ids=[battle.edition.id for battle in BATTLES])
