"""Positions that players set up: drawn as a match's are, begun if they can be played, and otherwise refused with a sentence."""

from __future__ import annotations

import json
import logging
import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import msgspec
import pytest

from client_protocol.from_server import SetupChecked
from server.app import position_parts
from server.kernel.files import setups
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.matches.setup.positions import LARGEST, check_setup, open_position
from server.opponents.simulation import play
from server.rulesets.library import edition, editions

SCENARIOS = [(rules.info.id, scenario.id) for rules in editions().values() for scenario in rules.info.scenarios]


def first(rules: Ruleset) -> dict[str, Any]:
    """Return the first scenario's beginning, as a setup."""
    return setups.write(rules.open(rules.info.scenarios[0].id, {}))


def placed(rules: Ruleset) -> dict[str, Any]:
    """Return a position of the first scenario with all units on the table, before the next turn."""
    steps = play(rules, rules.open(rules.info.scenarios[0].id, {}), 4)
    return setups.write(next(s.after for s in steps if all(unit.on_table for unit in s.after.units.values())))


def data(setup: object) -> bytes:
    return json.dumps(setup).encode()


def look(setup: object) -> SetupChecked:
    return check_setup(edition, "1", data(setup))


def begun(setup: object) -> State | str:
    return open_position(edition, data(setup))


# --- looking and beginning -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", editions())
def test_a_setup_is_drawn_like_a_match(name: str) -> None:
    rules = edition(name)
    setup = placed(rules)
    checked = look(setup)
    assert (checked.id, checked.problem, checked.edition) == ("1", "", name)
    assert checked.view is not None
    assert checked.table is not None
    assert checked.view.units.keys() == {row["id"] for row in setup["unit"]}
    assert [piece.id for piece in checked.table.terrain] == [row["id"] for row in setup["terrain"]]
    assert {condition for unit in checked.view.units.values() for condition in unit.conditions} <= checked.words.keys()


def test_toml_and_json_setups_read_the_same_and_a_byte_order_mark_is_ignored() -> None:
    rules = edition(next(iter(editions())))
    setup = placed(rules)
    toml = "\ufeff" + toml_of({key: value for key, value in setup.items() if value})
    assert check_setup(edition, "1", toml.encode()).view == look(setup).view


def toml_of(setup: dict[str, Any]) -> str:
    return "\n".join(f"{key} = {inline(value)}" for key, value in setup.items())


