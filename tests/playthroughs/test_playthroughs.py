"""Whole games as texts in review: a change of the rules shows what it does to a game.

`python -m tests.playthroughs --write` writes them anew.
"""

from __future__ import annotations

import pytest

from server.rulesets.library import edition
from tests.playthroughs.__main__ import GAMES, path, text


@pytest.mark.parametrize("scenario", GAMES)
def test_the_game_is_played_as_its_text_tells(scenario: str) -> None:
    assert text(scenario).splitlines() == path(scenario).read_text(encoding="utf-8").splitlines(), (
        "the game went otherwise: see what changed with `python -m tests.playthroughs --write` and git diff"
    )


def test_there_is_a_game_of_every_scenario() -> None:
    assert set(GAMES) == {scenario.id for scenario in edition("fad4").info.scenarios}


def test_the_texts_hold_what_a_reviewer_should_see() -> None:
    whole = "".join(path(scenario).read_text(encoding="utf-8") for scenario in GAMES)
    for rule in (
        "assault.free-shot",
        "assault.kill-table",
        "assault.select-losses",
        "assault.fall-back",
        "morale.infantry-fall-back",
        "morale.rally",
        "morale.rout",
        "pin.trigger",
        "hits.partial-cover",
        "hits.heavy-cover",
    ):
        assert f"[{rule}]" in whole, rule
    assert "nobody else sees what" in whole
