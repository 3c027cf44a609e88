"""Every case has the result that its text says, and is named after a rule.

tests/rulesets/test_random_games.py asserts that random games and cases together reach every rule.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from server.kernel.cases import resolving
from server.kernel.cases.schema import Case, ExpectedNumber
from server.kernel.cases.setups import setup_of
from server.rulesets.library import edition, editions, every_edition
from tests.cases.resolved import CASES, FOLDER, expectations, lines, load, names, neighbour_of, path, text


@pytest.mark.parametrize("case", CASES)
def test_a_case_comes_to_what_its_text_says(case: str) -> None:
    assert text(case).splitlines() == path(case).read_text(encoding="utf-8").splitlines(), (
        "the case went otherwise: see what changed with `python -m tests.cases --write` and git diff"
    )


@pytest.mark.parametrize("name", every_edition())
def test_cases_are_named_after_rules(name: str) -> None:
    """A second case of a rule has a plus sign behind the rule's name, and what it shows of it."""
    assert {one.partition("+")[0] for one in names(name)} <= {row["id"] for row in edition(name).reference}


def test_every_golden_text_belongs_to_a_case() -> None:
    assert set(FOLDER.glob("*/*.txt")) == {path(case) for case in CASES}


# --- cases that say themselves what comes of them ---------------------------------------------------------------------


@pytest.mark.parametrize("name", editions())
def test_every_edition_has_cases_with_expectations_and_meant_refusals(name: str) -> None:
    expecting = [case for case in CASES if case.startswith(f"{name}/") and expectations(load(case)) > 1]
    refused = [case for case in expecting if any(answer.refused is not None for answer in load(case).answer)]
    asking = [case for case in expecting if load(case).question or any(one.question for one in load(case).answer)]
    assert len(expecting) >= 5
    assert len(refused) >= 4
    assert len(asking) >= 4


CASE = "fad4/fire.modifier-table"


def played(case: Case) -> list[str]:
    rules = edition("fad4")
    return list(lines(rules, rules.read(setup_of(case, neighbour_of(CASE))), case))


def test_a_case_fails_when_a_number_is_not_as_expected() -> None:
    case = load(CASE)
    *before, shot = case.answer
    fact = shot.expect[0]
    assert played(case)
    wrong = replace(fact, numbers=(ExpectedNumber(value=11),))
    with pytest.raises(AssertionError, match=r"answer 3, expect 1: expected .*the numbers are 10 = "):
        played(replace(case, answer=(*before, replace(shot, expect=(wrong,)))))


def test_a_case_fails_when_an_answer_of_the_rules_is_not_as_expected() -> None:
    case = load(CASE)
    first, *rest = case.answer
    question = first.question[0]
    wrong = replace(question, expect=(replace(question.expect[0], sentence="Never"),))
    with pytest.raises(AssertionError, match=r"answer 1, question 1, expect 1: expected "):
        played(replace(case, answer=(replace(first, question=(wrong,)), *rest)))


def test_a_case_fails_when_an_answer_is_not_refused_as_meant() -> None:
    case = load(CASE)
    first, refused, shot = case.answer
    assert refused.refused is not None
    wrong = replace(refused, refused=replace(refused.refused, rule="activation.other"))
    with pytest.raises(AssertionError, match=r"answer 2: expected a refusal by activation\.other"):
        played(replace(case, answer=(first, wrong, shot)))
    with pytest.raises(resolving.CaseError, match=r"answer 2 \(blue: activate\) is refused: "):
        played(replace(case, answer=(first, replace(refused, refused=None), shot)))