def inline(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {inline(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return json.dumps(value)


@pytest.mark.parametrize(("name", "scenario"), SCENARIOS)
def test_a_match_goes_on_from_any_position_of_another_to_its_end(name: str, scenario: str) -> None:
    rules = edition(name)
    steps = list(play(rules, rules.open(scenario, {}), 11))
    for number in random.Random(2).sample(range(len(steps) - 4), 4):
        state = begun(setups.write(steps[number].after))
        assert isinstance(state, State), state
        assert rules.read(setups.write(state)) == state
        *_, last = play(rules, state, number)
        assert last.after.result is not None


@pytest.mark.parametrize("name", editions())
def test_units_off_the_table_are_deployed_first(name: str) -> None:
    state = begun(first(edition(name)))
    assert isinstance(state, State)
    assert not any(unit.on_table for unit in state.units.values())
    setup = placed(edition(name))
    for figure in setup["unit"][0]["figures"]:
        del figure["at"]
    later = {**setup, "turn": {**setup["turn"], "phase": "activations", "active": setup["unit"][0]["side"]}}
    assert "is not on the table, and the deployment is over" in look(later).problem
    sooner = begun({**setup, "turn": {"phase": "deployment"}})
    assert isinstance(sooner, State)


# --- where no match can begin ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", editions())
def test_a_match_needs_units_on_two_sides(name: str) -> None:
    setup = placed(edition(name))
    lost = setup["unit"][0]["side"]
    for row in setup["unit"]:
        if row["side"] == lost:
            row["left"] = "destroyed"
    names = {row["id"]: row["name"] for row in setup["side"]}
    assert look(setup).problem == ""
    assert begun(setup) == f"A match needs units in the game on two sides at least: there are none of {names[lost]}."


@pytest.mark.parametrize("name", editions())
def test_a_match_cannot_begin_from_a_position_that_is_over(name: str) -> None:
    setup = placed(edition(name))
    over = {**setup, "turn": {"number": 2, "phase": "over"}, "result": {"winner": "", "reason": "Rain."}}
    assert look(over).problem == ""
    sentence = "The match in this position is over: choose another phase, without a result."
    assert begun(over) == sentence
    assert begun({**over, "result": None}) == sentence


@pytest.mark.parametrize("name", editions())
def test_a_match_cannot_begin_if_it_would_end_before_any_decision(name: str) -> None:
    setup = placed(edition(name))
    turn = {"number": 900, "phase": "activations", "active": setup["side"][0]["id"]}
    tried = [{**row, "activated": 900} for row in setup["unit"]]
    found = begun({**setup, "turn": turn, "unit": tried})
    assert isinstance(found, str)
    assert found.startswith("The match would be over at once: ")


def test_a_position_on_which_the_rules_crash_is_refused_in_a_sentence_and_logged(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = edition(next(iter(editions())))
    setup = placed(rules)

    def fail(_game: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(rules, "procedure", fail)
    found = begun(setup)
    assert isinstance(found, str)
    assert found.startswith("The rules cannot go on")
    assert "ZeroDivisionError" in caplog.text


# --- files that are none ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        (b"", "does not say by which edition"),
        (b"\xff\xfe", "The file is not a text in UTF-8."),
        (b"{", "This is neither TOML nor JSON"),
        (b'{"edition": 4}', "does not say by which edition"),
        (b'edition = "chess"', "There is no edition 'chess' here"),
        (b" " * (LARGEST + 1), f"a setup may have {LARGEST}."),
        (b'{"a": ' * 10_000 + b"}", "nested more deeply"),
        (b"x = " + b"[" * 10_000, "nested more deeply"),
        (b'{"a": {"b": {"c": ' + b"[" * 12 + b"]" * 12 + b"}}}", "nested more deeply"),
        (b".".join([b"a"] * 100_000) + b" = 1", "A key of the file has more than 4 parts"),
        (b" . ".join([b'"a.b"'] * 5) + b" = 1", "more than 4 parts"),
        (b"a.b.c.d.'e' = 1", "more than 4 parts"),
        (b'x = """a""""\na.b.c.d.e = 1', "more than 4 parts"),
        (b'x = "a.b.c.d.e" # a.b.c.d.e\ny.z = 1.5\nedition = 1.5', "does not say by which edition"),
        (b'\\"' * 100_000, "neither TOML nor JSON"),
        (b"x = 1" + b"0" * 5_000, "cannot be read"),
        (b"x = 0x" + b"f" * 5_000, "too large for a length"),
        (b"x = nan", "too large for a length"),
        (b'{"x": -Infinity}', "too large for a length"),
        (b"x = 1979-05-27", "A value of the file is a date"),
    ],
)
def test_a_file_that_is_no_setup_is_refused_with_a_sentence(file: bytes, sentence: str) -> None:
    problem = check_setup(edition, "1", file).problem
    assert sentence in problem
    assert problem.endswith(".")
    assert open_position(edition, file) == problem


LONG = "x" * 300


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"table": {"width": 1e9}}, 'each of its sides may have 4" to 144"'),
        ({"table": {"width": -1}}, "each of its sides may have"),
        ({"name": LONG}, "does not fit its schema"),
        ({"name": "a\u202eb"}, "has unreadable characters"),
        ({"options": {"turn_limit": True}}, "cannot be True"),
        ({"turn": {"first": "nobody"}}, "no side 'nobody' that went first"),
        ({"turn": {"number": -1}}, "does not fit its schema"),
        ({"book": {"x": {}}}, "does not fit its schema"),
    ],
)
@pytest.mark.parametrize("name", editions())
def test_a_position_that_does_not_fit_its_edition_is_refused_in_a_sentence(
    name: str, change: dict[str, Any], sentence: str
) -> None:
    assert sentence in look({**placed(edition(name)), **change}).problem


@pytest.mark.parametrize(
    ("part", "change", "sentence"),
    [
        ("side", {"id": ""}, "letters, digits, dots, dashes and underscores (side 1, id)"),
        ("side", {"id": "*"}, "does not fit its schema"),
        ("side", {"shape": "star"}, "does not fit its schema"),
        ("side", {"zone": [[0, 0], [10, 10]]}, "has no area"),
        ("side", {"zone": [[0, 0]] * 201}, "does not fit its schema"),
        ("terrain", {"outline": [[1e7, 0], [1, 1], [2, 0]]}, "far off the table"),
        ("terrain", {"outline": [], "linear": True}, "it needs two points that lie apart"),
        ("terrain", {"outline": [[1, 1], [2, 2], [3, 3]], "linear": False}, "has no area"),
        ("terrain", {"cover": "wet"}, "'wet' is not one of none, "),
        ("terrain", {"sight_depth": -4}, "is not between"),
        ("unit", {"id": "a b"}, "letters, digits, dots, dashes and underscores (id)"),
        ("unit", {"name": "x" * 100_000}, "x ..."),
        ("unit", {"figures": 10**12}, "has 1000000000000 figures; a unit has 1 to 40"),
        ("unit", {"base": 0}, "is not between"),
        ("unit", {"conditions": ["sleepy"]}, "'sleepy' is not one of"),
        ("unit", {"left": "holidays"}, "'holidays' is not one of"),
        ("unit", {"name": "\n"}, "has unreadable characters"),
        ("unit", {"aboard": "nothing"}, "aboard"),
        ("unit", {"figures": [{"id": "1", "fallen": True}]}, "say in `left` why it has left"),
        ("unit", {"figures": [{"id": "1", "at": [5, 5], "conditions": ["sleepy"]}]}, "'sleepy'"),
    ],
)
@pytest.mark.parametrize("name", editions())
def test_an_invalid_part_of_a_setup_is_refused_with_a_sentence(
    name: str, part: str, change: dict[str, Any], sentence: str
) -> None:
    setup = placed(edition(name))
    setup[part][0].update(change)
    assert sentence in look(setup).problem


