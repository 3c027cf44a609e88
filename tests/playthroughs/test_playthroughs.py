"""Whole games as texts in review: a change of the rules shows what it does to a game.

`python -m tests.playthroughs --write` writes them anew.
"""

from __future__ import annotations

import pytest

from server.rulesets.library import edition, editions
from tests.playthroughs.__main__ import FOLDER, GAMES, path, text
from tests.silent_rules import SILENT


@pytest.mark.parametrize("game", GAMES)
def test_the_game_is_played_as_its_text_tells(game: str) -> None:
    assert text(game).splitlines() == path(game).read_text(encoding="utf-8").splitlines(), (
        "the game went otherwise: see what changed with `python -m tests.playthroughs --write` and git diff"
    )


def test_every_text_is_of_a_scenario() -> None:
    assert set(FOLDER.glob("*/*.txt")) == {path(game) for game in GAMES}


@pytest.mark.parametrize("name", editions())
def test_the_texts_hold_what_a_reviewer_should_see(name: str) -> None:
    whole = "".join(path(game).read_text(encoding="utf-8") for game in GAMES if game.startswith(f"{name}/"))
    # Others are told in the prompts and previews of a match.
    ids = [row["id"] for row in edition(name).reference if row["id"] not in SILENT[name]]
    told = [rule for rule in ids if f"[{rule}]" in whole]
    assert len(told) > len(ids) / 2, f"the games show {len(told)} of {len(ids)} rules that a fact can name"
    # At some point several seats are asked at once, and no seat sees the answers of the others before all have answered.
    assert "no other player sees what" in whole
    assert "(all have decided, and the answers are opened)" in whole
