"""docs/setups.md: its examples are played, and what it lists is what the rules know."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from msgspec import Struct

from server.kernel.files import schema, setups
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.fubar.ruleset import FubarRuleset
from server.rulesets.library import editions

PAGE = (Path(__file__).parents[2] / "docs" / "setups.md").read_text(encoding="utf-8")
LANE, HOUSE, FIGURES, ASSETS, GROUPS, GENERATED, ROAD = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
SCENARIO = Path(__file__).parents[2] / "server" / "rulesets" / "fad" / "fad5" / "scenarios" / "two-orchards.toml"
CONTACT = Path(__file__).parents[2] / "server" / "rulesets" / "fad" / "fad4" / "scenarios" / "contact.toml"
FAD, FAD5, FUBAR = FadRuleset("fad4"), FadRuleset("fad5"), FubarRuleset("fubar4")


def chapter(title: str) -> str:
    """What the page says under a heading of the second level."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None, f"there is no chapter {title}"
    return found.group(1)


def test_every_edition_has_its_chapter() -> None:
    for rules in editions().values():
        assert f'edition = "{rules.info.id}"' in chapter(rules.info.name)


def test_the_setups_are_read() -> None:
    lane = FAD.read(setups.parse(LANE))
    assert lane.units["red-1"].figures["4"].at == (19_000, 20_000)
    assert lane.turn.phase == "turn"
    road = FUBAR.read(setups.parse(ROAD))
    assert road.units["riders"].aboard == "carrier"
    assert {f.profile["arm"] for f in road.units["riders"].figures.values()} == {"assault-rifle"}
    assert road.units["guards"].figures["2"].conditions == ("suppressed",)


def test_the_list_of_figures_is_read() -> None:
    setup = setups.parse(LANE)
    setup["unit"][0].pop("at")
    setup["unit"][0].update(tomllib.loads(FIGURES))
    blue = FAD.read(setup).units["blue-1"]
    assert (blue.strength, len(blue.figures), blue.figures["1"].role) == (2, 3, "leader")


def test_the_group_is_read() -> None:
    setup = setups.parse(LANE) | tomllib.loads(GROUPS)
    (note,) = FAD.read(setup).book.values()
    assert isinstance(note, tuple)
    assert ("at", 24_000, 40_000) in note


def test_the_building_is_read() -> None:
    setup = setups.parse(SCENARIO.read_text(encoding="utf-8"))
    setup["terrain"] = tomllib.loads(HOUSE)["terrain"]
    pieces = {piece.id: piece for piece in FAD5.read(setup).table.terrain}
    assert pieces["mill"].holds((24_000, 23_000))
    assert pieces["mill.opening-2"].name == "East window of Mill"


# --- what it lists ---------------------------------------------------------------------------------------------------


def listed(text: str) -> set[str]:
    return set(re.findall(r"`\"?([a-z_:-]+)\"?`", text))


def fields(part: type[Struct]) -> set[str]:
    return set(part.__struct_fields__)


def test_the_page_of_setups_lists_every_field() -> None:
    common = chapter("A setup")
    for part in (
        *(
            schema.Setup,
            schema.SetupTable,
            schema.SetupTerrain,
            schema.SetupSide,
            schema.SetupUnit,
            schema.SetupFigure,
        ),
        *(schema.SetupObjective, schema.SetupTurn, schema.SetupResult, schema.SetupCount),
    ):
        assert fields(part) <= listed(common), part.__name__
    assert fields(schema.SetupMount) - {"lost"} <= listed(common)
    assert "`lost = true`" in common


@pytest.mark.parametrize(("rules", "text"), [(FAD, chapter("FAD 4")), (FAD5, chapter("FAD 4") + chapter("FAD 5"))])
def test_the_page_of_setups_lists_every_terrain_weapon_armour_and_trait_of_fad(rules: FadRuleset, text: str) -> None:
    book = rules.book
    armed = {*book.small_arms, *book.armours, *book.support_weapons, *book.heavy_weapons}
    borne = {trait.id for trait in book.traits.values() if trait.bearer in {"unit", "figure"}}
    assert {*book.palette, *armed, *borne, *book.qualities, *book.resolves} <= listed(text)


def test_the_page_of_setups_lists_every_terrain_weapon_armour_and_level_of_fubar_4() -> None:
    book = FUBAR.book
    carried = {row.id for row in book.weapons.values() if row.kind in {"small-arm", "support"}}
    assert carried
    known = {*book.palette, *book.levels, *book.armours, *book.vehicle_armours, *carried}
    assert known <= listed(chapter("FUBAR 4"))


@pytest.mark.parametrize("edition", editions())
def test_the_page_of_setups_lists_every_condition_and_phase(edition: str) -> None:
    rules = editions()[edition]
    text = chapter("A setup") + chapter(rules.info.name)
    assert set(rules.words) - {"no_room"} <= listed(text)


def test_the_note_of_a_generated_set_up_is_the_one_that_the_scenario_has() -> None:
    assert tomllib.loads(GENERATED)["book"] == tomllib.loads(CONTACT.read_text(encoding="utf-8"))["book"]


def test_the_page_of_setups_says_what_each_kind_of_terrain_does() -> None:
    told: dict[str, dict[str, tuple[str, ...]]] = {}
    for name in ("FAD 4", "FUBAR 4"):
        rows = re.findall(r"^\| (`[^|]*?) \| (none|\w+) \|(.*)\|[^|]*\|$", chapter(name), re.MULTILINE)
        told[name] = {
            kind: (cover, *(cell.strip() for cell in flags.split("|")))
            for kinds, cover, flags in rows
            for kind in re.findall(r"`(\w+)`", kinds)
        }
    assert told["FAD 4"] == {
        row.kind: (row.cover, *("yes" if flag in row.flags else "" for flag in ("difficult", "impassable")))
        for row in FAD.book.palette.values()
    }
    assert told["FUBAR 4"] == {
        row.kind: (row.cover, "yes" if "impassable" in row.flags else "") for row in FUBAR.book.palette.values()
    }
