"""The generated pages say what the server sends today, and each message on them fits the schema."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.client_protocol.validating import faults, faults_of, way_of
from tests.protocol_pages.host import serving
from tests.protocol_pages.pages import FOLDER, PAGES
from tests.protocol_pages.prompts import KINDS, PLAYED, match
from tests.protocol_pages.stored import stored_shapes
from tests.protocol_pages.text import WIDTH, shown
from tests.protocol_pages.wire import OURS
from tests.system.play import Player


def text(page: str) -> str:
    return (FOLDER / page).read_text(encoding="utf-8")


def blocks(page: str) -> list[dict[str, object]]:
    return [json.loads(block) for block in re.findall(r"```json\n(.*?)```", text(page), re.DOTALL)]


@pytest.mark.parametrize("page", PAGES)
async def test_a_page_is_what_the_server_sends_today(page: str) -> None:
    now = await PAGES[page]()
    assert text(page) == now, "run `python -m tests.protocol_pages --write`, and read what has changed"


@pytest.mark.parametrize("page", PAGES)
def test_everything_on_a_page_fits_the_schema(page: str) -> None:
    found = blocks(page)
    assert len(found) > 10
    for value in found:
        wrong = faults(value, way_of(value)) if "type" in value else faults_of(value, "Prompt")
        assert wrong == [], value


@pytest.mark.parametrize(("edition", "scenario", "player"), PLAYED[:2], ids=["fad4", "fubar4"])
async def test_everything_that_is_said_in_a_whole_match_fits_the_schema(
    edition: str, scenario: str, player: Callable[[], Player]
) -> None:
    async with serving(seed=2) as address:
        talks = await match(address, edition, scenario, player())
    said = [row for talk in talks for row in talk.said]
    assert len(said) > 100
    for sender, message in said:
        assert faults(json.loads(shown(message)), "FromClient" if sender == OURS else "FromServer") == [], message


def test_there_is_a_prompt_of_each_kind_of_parameter_with_an_answer() -> None:
    assert set(re.findall(r"^## `(\w+)`$", text("EXAMPLES.md"), re.MULTILINE)) == KINDS
    for section in text("EXAMPLES.md").split("\n## `")[1:]:
        kind = section.partition("`")[0]
        prompt, answer = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", section, re.DOTALL)]
        (choice,) = [choice for choice in prompt["choices"] if choice["key"] == answer["choice"]]
        assert [value["type"] for value in answer["values"]] == [given["type"] for given in choice["parameters"]]
        assert kind in {value["type"] for value in answer["values"]}
        assert answer["prompt"] == prompt["id"]


def test_the_transcript_is_a_whole_session() -> None:
    types = [value["type"] for value in blocks("TRANSCRIPT.md")]
    order = "enter_lobby matches take_seat seat_taken enter_match snapshot commit reveal answer refused preview say luck_report"
    places = [types.index(type_) for type_ in order.split()]
    assert places == sorted(places)
    updates = [value for value in blocks("TRANSCRIPT.md") if value["type"] == "update"]
    patches = [value["patch"] for value in updates if "patch" in value]
    assert any(isinstance(patch, dict) and patch.get("result") for patch in patches)


def test_the_page_names_exactly_the_shapes_that_are_stored_too() -> None:
    section = text("PROTOCOL.md").partition("\n## Shapes that are stored\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| \[`(\w+)\.py`\]\(\1\.py\) \| (.*) \|$", section, re.MULTILINE)
    assert {module: set(re.findall(r"`(\w+)`", names)) for module, names in rows} == stored_shapes()


def test_links_lead_somewhere() -> None:
    for page in [*PAGES, "PROTOCOL.md"]:
        for target, anchor in re.findall(r"\]\(([^)#:]*)(#[^)]*)?\)", text(page)):
            to = FOLDER / target if target else FOLDER / page
            assert to.exists(), (page, target)
            if anchor:
                assert anchor in anchors(to), (page, anchor)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as they are made where it is read."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {"#" + re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_json_is_shown_with_as_much_on_a_line_as_fits_and_means_the_same() -> None:
    value: object = {
        "name": "x" * 60,
        "points": [[1000 * number, 2000] for number in range(30)],
        "none": None,
        "empty": {},
    }
    told = shown(value)
    assert json.loads(told) == value
    assert max(map(len, told.splitlines())) <= WIDTH
    assert shown({"a": [1, 2]}) == '{"a": [1, 2]}'
