"""Each edition as a text, the family's data with its own laid over: a change in the family shows what it does to each.

`python -m tests.golden --write` writes them anew.
"""

from __future__ import annotations

import pytest

from server.rulesets.library import EDITIONS
from tests.golden import __main__ as golden


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_merged_edition_is_as_written(edition: str) -> None:
    now, then = golden.text(edition), golden.path(edition).read_text(encoding="utf-8")
    assert now.splitlines() == then.splitlines(), (
        "the edition is another: see what changed with `python -m tests.golden --write` and git diff"
    )


def test_every_text_is_of_an_edition() -> None:
    assert {path.name for path in golden.FOLDER.glob("*.ruleset.txt")} == {golden.path(name).name for name in EDITIONS}
