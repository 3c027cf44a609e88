"""The log of a battle: its lines agree with what happens next, and report every lost hit and kill."""

from __future__ import annotations

import pytest

from server.kernel.facts import Rolled
from server.kernel.state import State
from server.rulesets.fad.previews.choices import preview_morale
from tests.rulesets.fad4.assaults import assault, charge
from tests.support.battlefield import BattleTable, battle, facing, fad4, piece, play, unit

FALL_BACK = [3, 1, 2]
"""Dice of a Regular unit's test (3+) with one pass."""


def told(start: State, table: BattleTable) -> list[tuple[str, str]]:
    """Return the lines of the log since `start`, each with its rule."""
    lines = []
    state = start
    for fact in table.facts:
        story = fad4().story(state, fact)
        lines += [(story.text, story.rule)] if story is not None else []
        state = fact.fold(state)
    return lines


def said(start: State, table: BattleTable, words: str) -> tuple[str, str]:
    """Return the one line that contains these words."""
    (line,) = [line for line in told(start, table) if words in line[0]]
    return line


# --- morale ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/morale.infantry-fall-back")
@pytest.mark.rule("fad4/morale.overrides")
@pytest.mark.parametrize(
    ("conditions", "cover", "offered", "sentence", "chance"),
    [
        (
            [],
            False,
            ["fall-back", "fire-fall-back"],
            "it stays broken and must fall back, if it has anywhere to go.",
            "Falls back",
        ),
        (
            [],
            True,
            ["fall-back", "fire-fall-back", "stay", "fire-stay"],
            "it stays broken; in cover with no enemy near, it may fall back or stay.",
            "Stays broken",
        ),
        (
            ["pinned"],
            False,
            None,
            "it stays broken, and being Pinned it neither falls back nor shoots.",
            "Stays broken",
        ),
    ],
)
def test_the_log_of_a_failed_morale_test_says_what_the_unit_may_do_next(
    conditions: list[str], cover: bool, offered: list[str] | None, sentence: str, chance: str
) -> None:
    start = battle(
        unit("blue", (10, 20), lost=3, resolve="steady", conditions=conditions),
        unit("red", (10, 34)),
        terrain=[piece("ruin", (5, 17), (30, 23))] if cover else [],
    )
    foreseen = preview_morale(fad4().rules, start, "blue-1")
    assert foreseen is not None
    assert chance in [row.label for row in foreseen.chances]
    table = play(start).activates("blue-1", dice=FALL_BACK)
    assert said(start, table, "Morale Test")[0] == f"Morale Test of Blue 1: 1 pass, {sentence}"
    if offered is None:
        assert table.asked == "red"
    else:
        assert set(table.offered) <= set(offered)
        assert ("stay" in table.offered) == cover


# --- a charge that fails --------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/assault.move-in")
def test_the_log_reports_a_charge_that_fails_after_the_free_shot() -> None:
    # The one man near enough falls; the others have 10" and red is farther away.
    start = battle(unit("blue", [(6, 20), (6, 16.5)], figures=2), unit("red", (6, 30), figures=2))
    table = assault(start, shot=[6, 1, 6, 1])
    assert said(start, table, "is stopped short of") == ("Blue 1 is stopped short of Red 1.", "assault.move-in")


# --- hits and kills that are lost -----------------------------------------------------------------------------------


@pytest.mark.rule("fad4/hits.allocate-closest")
def test_the_log_reports_lost_hits_on_fallen_figures_with_their_rule() -> None:
    start = facing(3, red={"figures": 1})
    table = play(start).activates("blue-1").fires_at("red-1", dice=[6, 6, 6, 6, 6])
    text, rule = said(start, table, "Damage")
    assert table.rolled("damage").marks == ("kill", "kill", "kill")
    assert text.endswith("1 figure of Red 1 out. 2 more hits that would have killed fell on figures already out.")
    assert rule == "hits.allocate-closest"


def test_the_log_does_not_mention_lost_hits_if_there_are_none() -> None:
    start = facing(12)
    table = play(start).activates("blue-1").fires_at("red-1", dice=[4, 2, 6, 1])
    assert said(start, table, "Damage") == ("Damage 1D6 +2 against armour 4: 1 figure of Red 1 out.", "damage.roll")


@pytest.mark.rule("fad4/assault.kill-table")
def test_the_log_reports_kills_beyond_the_enemys_number() -> None:
    start = facing(8, blue={"figures": 4}, red={"figures": 3})
    table = charge(assault(start), [5, 1, 6, 1, *[6] * 4, *[1] * 3])
    assert table.seen(Rolled)[-2].marks.count("kill") == 4
    assert said(start, table, "Blue 1 kills on") == (
        "Blue 1 kills on 3+: 3 figures of Red 1. 1 more kill is lost: no figure was left.",
        "assault.kill-table",
    )
