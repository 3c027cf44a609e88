"""What commands print is plain text: no name of a folder, a player or a match is read as markup or reaches the terminal raw."""

from __future__ import annotations

import ast
import io
import logging
import re
import sys
from pathlib import Path

import pytest

from server.commands.serve import say_where
from server.console import Styled, counted, log_handler, say

SERVER = Path(__file__).parents[2] / "server"
LOOK = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
STRANGE = ["[games]", "[/games]", "[/]", "[bold", "http://[::1]:8000", ":smile:", "{task}", "100 %s", "back\\[slash]"]


class Screen(io.TextIOWrapper):
    """A stream that says whether it is a terminal."""

    def __init__(self, encoding: str = "utf-8", *, terminal: bool = True) -> None:
        self.bytes = io.BytesIO()
        self._terminal = terminal
        super().__init__(self.bytes, encoding=encoding)

    def isatty(self) -> bool:
        return self._terminal

    @property
    def shown(self) -> str:
        self.flush()
        return self.bytes.getvalue().decode(self.encoding)


def look_at(monkeypatch: pytest.MonkeyPatch, screen: Screen) -> Screen:
    """Make a stream standard output and standard error."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, screen)
    return screen


@pytest.mark.parametrize("text", STRANGE)
def test_text_is_printed_as_it_is(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    screen = look_at(monkeypatch, Screen())
    say(f"In {text}.")
    say("In ", Styled(text, "bold red"), ".")
    plain, styled, rest = screen.shown.split("\n")
    assert (plain, rest) == (f"In {text}.", "")
    assert text in styled
    assert styled.startswith("In \x1b[1;31m")


@pytest.mark.parametrize("text", STRANGE)
def test_log_records_and_progress_are_printed_as_they_are(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    screen = look_at(monkeypatch, Screen())
    log_handler().handle(logging.LogRecord("underfire", logging.WARNING, "", 0, "In %s", (text,), None))
    with counted(f"Playing {text}", 2) as done:
        done()
    shown = LOOK.sub("", screen.shown)
    assert f"In {text}" in shown
    assert f"Playing {text}" in shown


def test_an_address_can_be_clicked(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = look_at(monkeypatch, Screen())
    say_where(["http://[::1]:8000"])
    assert "http://[::1]:8000\x1b\\" in screen.shown
    assert screen.shown.count("http://[::1]:8000") == 2


def test_several_addresses_are_a_list(capsys: pytest.CaptureFixture[str]) -> None:
    say_where(["http://localhost:8000", "https://play.example.org"])
    assert capsys.readouterr().out.splitlines() == [
        "Open one of these in a browser:",
        "  http://localhost:8000",
        "  https://play.example.org",
    ]


def test_control_characters_are_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = look_at(monkeypatch, Screen())
    say("clear\x1b[2J", Styled("\r\x07\u202eevil\x9b"), "\ttab")
    assert screen.shown == "clear\\u001b[2J\\u000d\\u0007\\u202eevil\\u009b\ttab\n"


@pytest.mark.parametrize("terminal", [True, False])
def test_characters_that_the_terminal_cannot_write_are_escaped(
    monkeypatch: pytest.MonkeyPatch, *, terminal: bool
) -> None:
    screen = look_at(monkeypatch, Screen("ascii", terminal=terminal))
    say(Styled("Underfire", "bold"), " · caf\udce9")
    assert "\\xb7 caf\\udce9\n" in screen.shown


def test_only_the_console_module_prints_with_markup() -> None:
    importing = set()
    for file in SERVER.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names.append(node.module or "")
            if any(name.partition(".")[0] == "rich" for name in names):
                importing.add(file.relative_to(SERVER).as_posix())
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
                importing.add(f"print in {file.relative_to(SERVER).as_posix()}")
    assert importing == {"console.py"}
