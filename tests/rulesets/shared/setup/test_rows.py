"""An edition's changes to its family's rows: changed, added, removed; senseless ones are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.kernel.errors import RulesetError
from server.rulesets.shared.setup.rows import Lists, Own, Row

FAMILY = """
[[rifle]]
id = "bolt"
name = "Bolt rifle"
reach = 20

[[rifle]]
id = "carbine"
name = "Carbine"
reach = 12
"""


class Rifle(Row, frozen=True):
    id: str
    name: str
    reach: int


def rifles(folder: Path, own: Own, family: str = FAMILY) -> dict[str, Rifle]:
    (folder / "rifles.toml").write_text(family, encoding="utf-8")
    return Lists(folder, own).take("rifle", Rifle)


def test_an_edition_without_rows_of_its_own_has_its_familys_rows(tmp_path: Path) -> None:
    assert rifles(tmp_path, {}) == {"bolt": Rifle("bolt", "Bolt rifle", 20), "carbine": Rifle("carbine", "Carbine", 12)}


def test_an_edition_changes_adds_and_removes_rows_by_their_ids(tmp_path: Path) -> None:
    own: Own = {"rifle": {"carbine": {"reach": 14}, "bolt": False, "laser": {"name": "Laser", "reach": 30}}}
    assert list(rifles(tmp_path, own).values()) == [Rifle("carbine", "Carbine", 14), Rifle("laser", "Laser", 30)]


def test_a_row_stands_where_the_edition_puts_it(tmp_path: Path) -> None:
    added: Own = {"rifle": {"laser": {"name": "Laser", "reach": 30, "before": "carbine"}}}
    assert list(rifles(tmp_path, added)) == ["bolt", "laser", "carbine"]
    assert list(rifles(tmp_path, {"rifle": {"carbine": {"before": "bolt"}}})) == ["carbine", "bolt"]


@pytest.mark.parametrize(
    ("own", "sentence"),
    [
        ({"rifle": {"bolt": {"before": "laser"}}}, "puts the rifle 'bolt' before 'laser', and there is none"),
        ({"rifle": {"laser": False}}, "takes the rifle 'laser' away, and there is none"),
        ({"pistol": {"bolt": {"reach": 3}}}, "lays rows over pistol; there are rifle"),
    ],
)
def test_changes_to_a_list_that_does_not_exist_are_refused(tmp_path: Path, own: Own, sentence: str) -> None:
    with pytest.raises(RulesetError, match=sentence):
        rifles(tmp_path, own)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"range": 14}, r"edition.toml, \[rows.rifle.bolt\] has 'range', which is not one of id, name, reach"),
        ({"reach": "far"}, r"edition.toml, \[rows.rifle.bolt\], reach: Expected `int`, got `str`"),
    ],
)
def test_unknown_fields_and_wrong_values_of_a_row_are_refused(
    tmp_path: Path, change: dict[str, object], sentence: str
) -> None:
    with pytest.raises(RulesetError, match=sentence):
        rifles(tmp_path, {"rifle": {"bolt": change}})


def test_a_wrong_row_of_the_family_is_refused_by_its_file(tmp_path: Path) -> None:
    with pytest.raises(RulesetError, match=r"rifles.toml, rifle 'carbine', reach: Expected `int`, got `str`"):
        rifles(tmp_path, {}, FAMILY.replace("12", '"far"'))


def test_an_added_row_needs_every_field(tmp_path: Path) -> None:
    with pytest.raises(RulesetError, match=r"\[rows.rifle.laser\] lacks name"):
        rifles(tmp_path, {"rifle": {"laser": {"reach": 30}}})


def test_two_rows_with_the_same_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RulesetError, match="two rows of rifle have the same id"):
        rifles(tmp_path, {}, FAMILY.replace("carbine", "bolt"))


def test_two_lists_with_the_same_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "more.toml").write_text(FAMILY, encoding="utf-8")
    with pytest.raises(RulesetError, match="two lists of rifle"):
        rifles(tmp_path, {})
