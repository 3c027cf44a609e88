"""Every rule in scope is obeyed, tested and told; and the tool that says so can say otherwise."""

from __future__ import annotations

import pytest

from server.rulesets.library import editions
from tests.rules_coverage import Coverage, Entry, in_scope, listed, measure, parse, report, written

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
    assert report("fad4", coverage) == 2, "one rule that lacks something, one id that nobody knows"
    told = capsys.readouterr().out
    assert "not move.sideways" in told
    assert "move.backwards is no entry of the ledger" in told


def test_vehicles_and_blast_come_later() -> None:
    assert in_scope("move.infantry", "core")
    assert in_scope("setup.victory", "scenario")
    for rule in ("move.hover", "vehicle.repair-test", "assault.by-vehicle", "blast.scatter", "morale.tank-nearby"):
        assert not in_scope(rule, "core")
    assert not in_scope("underfire.crossfire", "option")


def test_a_list_reads_as_it_was_written() -> None:
    text = listed("fad4").read_text("utf-8")
    assert written(parse(text)) == text
