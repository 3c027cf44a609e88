"""Every case comes to what its text says, and is named after a rule.

That random games and cases together reach every rule is asserted beside the games, in tests/rulesets/test_random_games.py.
"""

from __future__ import annotations

import pytest

from server.rulesets.library import edition, editions
from tests.cases.resolved import CASES, FOLDER, names, path, text


@pytest.mark.parametrize("case", CASES)
def test_a_case_comes_to_what_its_text_says(case: str) -> None:
    assert text(case).splitlines() == path(case).read_text(encoding="utf-8").splitlines(), (
        "the case went otherwise: see what changed with `python -m tests.cases --write` and git diff"
    )


@pytest.mark.parametrize("name", editions())
def test_cases_are_named_after_rules(name: str) -> None:
    assert set(names(name)) <= {row["id"] for row in edition(name).reference}


def test_every_text_is_of_a_case() -> None:
    assert set(FOLDER.glob("*/*.txt")) == {path(case) for case in CASES}
