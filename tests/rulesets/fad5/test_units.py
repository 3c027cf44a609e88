"""What units are: their figures, their levels, and what a setup need not say."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from server.kernel.errors import RulesetError
from server.kernel.state import State
from server.rulesets.fad.module import FadModule, FigureMarker
from server.rulesets.fad.morale import casualties_break
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.fad.setup.book import Condition, load
from server.rulesets.fad.shot import band_limits
from server.rulesets.shared.distances import enemies_by_distance
from tests.rulesets.fad5.battlefield import battle, fad5
from tests.support.battlefield import unit
from tests.support.tabletop import Row


def lone(**blue: object) -> State:
    """Return a blue unit at (6, 6), and a red one."""
    return battle(unit("blue", (6, 6), **blue), unit("red", (6, 17)))  # type: ignore[arg-type]  # as `unit` takes it


def without(row: Row, *fields: str) -> Row:
    return {key: value for key, value in row.items() if key not in fields}


def card(state: State) -> dict[str, str]:
    return {line.label: line.value for line in fad5().card(state, state.units["blue-1"])}


@pytest.mark.rule("fad5/unit.individual-bases")
def test_every_figure_has_a_round_base_of_an_inch_unless_its_unit_says_otherwise() -> None:
    state = battle(unit("blue", (6, 6)), unit("red", (6, 17), base=2))
    assert {figure.radius for figure in state.units["blue-1"].figures.values()} == {500}
    assert {figure.radius for figure in state.units["red-1"].figures.values()} == {1000}
    # 11" from centre to centre, and from edge to edge 9.5".
    (near,) = enemies_by_distance(state, state.units["blue-1"])
    assert near.distance == 9500


@pytest.mark.rule("fad5/unit.figure-scale")
def test_a_figure_is_one_man_with_one_weapon() -> None:
    state = lone(support=["squad-automatic-weapon"], leader=True)
    roles = [figure.role for figure in state.units["blue-1"].figures.values()]
    assert roles == ["leader", "squad-automatic-weapon", "", "", "", ""]
    assert card(state)["Figures"] == "6 of 6"
    with pytest.raises(RulesetError, match="a unit has one heavy weapon"):
        lone(support=["machine-gun", "machine-gun"])


@pytest.mark.rule("fad5/unit.ground-scale")
def test_ranges_are_inches_of_the_table_whatever_the_figures() -> None:
    small, large = lone(base=0.5), lone(base=2)
    limits = [band_limits(fad5().rules, state.units["blue-1"]) for state in (small, large)]
    assert limits[0] == limits[1]
    assert limits[0]["base"] == 4000


@pytest.mark.rule("fad5/unit.squad-size")
@pytest.mark.rule("fad5/unit.typical-force")
def test_squads_of_1_to_20_figures_are_played_and_forces_of_any_number_of_units() -> None:
    for figures in (1, 20):
        assert lone(figures=figures, apart=1.1).units["blue-1"].strength == figures
    with pytest.raises(RulesetError, match="Blue 1 has 21 figures; a squad has 1 to 20"):
        lone(figures=21, apart=1.1)
    crowd = [unit("blue", (2 + 3 * n, 6), figures=1) for n in range(12)]
    assert len(battle(*crowd, unit("red", (6, 40))).units_of("blue")) == 12


@pytest.mark.rule("fad5/unit.quality")
@pytest.mark.rule("fad5/unit.resolve")
@pytest.mark.rule("fad5/unit.every-unit-rated")
def test_a_unit_is_conscript_and_steady_unless_a_setup_says_otherwise() -> None:
    plain = without(unit("blue", (6, 6)), "quality", "resolve")
    state = battle(plain, unit("red", (6, 40)))
    assert state.units["blue-1"].profile["quality"] == "conscript"
    assert state.units["blue-1"].profile["resolve"] == "steady"
    for level in ("quality", "resolve"):
        with pytest.raises(RulesetError, match=f"Blue 1: {level} 'brave' is not one of"):
            battle(plain | {level: "brave"}, unit("red", (6, 40)))
    assert list(fad5().book.qualities) == ["rabble", "conscript", "regular", "elite"]
    assert list(fad5().book.resolves) == ["reluctant", "uncertain", "steady", "determined"]


@pytest.mark.rule("fad5/unit.quality")
@pytest.mark.parametrize(("quality", "calm", "marked"), [("rabble", 1, 1), ("conscript", 2, 1), ("elite", 4, 3)])
def test_a_lower_quality_stops_at_rabble(quality: str, calm: int, marked: int) -> None:
    priority = fad5().rules.chapters.fire.priority
    assert priority(fad5().rules, lone(quality=quality).units["blue-1"]) == calm
    assert priority(fad5().rules, lone(quality=quality, conditions=["under_fire"]).units["blue-1"]) == marked


@pytest.mark.rule("fad5/unit.resolve")
@pytest.mark.parametrize(("resolve", "lowered"), [("determined", "steady"), ("reluctant", "reluctant")])
def test_a_lower_resolve_stops_at_reluctant(resolve: str, lowered: str) -> None:
    marked = unit("blue", (6, 6), resolve=resolve, conditions=["losing_heart"])
    gone = unit("blue", (30, 6), figures=1, lost=1, left="destroyed")
    state = battle(marked, gone, unit("red", (6, 40)), options={"losing_heart": "on"})
    assert fad5().rules.resolve(state.units["blue-1"]).id == lowered


@pytest.mark.rule("fad5/unit.profile")
@pytest.mark.rule("fad5/unit.every-unit-rated")
def test_a_card_says_in_words_what_a_unit_is_and_all_sides_see_it() -> None:
    state = lone(quality="elite", resolve="uncertain", armour="heavy")
    told = card(state)
    assert (told["Quality"], told["Resolve"]) == ("Elite (2+)", "Uncertain (broken at 25% lost)")
    assert told["Armour"].startswith("Heavy armour")
    seen = {line.rule for line in fad5().card(state, state.units["blue-1"])}
    assert {"unit.quality-table", "resolve.break-points"} <= seen


TENDED = FadModule(id="tended", figure_markers=(FigureMarker("tended", fallen=True, treated=True),))


class TendingRuleset(FadRuleset):
    """The family with a marker on wounded figures that have been treated."""

    modules = (*FadRuleset.modules, TENDED)


@pytest.mark.rule("fad5/resolve.casualty-definition")
def test_figures_that_have_fallen_are_casualties_until_they_are_treated() -> None:
    book = load("fad5")
    edition = TendingRuleset(
        "fad5",
        replace(
            book,
            edition=replace(book.edition, modules={**book.edition.modules, "tended": "always"}),
            conditions={**book.conditions, "tended": Condition("tended", "Tended", "Treated.", "resolve.break-points")},
        ),
    )
    row = unit("blue", (6, 6), resolve="steady", lost=3)
    lost = battle(row, unit("red", (6, 40)), rules=edition).units["blue-1"]
    assert (edition.rules.casualties(lost), casualties_break(edition.rules, lost)) == (3, True)
    row["figures"][-1]["conditions"] = ["tended"]  # type: ignore[index]  # the rows of figures
    treated = battle(row, unit("red", (6, 40)), rules=edition).units["blue-1"]
    assert (edition.rules.casualties(treated), casualties_break(edition.rules, treated)) == (2, False)
