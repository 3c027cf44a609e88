"""docs/cases.md and the help of `underfire resolve`: their examples are run, and what they list is what a case may have."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

import msgspec
import pytest
from msgspec import Struct

from server.cli import main
from server.commands.resolve import FIELDS
from server.kernel.cases import resolving, schema
from server.kernel.files import setups
from server.rulesets.fad.previews import luck as fad_luck
from server.rulesets.fubar.previews import luck as fubar_luck

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "cases.md").read_text(encoding="utf-8")
OPEN_FIRE, CHANGED, DRIVE = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
LANE, *_, ROAD = re.findall(r"```toml\n(.*?)```", (DOCS / "setups.md").read_text(encoding="utf-8"), re.DOTALL)
PRINTED, UNMET = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the setups that the cases name."""
    (tmp_path / "farm-lane.toml").write_text(LANE, encoding="utf-8")
    (tmp_path / "road-end.toml").write_text(ROAD, encoding="utf-8")
    return tmp_path


def resolve(folder: Path, text: str) -> int:
    (folder / "open-fire.toml").write_text(text, encoding="utf-8")
    return main(["resolve", str(folder / "open-fire.toml")])


@pytest.mark.parametrize(
    ("case", "told"),
    [
        (OPEN_FIRE, "2 figures of Red squad fall; 2 left."),
        (DRIVE, "Carrier, Heavy machine gun: 2 hits on Guards, needing 6+."),
    ],
)
def test_the_cases_come_out_as_the_page_says(
    folder: Path, capsys: pytest.CaptureFixture[str], case: str, told: str
) -> None:
    assert resolve(folder, case) == 0
    assert told in capsys.readouterr().out


def test_the_lines_are_as_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    resolve(folder, OPEN_FIRE)
    lines = capsys.readouterr().out.splitlines()
    shown = [line for line in PRINTED.splitlines() if line.startswith("{")]
    assert len(shown) == len(lines)
    for line, printed in zip(shown, lines, strict=True):
        # What is left out stands as "...".
        parts = [re.escape(part) for part in line.split("...")]
        assert re.match(".*".join(parts), printed), line
    assert "6 + 2 + 1 + 1 = 10" in resolving.convert(setups.parse(OPEN_FIRE)).about


def test_an_expectation_that_is_not_met_reads_as_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert OPEN_FIRE.count("value = 10\n") == 1
    assert resolve(folder, OPEN_FIRE.replace("value = 10\n", "value = 11\n")) == 1
    told = capsys.readouterr().err.splitlines()
    for line, printed in zip(UNMET.splitlines(), told, strict=True):
        assert printed.startswith(line.removesuffix("..."))


def test_the_changes_of_a_setup_are_made_as_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert resolve(folder, f'format = "underfire case 1"\n{CHANGED}') == 0
    end = json.loads(capsys.readouterr().out.splitlines()[-1])["position"]
    lane = setups.parse(LANE)
    assert (end["turn"]["number"], end["turn"]["active"]) == (2, "red")
    assert {row["id"] for row in lane["terrain"]} - {row["id"] for row in end.get("terrain", ())} == {"copse"}
    assert [unit.get("conditions", []) for unit in end["unit"]] == [[], ["under_fire"]]


def test_the_example_of_the_help_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["resolve", "--help"])
    told = capsys.readouterr().out
    _, _, example = told.partition("begins with:\n")
    assert resolve(folder, textwrap.dedent(example)) == 0
    assert '"met": 1' in capsys.readouterr().out


# --- what it lists ---------------------------------------------------------------------------------------------------


def fields(part: type[Struct]) -> set[str]:
    return {row.encode_name for row in msgspec.structs.fields(part)}


def listed(text: str) -> set[str]:
    return set(re.findall(r"`\"?([a-z_-]+)\"?`", text))


def test_the_page_of_cases_lists_every_field() -> None:
    parts: tuple[type[Struct], ...] = (
        *(schema.Case, schema.CaseAnswer, schema.ExpectedFact, schema.ExpectedAnswer),
        *(schema.ExpectedNumber, schema.ExpectedLine, schema.ExpectedRefusal),
        *schema.QUESTIONS.values(),
    )
    for part in parts:
        assert fields(part) <= listed(PAGE), part.__name__
    assert set(schema.QUESTIONS) | {"ask"} <= listed(PAGE) | set(re.findall(r'ask = "([a-z-]+)"', PAGE))
    values = set(re.findall(r"(\w+) =", "".join(line for line in PAGE.splitlines() if line.startswith("| `{"))))
    assert fields(schema.CaseValue) <= values
    assert all(f"{name} = " in PAGE for name in fields(schema.LabelledDice))


def test_the_help_lists_every_field_of_an_answer_and_every_question() -> None:
    words = set(re.findall(r"[a-z-]+", FIELDS))
    assert fields(schema.Case) | fields(schema.CaseAnswer) | set(schema.QUESTIONS) <= words


def test_the_page_of_cases_lists_every_fact_with_its_fields() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| ((?:`\w+`(?:, )?)+|\(none\)) \|$", PAGE, re.MULTILINE))
    told = {kind: tuple(re.findall(r"`(\w+)`", row)) for kind, row in rows.items() if kind in schema.FACTS}
    assert told == {kind: fact.__struct_fields__ for kind, fact in schema.FACTS.items()}


def test_the_page_of_cases_lists_every_purpose_of_a_roll() -> None:
    paragraph = PAGE[PAGE.index("Rolls are for") :].partition("\n\n")[0]
    assert set(fad_luck.ROWS) | set(fubar_luck.ROWS) <= listed(paragraph)


def test_the_page_of_cases_lists_every_field_of_a_printed_step(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    resolve(folder, OPEN_FIRE)
    resolve(folder, OPEN_FIRE.replace("faces = [1, 4, 5]", "faces = [1, 4]"))
    printed = {key for line in capsys.readouterr().out.splitlines() for key in json.loads(line)}
    assert {"refused", "questions", "expected", "wanted", "position"} <= printed
    assert printed <= listed(PAGE.partition("## What is printed")[2])
