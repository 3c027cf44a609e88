"""The output of commands. Text is plain text: brackets are not markup, colons not emoji, and control characters in names and
in what players wrote do not reach the terminal. Style is given separately from the text, with `Styled`.

This is the only module that imports rich (`tests/commands/test_console.py`).
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, TypeAlias

from rich.console import Console
from rich.logging import RichHandler
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.style import Style
from rich.text import Text

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters except tab and newline, and those that override the direction of writing: both can disguise a line."""


class Styled(NamedTuple):
    """Text with a style, if the output is a terminal.

    `style` is one of rich's ("bold", "yellow"); `link` is where a click on the text leads.
    """

    text: str
    style: str = ""
    link: str | None = None


Part: TypeAlias = str | Styled


def say(*parts: Part, error: bool = False) -> None:
    """Print the parts, one after the other, and end the line.

    Args:
        parts: plain text, or `Styled`.
        error: print to standard error and not to standard output.
    """
    file = sys.stderr if error else sys.stdout
    styled = [Styled(part) if isinstance(part, str) else part for part in parts]
    styled = [part._replace(text=_fit(plain(part.text), file.encoding or "utf-8")) for part in styled]
    console = Console(file=file, highlight=False, markup=False, emoji=False)
    if console.is_terminal and any(part.style or part.link for part in styled):
        looks = [(part.text, Style.parse(part.style) + Style(link=part.link)) for part in styled]
        console.print(Text.assemble(*looks), soft_wrap=True)
    else:
        file.write("".join(part.text for part in styled) + "\n")
        file.flush()


def plain(text: str) -> str:
    r"""Return the text with its control characters escaped, such as `\u001b`. JSON stays JSON."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _fit(text: str, encoding: str) -> str:
    """Return the text with characters escaped that the encoding lacks: a file's name may be invalid text."""
    return text.encode(encoding, "backslashreplace").decode(encoding)


def log_handler() -> logging.Handler:
    """Return the handler that writes log records to standard error, with the time."""
    return RichHandler(console=Console(stderr=True, markup=False, emoji=False), show_path=False, markup=False)


@contextmanager
def counted(label: str, total: int) -> Iterator[Callable[[], None]]:
    """Show a progress bar on a terminal for `total` steps; yield the function to call after each step."""
    console = Console(stderr=True, markup=False, emoji=False)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(label, total=total)
        yield lambda: progress.advance(task)
