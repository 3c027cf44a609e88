"""docs/setups.md: its examples are played, and what it lists is what the rules know."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from server.cli import main
from server.kernel import cases, setups
from server.rulesets.fad.ruleset import FadRuleset

PAGE = (Path(__file__).parents[2] / "docs" / "setups.md").read_text(encoding="utf-8")
SETUP, FIGURES, CASE = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
RULES = FadRuleset("fad4")


def test_the_setup_is_read() -> None:
    state = RULES.read(setups.parse(SETUP))
    assert state.title == "Farm lane"
    assert state.units["red-1"].figures["4"].at == (19_000, 20_000)
    assert state.turn.phase == "turn"


def test_the_list_of_figures_is_read() -> None:
    setup = setups.parse(SETUP)
    setup["unit"][0].pop("at")
    setup["unit"][0].update(tomllib.loads(FIGURES))
    blue = RULES.read(setup).units["blue-1"]
    assert (blue.strength, len(blue.figures), blue.figures["1"].role) == (2, 3, "leader")


def test_the_case_comes_out_as_the_page_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "farm-lane.toml").write_text(SETUP, encoding="utf-8")
    (tmp_path / "open-fire.toml").write_text(CASE, encoding="utf-8")
    assert main(["resolve", str(tmp_path / "open-fire.toml")]) == 0
    out = capsys.readouterr().out
    for line in re.findall(r'^(\{"step".*?"dice": \[[^]]*\])', PAGE, re.MULTILINE):
        step, dice = re.match(r'\{"step": (\d+),.*("dice": .*)$', line).groups()  # type: ignore[union-attr]  # found before
        assert dice in out.splitlines()[int(step)]
    case = cases.convert(setups.parse(CASE))
    assert "6 + 2 + 1 + 1 = 10" in case.about
    assert '"value": 10' in out
    assert "2 figures of Red squad fall; 2 left." in out


def test_it_lists_every_kind_of_terrain_weapon_and_armour() -> None:
    book = RULES.book
    powered = {weapon.id for weapon in book.support_weapons.values() if "powered_armour_only" in weapon.flags}
    known = {*book.palette, *book.small_arms, *book.armours, *book.qualities, *book.resolves, *book.support_weapons}
    listed = set(re.findall(r"`([a-z_-]+)`", PAGE))
    assert known - powered <= listed


def test_it_says_what_each_kind_of_terrain_does() -> None:
    rows = re.findall(r"^\| (`.*?) \| (\w+) \| (yes)? ?\| (yes)? ?\| .*\|$", PAGE, re.MULTILINE)
    told = {
        kind: (cover, bool(difficult), bool(impassable))
        for kinds, cover, difficult, impassable in rows
        for kind in re.findall(r"`(\w+)`", kinds)
    }
    assert told == {
        row.kind: (row.cover, "difficult" in row.flags, "impassable" in row.flags)
        for row in RULES.book.palette.values()
    }