@pytest.mark.parametrize("name", editions())
def test_a_position_that_is_too_large_is_refused_with_a_sentence(name: str) -> None:
    setup = first(edition(name))
    piece, unit, objective = setup["terrain"][0], setup["unit"][0], {"name": "O", "at": [9, 9], "radius": 2}
    many = [{**unit, "id": f"u{number}", "name": f"U{number}"} for number in range(61)]
    assert "61 units" in look({**setup, "unit": many}).problem
    assert "figures to deploy" in look({**setup, "unit": many[:60]}).problem
    assert "151 pieces" in look({**setup, "terrain": [{**piece, "id": f"t{n}"} for n in range(151)]}).problem
    assert "Two pieces of terrain" in look({**setup, "terrain": [piece, piece]}).problem
    assert "schema" in look({**setup, "objective": [{**objective, "id": f"o{n}"} for n in range(51)]}).problem


# --- anything at all -------------------------------------------------------------------------------------------------

ODD: list[Any] = [None, True, 0, -1, 7, 1e9, -5.5, 24.0, "", "a", "x y", "*", "yes", "0 0", "destroyed", "over", "turn"]
ODD += ["activations", "fights", [], {}, [1], [1, 2], ["a"], {"a": 1}, [[0, 0], [10, 0], [10, 10]]]
NOTES = ["set_up", "moved", "stuns", "grenades", "left", "aboard", "activated", "conditions", "fallen", "hull", "role"]


