"""Every rule in scope is obeyed, tested, reached and told; and the tool that says so can say otherwise."""

from __future__ import annotations

import pytest

from server.rulesets.library import every_edition
from tests.cases.resolved import names
from tests.rules_coverage import Coverage, Entry, listed, measure, merged, parse, reached, report, written

ENTRY = Entry("move.sideways", "core", True, "Moving sideways")


@pytest.mark.parametrize("edition", every_edition())
def test_every_rule_in_scope_is_obeyed_tested_reached_and_told(edition: str) -> None:
    coverage = measure(edition)
    lacking = {entry.id: coverage.lacking(entry) for entry in coverage.entries if coverage.lacking(entry)}
    assert lacking == {}
    assert coverage.unknown == []
    assert coverage.heard == [], "they are not silent: strike them from the list"


def test_what_is_missing_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    coverage = Coverage([ENTRY], obeyed={ENTRY.id}, tested={"move.backwards"}, reached=set(), told=set())
    assert coverage.lacking(ENTRY) == ["tested", "reached", "told"]
    assert report("moon", coverage) == 2, "one rule that lacks something, one id that nobody knows"
    told = capsys.readouterr().out
    assert "not move.sideways" in told
    assert "move.backwards is not in the list of rules" in told


def test_a_silent_rule_is_reached_by_no_fact_and_needs_its_test(capsys: pytest.CaptureFixture[str]) -> None:
    silent = Coverage([ENTRY], {ENTRY.id}, tested=set(), reached=set(), told={ENTRY.id}, silent=frozenset({ENTRY.id}))
    assert silent.lacking(ENTRY) == ["tested"]
    heard = Coverage([ENTRY], {ENTRY.id}, {ENTRY.id}, {ENTRY.id}, {ENTRY.id}, silent=frozenset({ENTRY.id}))
    assert report("moon", heard) == 1
    assert "said to be silent" in capsys.readouterr().out


def test_a_rule_is_not_reached_by_a_case_that_is_called_after_it() -> None:
    # The case is there and shows what two dice come to; no fact of it names the rule.
    assert "dice.six-succeeds" in names("fubar4")
    assert "dice.six-succeeds" not in reached("fubar4")
    assert "suppress.penalty" in reached("fubar4")


def test_the_scope_that_was_written_is_kept_and_what_is_new_is_in_scope() -> None:
    rows = [{"id": name, "kind": "core", "title": name} for name in ("move.sideways", "move.backwards", "move.up")]
    kept = [ENTRY, Entry("move.backwards", "core", False, "Moving backwards")]
    assert [(entry.id, entry.in_scope) for entry in merged(rows, kept)] == [
        ("move.sideways", True),
        ("move.backwards", False),
        ("move.up", True),
    ]


@pytest.mark.parametrize("edition", every_edition())
def test_a_list_reads_as_it_was_written(edition: str) -> None:
    text = listed(edition).read_text("utf-8")
    assert written(parse(text)) == text


def test_every_list_is_of_an_edition() -> None:
    folder = listed("").parent
    assert {path.name for path in folder.glob("*.rules.txt")} == {listed(name).name for name in every_edition()}
