"""Every rule in scope is obeyed, tested and told; and the tool that says so can say otherwise."""

from __future__ import annotations

import pytest

from server.rulesets.library import editions
from tests.rules_coverage import Coverage, Entry, listed, measure, merged, parse, report, written

ENTRY = Entry("move.sideways", "core", True, "Moving sideways")


@pytest.mark.parametrize("edition", editions())
def test_every_rule_in_scope_is_obeyed_tested_and_told(edition: str) -> None:
    coverage = measure(edition)
    lacking = {entry.id: coverage.lacking(entry) for entry in coverage.entries if coverage.lacking(entry)}
    assert lacking == {}
    assert coverage.unknown == []


def test_what_is_missing_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    coverage = Coverage([ENTRY], obeyed={ENTRY.id}, tested={"move.backwards"}, told=set())
    assert coverage.lacking(ENTRY) == ["tested", "told"]
    assert report("moon", coverage) == 2, "one rule that lacks something, one id that nobody knows"
    told = capsys.readouterr().out
    assert "not move.sideways" in told
    assert "move.backwards is no entry of the ledger" in told


def test_the_scope_that_was_written_is_kept_and_what_is_new_is_in_scope() -> None:
    rows = [{"id": name, "kind": "core", "title": name} for name in ("move.sideways", "move.backwards", "move.up")]
    kept = [ENTRY, Entry("move.backwards", "core", False, "Moving backwards")]
    assert [(entry.id, entry.in_scope) for entry in merged(rows, kept)] == [
        ("move.sideways", True),
        ("move.backwards", False),
        ("move.up", True),
    ]


@pytest.mark.parametrize("edition", editions())
def test_a_list_reads_as_it_was_written(edition: str) -> None:
    text = listed(edition).read_text("utf-8")
    assert written(parse(text)) == text


def test_every_list_is_of_an_edition() -> None:
    folder = listed("").parent
    assert {path.name for path in folder.glob("*.ledger.txt")} == {listed(name).name for name in editions()}
