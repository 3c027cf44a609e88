"""Forces as files, and held against a form."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from client_protocol.forces import FORCE_FORMAT, Force, ForceProblem, ForceUnit, Rows
from server.kernel.files import forces
from server.kernel.files.forces import ForceError, dump, read
from tests.support.toy_rules import FORM, ToyRules, force

OPTIONS: dict[str, str | int | bool] = {"hidden_forces": False}
PAGE = (Path(__file__).parents[3] / "docs" / "forces.md").read_text(encoding="utf-8")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
entries = st.dictionaries(texts, texts | st.integers(-10_000, 10_000) | st.booleans(), max_size=4)
units = st.builds(
    ForceUnit,
    kind=texts,
    name=texts.filter(bool),
    fields=entries,
    rows=st.dictionaries(texts, st.lists(entries, max_size=3).map(tuple), max_size=3),
)
any_force = st.builds(
    Force,
    format=st.just(FORCE_FORMAT),
    edition=texts,
    name=texts.filter(bool),
    units=st.lists(units, min_size=1, max_size=3).map(tuple),
    about=texts,
)


@given(any_force)
@example(force("Odd \x7f\x00\"\\ '''", "gun = 1\n[[units]]"))
def test_a_force_that_is_written_reads_back_the_same(written: Force) -> None:
    assert msgspec.to_builtins(read(dump(written))) == msgspec.to_builtins(written)


GOOD = {
    "format": FORCE_FORMAT,
    "edition": "toy",
    "name": "Guns",
    "units": [
        {"kind": "squad", "name": "First", "rows": {"figures": [{"gear": "gun"}]}},
        {"kind": "squad", "name": "Second", "fields": {"keen": True}, "rows": {"figures": [{"gear": "gun"}, {}]}},
    ],
}


def changed(**fields: object) -> str:
    return json.dumps({**GOOD, **fields})


def with_unit(**fields: object) -> str:
    first, second = GOOD["units"]
    return changed(units=[first, {**second, **fields}])  # type: ignore[dict-item]  # it is a dict


BAD: list[tuple[str, str]] = [
    ("", "says format ="),
    ("{", "This is neither TOML nor JSON"),
    ("units = 3 =", "This is neither TOML nor JSON"),
    ("[1, 2", "This is neither TOML nor JSON"),
    ('{"a": ' * 100_000, "nested more deeply"),
    ("a = " + "[" * 5_000, "nested more deeply"),
    ('{"n": ' + "9" * 5_000 + "}", "This cannot be read"),
    (changed(format="underfire setup 1"), "this says 'underfire setup 1'"),
    (changed(format="x" * 9_000), "..."),
    (changed(name=""), "The force: the text is empty (name)."),
    (changed(name="x" * 41), "The force: a text of at most 40 characters is needed (name)."),
    (changed(points=100), "A force has no field 'points'."),
    (changed(units=[]), "A force has units, a list of 1 to 40."),
    (changed(units={}), "A force has units, a list of 1 to 40."),
    (changed(units=GOOD["units"] * 21), "A force has units, a list of 1 to 40."),  # type: ignore[operator]  # a list
    (changed(units=[3]), "Unit 1: it is a table of kind, name, fields and rows."),
    (with_unit(name=7), "Unit 2: a text is needed, not a whole number (name)."),
    (with_unit(kind="x" * 99), "Second (unit 2): a text of at most 80 characters is needed (kind)."),
    (with_unit(armour="light"), "Second (unit 2): a unit has no field 'armour'."),
    (with_unit(fields={"keen": None}), "Second (unit 2), fields: 'keen' is a text of at most 80 letters"),
    (with_unit(fields={"keen": 1.5}), "Second (unit 2), fields: 'keen' is"),
    (with_unit(fields={"keen": 10**9}), "Second (unit 2), fields: 'keen' is"),
    (with_unit(fields=[]), "Second (unit 2), fields: it is a table of fields."),
    (with_unit(rows=[]), "Second (unit 2): its rows are lists, each under its key."),
    (with_unit(rows={"figures": {}}), "Second (unit 2): its rows are lists, each under its key."),
    (with_unit(rows={"figures": [{}, 3]}), "Second (unit 2), figures row 2: it is a table of fields."),
    (with_unit(rows={"figures": [{}, {}, {"gear": {}}]}), "Second (unit 2), figures row 3: 'gear' is a text"),
    (with_unit(rows={"figures": [{}] * 61}), "Second (unit 2): a list of at most 60 is needed (rows)."),
    (with_unit(name="\ud800"), "halves of characters"),
]


@pytest.mark.parametrize(("text", "reason"), BAD, ids=range(len(BAD)))
def test_a_malformed_force_is_refused_with_the_place(text: str, reason: str) -> None:
    with pytest.raises(ForceError) as found:
        read(text)
    assert reason in str(found.value)
    assert all(sentence.endswith(".") and len(sentence) < 300 for sentence in found.value.reasons)


def test_all_faults_of_a_force_are_told_at_once() -> None:
    bad = {"kind": "squad", "name": "Third", "fields": {"keen": None, "drill": 0.5}, "rows": {"figures": [3]}, "x": 1}
    with pytest.raises(ForceError) as found:
        read(changed(points=1, units=[{"kind": 3, "name": "First"}, bad]))
    assert [reason.split(":")[0] for reason in found.value.reasons] == [
        "A force has no field 'points'.",
        "First (unit 1)",
        "Third (unit 2)",
        "Third (unit 2), fields",
        "Third (unit 2), fields",
        "Third (unit 2), figures row 1",
    ]


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_garbage_in_a_force_file_is_refused_as_a_force_error(data: bytes) -> None:
    with pytest.raises(ForceError):
        read(data.decode("utf-8", "replace"))


# --- the form -------------------------------------------------------------------------------------------------------


def test_fields_left_out_of_a_force_are_filled_in_from_the_form() -> None:
    thin = Force(
        FORCE_FORMAT, "toy", "Thin", (ForceUnit("squad", "One", {"drill": 3}, {"figures": ({}, {"gear": "gun"})}),)
    )
    (unit,) = forces.filled(FORM, thin).units
    assert unit.fields == {"keen": False, "drill": 3}
    assert unit.rows == {"figures": ({"gear": "rifle"}, {"gear": "gun"})}
    assert forces.misfits(FORM, forces.filled(FORM, thin)) == forces.misfits(FORM, thin) == ()


def test_fields_unknown_to_the_form_are_found_with_their_place() -> None:
    rows: dict[str, Rows] = {"figures": ({"gear": "rifle"}, {"gear": True}, {"hat": 1}), "tanks": ()}
    odd = Force(
        FORCE_FORMAT,
        "toy",
        "Odd",
        (ForceUnit("squad", "One", {"keen": "yes", "drill": True}, rows), ForceUnit("x", "Two")),
    )
    found = [(p.unit, p.list, p.row, p.field) for p in forces.misfits(FORM, odd)]
    assert found == [
        (0, "", -1, "keen"),
        (0, "", -1, "drill"),
        (0, "tanks", -1, ""),
        (0, "figures", 1, "gear"),
        (0, "figures", 2, "hat"),
        (1, "", -1, ""),
    ]


def test_problems_say_where_they_are() -> None:
    guns = force("Guns", "gun")
    squad = guns.units[0]

    def told(problem: ForceProblem, brought: Force = guns) -> str:
        return forces.sentence(FORM, brought, problem)

    assert told(ForceProblem("Too many.")) == "Too many."
    assert told(ForceProblem("Too heavy.", unit=0)) == "Guns squad: Too heavy."
    assert told(ForceProblem("Too heavy.", unit=0, list="figures", row=2)) == "Guns squad, Figures row 3: Too heavy."
    assert told(ForceProblem("Guns squad is too heavy.", unit=0)) == "Guns squad is too heavy."
    assert told(ForceProblem("Guns squadron is none.", unit=0)) == "Guns squad: Guns squadron is none."
    assert told(ForceProblem("Odd.", unit=7)) == "Odd."
    twins = replace(guns, units=(squad, squad))
    assert told(ForceProblem("Too heavy.", unit=1), twins) == "Guns squad (unit 2): Too heavy."


def test_the_rules_are_asked_only_of_what_fits_the_form() -> None:
    rules = ToyRules()
    assert forces.examine(rules, force("Guns", "gun"), OPTIONS).total == 2
    assert forces.examine(rules, force("Guns", "bow"), OPTIONS).problems[0].field == "gear"
    assert forces.examine(rules, force("Guns", "gun", "gun", "gun"), OPTIONS).problems[0].rule == "toy/weight"
    other = replace(force("Guns", "gun"), edition="other")
    assert "takes those for 'toy'" in forces.examine(rules, other, OPTIONS).problems[0].sentence


# --- the page -------------------------------------------------------------------------------------------------------


def test_the_page_holds_a_force_and_all_its_fields() -> None:
    blocks = [block.split("```")[0] for block in PAGE.split("```toml\n")[1:]]
    (whole,) = [read(block) for block in blocks if block.startswith("format")]
    assert whole.units[0].rows
    assert read(dump(whole)) == whole
    for struct in (Force, ForceUnit, ForceProblem):
        for field in struct.__struct_fields__:
            assert f"`{field}`" in PAGE, field
