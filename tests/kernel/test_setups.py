"""Setups: writing a position and reading it back gives the same position; what cannot be played is refused."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from server.kernel import setups
from server.kernel.ruleset import RulesetError
from server.kernel.state import Desk, State
from server.opponents.simulation import play
from server.rulesets.library import edition

RULES = edition("fad4")


def boundaries(scenario: str, seed: int, deployment: str) -> list[State]:
    """The state at every boundary of a random game."""
    found = []
    for played in play(RULES, RULES.open(scenario, {"deployment": deployment}), seed):
        if played.step.boundary is not None:
            state = played.before
            for fact in played.step.facts[: played.step.boundary[0]]:
                state = fact.fold(state)
            found.append(state)
    return found


@pytest.mark.parametrize("deployment", ["turns", "blind"])
@pytest.mark.parametrize("scenario", ["crossroads-patrol", "ridge-farm", "hold-the-relay"])
def test_read_after_write_gives_the_same_state(scenario: str, deployment: str) -> None:
    states = boundaries(scenario, 3, deployment)
    assert states[-1].result is not None
    assert {state.turn.phase for state in states} == {"activations", "over"} | (
        {"deployment"} if deployment == "turns" else set()
    )
    for state in states:
        assert RULES.read(setups.parse(setups.dump(setups.write(state)))) == state


def test_the_desk_is_not_part_of_a_position() -> None:
    state = RULES.open("crossroads-patrol", {})
    seated = replace(state, desk=Desk(players={"blue": "Ann"}))
    assert setups.write(seated) == setups.write(state)


def test_a_position_from_the_middle_of_an_activation_can_be_played_on() -> None:
    for played in play(RULES, RULES.open("crossroads-patrol", {}), 5):
        list(play(RULES, RULES.read(setups.write(played.after)), 1))


def test_without_a_turn_it_begins_where_the_figures_say() -> None:
    assert RULES.read(written()).turn.phase == "turn"
    unplaced = written({"unit": {"at": []}, "side": {"zone": [[0, 0], [48, 0], [48, 12]]}})
    assert RULES.read(unplaced).turn.phase == "deployment"


def test_what_a_piece_says_goes_before_what_its_kind_does() -> None:
    outline = [[20, 20], [24, 20], [24, 24]]
    plain = {"id": "a", "kind": "woods", "outline": outline}
    own = {"id": "b", "kind": "woods", "outline": outline, "cover": "heavy", "sight_depth": 1.5, "flags": ["difficult"]}
    woods, thicket = RULES.read(written({"terrain": [plain, own]})).table.terrain
    assert (woods.cover, woods.sight_depth, woods.flags) == ("partial", 4000, ())
    assert (thicket.cover, thicket.sight_depth, thicket.flags) == ("heavy", 1500, ("difficult",))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"format": "underfire setup 9"}, "the setup's format is"),
        ({"weather": "rain"}, "unknown field `weather`"),
        ({"options": {"weather": "rain"}}, "no option 'weather'"),
        ({"options": {"turn_limit": 99}}, "'turn_limit' cannot be 99"),
        ({"edition": "fad9"}, "for 'fad9', not for 'fad4'"),
        ({"terrain": [{"id": "a", "kind": "lava", "outline": [[0, 0]]}]}, "no terrain of kind 'lava'"),
        ({"victory": {"kind": "glory"}}, '"break" or by "objective"'),
        ({"victory": {"kind": "objective", "objective": "flag"}}, "'flag' is not among the setup's objectives"),
        ({"turn": {"phase": "tea"}}, "not in 'tea'"),
        ({"turn": {"phase": "activations"}}, "which side is to act"),
        ({"turn": {"phase": "turn", "active": "green"}}, "no side 'green'"),
        ({"unit": {"side": "green"}}, "belongs to side 'green'"),
        ({"unit": {"id": "red-1"}}, "two units have the id"),
        ({"unit": {"quality": "heroic"}}, "quality 'heroic' is not one of"),
        ({"unit": {"armor": "light"}}, "nobody knows what armor means"),
        ({"unit": {"support": ["railgun"]}}, "cannot be 'railgun'"),
        ({"unit": {"support": ["missile-rack"]}}, "needs powered armour"),
        ({"unit": {"figures": 0}}, "has 0 figures"),
        ({"unit": {"at": [[10, 10]]}}, "has 2 figures and 1 places"),
        ({"unit": {"at": [[10, 10], [10.5, 10]]}}, "stands on another base"),
        ({"unit": {"at": [[10, 10], [0.4, 10]]}}, "not stand wholly on the table"),
        ({"unit": {"at": [], "figures": [{"id": "1", "at": [9, 9]}, {"id": "2"}]}}, "or none"),
        ({"unit": {"at": []}}, "no deployment zone"),
        ({"side": {"id": "red"}, "unit": {"side": "red"}}, "two sides at least"),
    ],
)
def test_what_nobody_could_play_is_refused_with_a_sentence(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RulesetError, match=sentence.replace("(", r"\(").replace(")", r"\)")):
        RULES.read(written(change))


@pytest.mark.parametrize("text", ["= 3", "{", "[1, 2]"])
def test_what_is_neither_toml_nor_json_is_refused(text: str) -> None:
    with pytest.raises(RulesetError):
        setups.parse(text)


def written(change: dict[str, Any] | None = None) -> dict[str, Any]:
    """A small setup; `unit` and `side` change the first of each, everything else the setup itself."""
    change = change or {}
    profile = {"quality": "regular", "resolve": "steady", "small_arm": "assault-rifle", "armour": "light"}
    blue = {"id": "blue-1", "side": "blue", "name": "Blue squad", **profile, "figures": 2, "at": [[10, 10], [13, 10]]}
    red = {"id": "red-1", "side": "red", "name": "Red squad", **profile, "figures": 2, "at": [[10, 30], [13, 30]]}
    sides = [{"id": side, "name": side, "letter": side[0], "shape": "circle"} for side in ("blue", "red")]
    return {
        "format": setups.FORMAT,
        "edition": "fad4",
        "id": "small",
        "name": "Small",
        **{key: value for key, value in change.items() if key not in {"unit", "side"}},
        "side": [{**sides[0], **change.get("side", {})}, sides[1]],
        "unit": [{**blue, **change.get("unit", {})}, red],
    }
