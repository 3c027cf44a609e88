"""`underfire validate`: a force may be brought, or every reason why not."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from client_protocol.forces import Force
from server.cli import main
from server.kernel.files.forces import dump, examine, read
from server.kernel.ruleset import Ruleset
from server.rulesets import library
from server.rulesets.library import editions, every_edition
from tests.support.toy_rules import ToyRules, force

PAGE = (Path(__file__).parents[2] / "docs" / "forces.md").read_text(encoding="utf-8")
READY = [(rules, ready) for rules in editions().values() for ready in rules.ready_forces]


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy is among the editions."""
    monkeypatch.setitem(library.EDITIONS, "toy", lambda _name: ToyRules())


class Desk:
    """Checks forces from a file."""

    def __init__(self, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.file = file
        self._capsys = capsys

    def validate(self, what: Force | str | bytes, *flags: str) -> tuple[int, list[str]]:
        """The exit code, and the lines that are printed."""
        text = dump(what) if isinstance(what, Force) else what
        self.file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return self.run(str(self.file), *flags)

    def run(self, *flags: str) -> tuple[int, list[str]]:
        code = main(["validate", *flags])
        out, err = self._capsys.readouterr()
        return code, (out + err).splitlines()


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path / "force.toml", capsys)


def test_a_force_that_may_be_brought(desk: Desk) -> None:
    assert desk.validate(dump(force("Guns", "gun", "rifle"))) == (
        0,
        ["Guns may be brought to a match of Toy.", "  Guns squad (Squad): Weight 3", "1 unit, Weight 3 in all."],
    )


def test_every_reason_is_told_with_its_place(desk: Desk) -> None:
    heavy = force("Guns", "gun", "gun", "gun")
    two = replace(heavy, units=(heavy.units[0], replace(heavy.units[0], name="Second")))
    assert desk.validate(two) == (
        1,
        [
            "Guns cannot be brought to a match:",
            "  Guns squad: It weighs 6; a squad weighs 4 at most.",
            "  Second: It weighs 6; a squad weighs 4 at most.",
            "  A force is one squad.",
        ],
    )
    code, lines = desk.validate(force("Guns", "gun", "bow"))
    assert (code, lines[1]) == (1, '  Guns squad, Figures row 2: Gear cannot be "bow"; it is one of "rifle", "gun".')


def test_a_file_that_holds_no_force(desk: Desk) -> None:
    for text, reason in (
        ("", "format ="),
        (b"\xff\xfe\x00", "not a text in UTF-8"),
        ("x" * 1_100_000, "larger than any force"),
        (dump(force("Guns", "gun")).replace('"kind"', '"sort"'), "has no field 'sort'"),
    ):
        code, lines = desk.validate(text)
        assert code == 1
        assert reason in " ".join(lines)
        assert not any("Traceback" in line for line in lines)


def test_validate_refuses_unknown_editions_options_and_files(desk: Desk, tmp_path: Path) -> None:
    guns = force("Guns", "gun")
    code, (line,) = desk.validate(replace(guns, edition="moon"))
    assert (code, "there is no edition 'moon' here" in line) == (1, True)
    code, (line,) = desk.validate(guns, "--option", "weather=fine")
    assert (code, "'weather=fine' is not KEY=VALUE" in line) == (1, True)
    code, (line,) = desk.run(str(tmp_path / "nothing.toml"))
    assert (code, "nothing.toml" in line) == (1, True)
    code, (line,) = desk.run(str(tmp_path))
    assert code == 1


def test_options_and_the_edition_can_be_named(desk: Desk) -> None:
    assert desk.validate(force("Guns", "gun"), "--edition", "toy", "--option", "hidden_forces=True")[0] == 0
    code, lines = desk.validate(replace(force("Guns", "gun"), edition="moon"), "--edition", "toy")
    assert (code, lines[1]) == (1, "  It is a force for the edition 'moon'; Toy takes those for 'toy'.")


def test_a_force_is_read_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = dump(force("Guns", "gun")).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert main(["validate", "-"]) == 0
    assert "Guns may be brought" in capsys.readouterr().out


@pytest.mark.parametrize("edition", list(every_edition()))
def test_an_edition_without_forces_says_so(desk: Desk, edition: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.rulesets.shared.bringing.BringsForces.force_form", None)
    code, lines = desk.validate(replace(force("Guns", "gun"), edition=edition))
    assert (code, "players cannot bring their own" in lines[1]) == (1, True)


@pytest.mark.parametrize(("rules", "ready"), READY, ids=[f"{rules.info.id} {ready.name}" for rules, ready in READY])
def test_every_ready_force_may_be_brought(desk: Desk, rules: Ruleset, ready: Force) -> None:
    # A match that plays all modules takes every ready force.
    modules = {option.id for option in rules.info.options if {"on", "off"} == {c.value for c in option.choices}}
    code, lines = desk.validate(dump(ready), *(f"--option={module}=on" for module in sorted(modules)))
    assert (code, lines[-1].startswith(f"{len(ready.units)} unit")) == (0, True), lines


def test_the_pages_force_may_be_brought(desk: Desk) -> None:
    (text,) = re.findall(r"```toml\n(format.*?)```", PAGE, re.DOTALL)
    page = read(text)
    rules = library.find(page.edition)
    assert rules is not None, f"the page shows a force for {page.edition}, which is not played here"
    assert examine(rules, page, {option.id: option.default for option in rules.info.options}).problems == ()
    assert desk.validate(text)[0] == 0
