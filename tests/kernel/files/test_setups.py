"""Setups: writing a position and reading it back gives the same position; what cannot be played is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from server.kernel.errors import RulesetError
from server.kernel.files import setups
from server.kernel.notes import Note
from server.kernel.ruleset import Ruleset
from server.kernel.space.values import Hull
from server.kernel.state import Desk, Figure, Mount, State, Unit
from server.opponents.simulation import play
from server.rulesets.library import editions

SCENARIOS = [(rules.info.id, scenario.id) for rules in editions().values() for scenario in rules.info.scenarios]


# --- whole games of every edition -----------------------------------------------------------------------------------


def boundaries(rules: Ruleset, scenario: str, seed: int, deployment: str) -> list[State]:
    """The state at every boundary of a random game."""
    found = []
    for played in play(rules, rules.open(scenario, {"deployment": deployment}), seed):
        if played.step.boundary is not None:
            state = played.before
            for fact in played.step.facts[: played.step.boundary[0]]:
                state = fact.fold(state)
            found.append(state)
    return found


@pytest.mark.parametrize("deployment", ["turns", "blind"])
@pytest.mark.parametrize(("edition", "scenario"), SCENARIOS)
def test_read_after_write_gives_the_same_state(edition: str, scenario: str, deployment: str) -> None:
    rules = editions()[edition]
    states = boundaries(rules, scenario, 3, deployment)
    assert states[-1].result is not None
    assert len({state.turn.phase for state in states}) > 1
    for state in states:
        assert rules.read(setups.parse(setups.dump(setups.write(state)))) == state


@pytest.mark.parametrize("edition", editions())
def test_the_desk_is_not_part_of_a_position(edition: str) -> None:
    state = first(editions()[edition])
    seated = replace(state, desk=Desk(players={next(iter(state.sides)): "Ann"}))
    assert setups.write(seated) == setups.write(state)


@pytest.mark.parametrize("edition", editions())
def test_a_position_from_the_middle_of_an_activation_can_be_played_on(edition: str) -> None:
    rules = editions()[edition]
    for number, played in enumerate(play(rules, first(rules), 5)):
        if number % 3 == 0:
            list(play(rules, rules.read(setups.write(played.after)), 1))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"format": "underfire setup 9"}, "the setup's format is"),
        ({"weather": "rain"}, "there is no field `weather` here"),
        ({"options": {"weather": "rain"}}, "no option 'weather'"),
        ({"edition": "chess"}, "for 'chess', not for '"),
        ({"terrain": [{"id": "a", "kind": "lava", "outline": [[0, 0]]}]}, "no terrain of kind 'lava'"),
        ({"turn": {"phase": "tea"}}, "not in 'tea'"),
        ({"turn": {"active": "nobody"}}, "no side 'nobody'"),
    ],
)
@pytest.mark.parametrize("edition", editions())
def test_an_edition_reads_only_what_it_has(edition: str, change: dict[str, Any], sentence: str) -> None:
    rules = editions()[edition]
    with pytest.raises(RulesetError, match=sentence):
        rules.read({**setups.write(first(rules)), **change})


def first(rules: Ruleset) -> State:
    """The first scenario's beginning."""
    return rules.open(rules.info.scenarios[0].id, {})


# --- what the kernel makes of a file --------------------------------------------------------------------------------


def palette(kind: str) -> setups.Kind:
    if kind != "copse":
        raise RulesetError(f"there is no {kind}")
    return setups.Kind("Copse", "soft", (), "depth", 4000, linear=False)


def profile(name: str, other: Mapping[str, object], roles: tuple[str, ...]) -> dict[str, Note]:
    if not other.keys() <= {"drill"} or not set(roles) <= {"gun"}:
        raise RulesetError(f"{name}: what is {other} and {roles}?")
    return {key: str(value) for key, value in other.items()}


def figure_profile(name: str, other: Mapping[str, object]) -> dict[str, Note]:
    if not other.keys() <= {"hat"}:
        raise RulesetError(f"{name}: what is {other}?")
    return {key: str(value) for key, value in other.items()}


