"""The lines of the log, in either form: for a person at a terminal, or one JSON object a line for a program that gathers them.

Whatever the form, secrets that the settings hold do not come out, not even in a traceback or in another program's error message.
"""

from __future__ import annotations

import datetime as dt
import json
import logging
import sys
from collections.abc import Collection, Iterable
from types import TracebackType
from typing import Literal, TypeAlias
from urllib.parse import parse_qs, quote, unquote

from server.console import log_handler, say

LogFormat: TypeAlias = Literal["pretty", "json"]
SHORTEST = 6
"""Secrets of fewer characters are not looked for: they stand in words that are none."""
CUT = "[secret]"
"""What is written in the place of a secret."""

_USUAL = frozenset({*vars(logging.makeLogRecord({})), "message", "asctime", "taskName"})
"""What every record has. All else are fields that the code has given."""


class Redaction:
    """Cuts secrets out of text.

    Args:
        secrets: what must not come out. Short ones and empty ones are left out.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        found = {form for secret in secrets for form in (secret, quote(secret, safe=""))}
        # The longest first: one may be a part of another.
        self._secrets = sorted((one for one in found if len(one) >= SHORTEST), key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """Return the text without the secrets."""
        for secret in self._secrets:
            text = text.replace(secret, CUT)
        return text


class Pretty(logging.Formatter):
    """Formats records for a person: the logger and the message, and the traceback below. The handler adds time and level."""

    def __init__(self, redacted: Redaction) -> None:
        super().__init__("%(name)s: %(message)s", "%X")
        self._redacted = redacted

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of a record."""
        return self._redacted(super().format(record))


class JsonLines(logging.Formatter):
    """Formats records as JSON objects, each on a line: `time` (UTC, ISO 8601), `level`, `logger`, `message`, the fields that the
    code gives (`match`, `seat`, `address` and others), and a `traceback` if there is one.
    """

    def __init__(self, redacted: Redaction) -> None:
        super().__init__()
        self._redacted = redacted

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        at = dt.datetime.fromtimestamp(record.created, dt.UTC)
        line: dict[str, object] = {
            "time": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self._redacted(record.getMessage()),
        }
        for name, value in vars(record).items():
            if name not in _USUAL and name not in line:
                line[name] = value if isinstance(value, int | float | None) else self._redacted(str(value))
        if record.exc_info and record.exc_info[0] is not None:
            line["traceback"] = self._redacted(self.formatException(record.exc_info))
        # Only ASCII: no character of a player's can break the line or turn its direction of writing.
        return json.dumps(line)


def configure(level: str, form: LogFormat, secrets: Iterable[str] = ()) -> None:
    """Write the log of this process to standard error from now on.

    Args:
        level: the lowest level that is written.
        form: the form of the lines.
        secrets: what must not come out.
    """
    redacted = Redaction(secrets)
    if form == "pretty":
        handler = log_handler()
        handler.setFormatter(Pretty(redacted))
    else:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(JsonLines(redacted))
        # Whatever else would be printed there becomes a line, too.
        logging.captureWarnings(capture=True)
        sys.excepthook = _crashed
    logging.basicConfig(level=level.upper(), handlers=[handler])


def complain(sentence: str) -> None:
    """Print why a command fails: as a line of the log where the log is JSON, or for a person."""
    if any(isinstance(handler.formatter, JsonLines) for handler in logging.getLogger().handlers):
        logging.getLogger("underfire").critical("%s", sentence)
    else:
        say(f"underfire: {sentence}", error=True)


def passwords_in(urls: Collection[str | None]) -> list[str]:
    """Return the passwords in addresses, as they are written there and as they are meant."""
    found = []
    for url in urls:
        # What cannot be read as an address is refused elsewhere.
        rest, _, query = (url or "").partition("://")[2].partition("?")
        password = rest.rpartition("@")[0].partition(":")[2]
        found += [password, unquote(password), *parse_qs(query).get("password", [])]
    return [one for one in found if one]


def _crashed(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    logging.getLogger("underfire").critical("the program has failed", exc_info=(kind, error, trace))