def paths(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from paths(inner, (*path, key))


def mutated(setup: dict[str, Any], words: list[str], chance: random.Random) -> dict[str, Any]:
    """Return `setup` with something changed: left out, doubled, exchanged, moved a little, or odd."""
    setup = deepcopy(setup)
    path = chance.choice(list(paths(setup)))
    inside: Any = setup
    for key in path[:-1]:
        inside = inside[key]
    key, how = path[-1], chance.randrange(6)
    if how == 0:
        del inside[key]
    elif how == 1 and isinstance(inside, list):
        inside.append(deepcopy(inside[key]))
    elif how == 2 and isinstance(inside, dict):
        inside[chance.choice(NOTES)] = deepcopy(chance.choice([*ODD, *words]))
    elif how == 3 and type(inside[key]) in {int, float}:
        inside[key] += chance.choice([-3, -1, 0.5, 1, 40])
    else:
        inside[key] = deepcopy(chance.choice([*ODD, *words]))
    return setup


@pytest.mark.parametrize("name", editions())
def test_any_change_of_a_position_is_refused_or_played_to_the_end(name: str, caplog: pytest.LogCaptureFixture) -> None:
    rules, chance = edition(name), random.Random(5)
    words = list(rules.words)
    states = [step.after for step in play(rules, rules.open(rules.info.scenarios[-1].id, {}), 6)]
    bases = [json.loads(setups.dump(setups.write(state))) for state in states[4:-4:20]]
    sound = played = 0
    with caplog.at_level(logging.ERROR):
        for number in range(250):
            setup = mutated(chance.choice(bases), words, chance)
            checked = look(setup)
            assert (checked.view is None) == bool(checked.problem)
            state = begun(setup)
            if isinstance(state, State):
                sound += 1
            if isinstance(state, State) and sound % 6 == 0:
                played += 1
                assert list(play(rules, state, number))[-1].after.result is not None
    assert caplog.text == ""
    assert played > 5


@pytest.mark.parametrize("name", editions())
def test_any_bytes_are_drawn_or_refused_with_a_sentence(name: str) -> None:
    chance = random.Random(8)
    setup = placed(edition(name))
    texts = [setups.dump(setup).encode(), toml_of({key: value for key, value in setup.items() if value}).encode()]
    for _ in range(150):
        file = bytearray(chance.choice(texts))
        for _ in range(chance.randrange(1, 4)):
            start = chance.randrange(len(file))
            if chance.random() < 0.5:
                file[start] = chance.randrange(256)
            else:
                del file[start : start + chance.randrange(1, 40)]
        checked = check_setup(edition, "1", bytes(file))
        assert (checked.view is None) == bool(checked.problem)


# --- what positions are put together from ----------------------------------------------------------------------------


ON_TABLE = 56
"""How many units stand in two columns of a table that is 144 inches long."""


ONE_OF = {"commander", "company_commander"}
"""Traits of which a side, and a platoon of it, has one bearer."""


def without(traits: dict[str, object], some: set[str]) -> dict[str, object]:
    return {key: value for key, value in traits.items() if key not in some}


@pytest.mark.parametrize("name", editions())
def test_the_parts_of_an_edition_make_a_position(name: str) -> None:
    rules = edition(name)
    given = position_parts(name)
    assert given is not None
    parts = msgspec.json.decode(given)
    for scenario in parts["scenarios"]:
        assert isinstance(begun(scenario["setup"]), State)
        assert rules.read(scenario["setup"]) == rules.open(scenario["id"], {})
    shared = {"format": setups.FORMAT, "edition": name, "id": "x", "name": "X", "table": {"width": 144, "height": 144}}
    # Units of all scenarios, with the modules that they need.
    needed = [one.defaults.items() for one in rules.info.scenarios]
    shared["options"] = {k: v for rows in needed for k, v in rows if k not in {"deployment", "turn_limit"}}
    sides = [
        {"id": letter, "name": letter, "letter": letter, "shape": shape}
        for letter, shape in zip(parts["sides"]["letters"][:2], parts["sides"]["shapes"], strict=False)
    ]
    units = []
    # Markers are tried on the first one, which is on foot where any is.
    for number, template in enumerate(sorted(parts["units"], key=lambda one: "hull" in one["row"]["figures"][0])):
        assert template["from"]
        left, top = 5 + 70 * (number % 2), 5 + 5 * (number % ON_TABLE // 2)
        figures = [{**row, "at": [left + 8 * column, top]} for column, row in enumerate(template["row"]["figures"])]
        side = sides[number % 2]["id"]
        row = {**template["row"], "traits": without(template["row"].get("traits", {}), ONE_OF)}
        units.append({**row, "figures": figures, "id": f"u{number}", "side": side})
    assert isinstance(begun({**shared, "side": sides, "unit": units[-ON_TABLE:]}), State)
    units = units[:ON_TABLE]
    for key in [row["key"] for row in parts["conditions"] if row["on"] == "unit"]:
        # A marker that such a unit cannot have is refused by a sentence that says what to do.
        marked = [{**unit, "conditions": [key]} if unit is units[0] else unit for unit in units]
        found = begun({**shared, "side": sides, "unit": marked})
        assert isinstance(found, State) or "take the marker off" in found.lower()
        units[0]["conditions"] = [*units[0].get("conditions", []), *([key] if isinstance(found, State) else [])]
    first = units[0]["figures"][0]
    first["conditions"] = []
    for key in [row["key"] for row in parts["conditions"] if row["on"] == "figure"]:
        # The same goes for a figure: some markers are only on those that have fallen.
        before = first["conditions"]
        first["conditions"] = [*before, key]
        found = begun({**shared, "side": sides, "unit": units})
        assert isinstance(found, State) or "take the marker off" in found.lower()
        first["conditions"] = first["conditions"] if isinstance(found, State) else before
    terrain = [
        {"id": f"t{number}", "kind": kind["kind"], "outline": [[70 + number, 100], [72, 120 + number], [74, 102]]}
        for number, kind in enumerate(parts["terrain"])
    ]
    state = begun({**shared, "side": sides, "unit": units, "terrain": terrain})
    assert isinstance(state, State), state
    assert len(state.units) == len(units)
    rows = [{**template["row"], "name": ""} for template in parts["units"]]
    assert all(row not in rows[:number] for number, row in enumerate(rows))


@pytest.mark.parametrize("name", editions())
def test_the_position_parts_contain_every_word_of_an_edition(name: str) -> None:
    parts = edition(name).position_parts
    keys = [row.key for rows in (parts.conditions, parts.left, parts.phases) for row in rows]
    assert len(keys) == len(set(keys))
    # Cards are never written into a position.
    words = {word for word in edition(name).words if not word.startswith("card:")}
    assert words - set(keys) <= {"over", "close_combat"}


def test_an_unknown_edition_has_no_position_parts() -> None:
    assert position_parts("chess") is None