def roster(_name: str, count: int, other: Mapping[str, object]) -> tuple[list[dict[str, object]], dict[str, object]]:
    """`guns` says how many of the first carry one."""
    guns = other.get("guns", 0)
    assert isinstance(guns, int)
    return (
        [{"role": "gun"} if number < guns else {} for number in range(count)],
        {key: value for key, value in other.items() if key != "guns"},
    )


def muster(side: str, force: str) -> list[Unit]:
    if force != "reserve":
        raise RulesetError(f"{side} has no {force}")
    return [Unit(f"{side}-r", side, "Reserve", 1, {}, {"1": Figure(None, 500)})]


def read(change: Mapping[str, Any] | None = None) -> State:
    setup = setups.convert(written(change))
    return setups.read(setup, dict(setup.options), palette, profile, figure_profile, roster, muster)


def written(change: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A small setup; `unit` and `side` change the first of each, everything else the setup itself."""
    change = change or {}
    blue: dict[str, Any] = {"id": "blue-1", "side": "blue", "name": "Blue squad", "figures": 2}
    if not isinstance(change.get("unit", {}).get("figures"), list):
        blue["at"] = [[10, 10], [13, 10]]
    red = {"id": "red-1", "side": "red", "name": "Red squad", "figures": 2, "at": [[10, 30], [13, 30]]}
    sides = [{"id": side, "name": side, "letter": side[0], "shape": "circle"} for side in ("blue", "red")]
    return {
        "format": setups.FORMAT,
        "edition": "none",
        "id": "small",
        "name": "Small",
        **{key: value for key, value in change.items() if key not in {"unit", "side", "units", "sides"}},
        "side": [{**sides[0], **change.get("side", {})}, sides[1], *change.get("sides", [])],
        "unit": [{**blue, **change.get("unit", {})}, red, *change.get("units", [])],
    }


def test_the_first_phase_is_left_to_the_rules_unless_the_setup_names_one() -> None:
    assert read().turn.phase == ""
    assert read({"turn": {"number": 3, "phase": "tea", "active": "red"}}).turn.phase == "tea"


def test_the_rules_equip_figures_that_a_setup_only_counts() -> None:
    unit = read({"unit": {"guns": 1, "drill": "high"}}).units["blue-1"]
    assert unit.profile == {"drill": "high"}
    assert [(key, f.at, f.role) for key, f in unit.figures.items()] == [
        ("1", (10_000, 10_000), "gun"),
        ("2", (13_000, 10_000), ""),
    ]


def test_a_listed_figure_has_fields_of_its_own() -> None:
    rows = [{"id": "a", "at": [9, 9], "hat": "red", "conditions": ["low"]}, {"id": "b", "at": [12, 9], "fallen": True}]
    unit = read({"unit": {"figures": rows, "base": 0.8}}).units["blue-1"]
    assert unit.figures == {
        "a": Figure((9_000, 9_000), 400, conditions=("low",), profile={"hat": "red"}),
        "b": Figure((12_000, 9_000), 400, fallen=True),
    }


CARRIER = {
    "id": "blue-2",
    "side": "blue",
    "name": "Carrier",
    "figures": [{"id": "1", "at": [30, 10], "hull": [5, 2.5], "facing": 450.5}],
    "mounts": {"m1": {"weapon": "gun", "middle": 90, "spread": 45}, "m2": {"weapon": "gun", "lost": True}},
    "seats": 8,
}


def test_a_vehicle_has_a_hull_mounts_and_seats() -> None:
    carrier = read({"units": [CARRIER]}).units["blue-2"]
    assert carrier.figures == {"1": Figure((30_000, 10_000), 1_250, hull=Hull(5_000, 2_500), facing=9_050)}
    assert carrier.mounts == {"m1": Mount("gun", 9_000, 4_500), "m2": Mount("gun", lost=True)}
    assert carrier.seats == 8


def test_a_unit_aboard_needs_neither_place_nor_zone() -> None:
    rider = {"id": "blue-3", "side": "blue", "name": "Riders", "figures": 2, "aboard": "blue-2"}
    assert read({"units": [CARRIER, rider]}).units["blue-3"].aboard == "blue-2"


def test_a_side_may_bring_a_ready_force() -> None:
    zone = [[0, 0], [48, 0], [48, 8]]
    green = {"id": "green", "name": "Green", "letter": "G", "shape": "diamond", "zone": zone, "force": "reserve"}
    state = read({"sides": [green]})
    assert list(state.sides) == ["blue", "red", "green"]
    assert [(unit.id, unit.number) for unit in state.units.values()] == [("green-r", 1), ("blue-1", 2), ("red-1", 3)]


def test_a_terrain_piece_overrides_the_values_of_its_kind() -> None:
    outline = [[20, 20], [24, 20], [24, 24]]
    plain = {"id": "a", "kind": "copse", "outline": outline}
    own = {"id": "b", "kind": "copse", "outline": outline, "cover": "hard", "sight_depth": 1.5, "flags": ["slow"]}
    table = read({"terrain": [plain, own], "table": {"added": 1}}).table
    assert [(p.name, p.cover, p.sight_depth, p.flags) for p in table.terrain] == [
        ("Copse", "soft", 4000, ()),
        ("Copse", "hard", 1500, ("slow",)),
    ]
    assert table.added == 1


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"unit": {"side": "green"}}, "belongs to side 'green'"),
        ({"unit": {"id": "red-1"}}, "two units have the id"),
        ({"unit": {"drill": "high", "armor": "light"}}, "what is"),
        ({"unit": {"figures": 0}}, "has 0 figures"),
        ({"unit": {"figures": 61, "at": []}}, "has 61 figures; a unit has 1 to 40"),
        ({"unit": {"at": [[10, 10]]}}, "has 2 figures and 1 places"),
        ({"unit": {"at": [[10, 10], [10.5, 10]]}}, "stands on another base"),
        ({"unit": {"at": [[10, 10], [0.4, 10]]}}, "not stand wholly on the table"),
        ({"unit": {"at": []}}, "no deployment zone"),
        ({"unit": {"aboard": "nothing"}}, "Blue squad is aboard 'nothing'"),
        ({"unit": {"aboard": "red-1"}}, "aboard a vehicle and on the table at once"),
        (
            {"units": [CARRIER | {"figures": [{"id": "1", "at": [30, 10], "hat": "red", "ears": 2}]}]},
            "Carrier: what is",
        ),
        ({"units": [CARRIER | {"figures": [{"id": "1", "at": [9, 9]}, {"id": "2"}]}]}, "or none"),
        ({"units": [CARRIER | {"figures": [{"id": "1", "at": [9, 9]}, {"id": "1"}]}]}, "two figures have the same id"),
        ({"units": [CARRIER | {"figures": []}]}, "has 0 figures"),
        ({"units": [CARRIER | {"at": [[30, 10]]}]}, "what is"),
        ({"units": [CARRIER | {"figures": [{"id": "1", "at": [11, 11], "hull": [5, 2]}]}]}, "stands on"),
        (
            {"units": [CARRIER | {"figures": [{"id": "1", "at": [2, 11], "hull": [5, 2]}]}]},
            "not stand wholly on the table",
        ),
        ({"side": {"id": "red"}, "unit": {"side": "red"}}, "two sides have the id 'red'"),
        ({"side": {"force": "guards"}}, "blue has no guards"),
    ],
)
def test_an_unplayable_setup_is_refused_with_a_sentence(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RulesetError, match=sentence):
        read(change)


@pytest.mark.parametrize("text", ["= 3", "{", "[1, 2]"])
def test_a_setup_that_is_neither_toml_nor_json_is_refused(text: str) -> None:
    with pytest.raises(RulesetError):
        setups.parse(text)
