"""Each form of the log: what a line holds, and that no secret of the settings is in it."""

from __future__ import annotations

import json
import logging
import re
import sys

import pytest

from server.config import settings
from server.log_lines import CUT, JsonLines, Pretty, Redaction, passwords_in

HIDDEN = "hunter2+hunter2"
TOKEN = "0123456789abcdef" * 2


def record(message: str, *values: object, **fields: object) -> logging.LogRecord:
    made = logging.LogRecord("underfire.room", logging.WARNING, "room.py", 1, message, values, None)
    made.__dict__.update(fields)
    return made


def line(made: logging.LogRecord, *secrets: str) -> dict[str, object]:
    text = JsonLines(Redaction(secrets)).format(made)
    assert "\n" not in text
    assert text.isascii()
    found: dict[str, object] = json.loads(text)
    return found


def failing() -> logging.LogRecord:
    """A record of an error that another one has caused, each naming a secret."""
    made = record("it failed")
    try:
        try:
            raise OSError(f"cannot reach redis://:{HIDDEN}@db")  # noqa: TRY301 - a cause is wanted
        except OSError as cause:
            raise RuntimeError(f"with {TOKEN}") from cause
    except RuntimeError:
        made.exc_info = sys.exc_info()
    return made


def test_a_line_has_the_time_the_level_the_logger_the_message_and_the_fields_that_the_code_knows() -> None:
    found = line(record("match %s: entry %d was reported", "m1", 7, match="m1", entry=7, seat="red"))
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ", str(found.pop("time")))
    assert found == {
        "level": "warning",
        "logger": "underfire.room",
        "message": "match m1: entry 7 was reported",
        "match": "m1",
        "entry": 7,
        "seat": "red",
    }


def test_what_a_player_wrote_cannot_break_a_line() -> None:
    found = line(record("%s", 'a\n{"level": "error"}\u202e\x1b[31m', seat="\n"))
    assert found["message"] == 'a\n{"level": "error"}\u202e\x1b[31m'
    assert found["level"] == "warning"


def test_a_field_does_not_take_the_place_of_what_every_line_has() -> None:
    assert line(record("so", level="error", logger="x", time="never"))["level"] == "warning"


def test_a_traceback_stands_in_a_field_of_its_own() -> None:
    found = str(line(failing())["traceback"])
    assert found.startswith("Traceback")
    assert "RuntimeError" in found


def test_no_secret_of_the_settings_comes_out_in_either_form() -> None:
    got = settings(
        {
            "UNDERFIRE_REDIS_URL": "redis://user:hunter2%2Bhunter2@db:6379/0",
            "UNDERFIRE_MQTT_URL": "mqtt://feed:brokers-own-secret@broker",
            "UNDERFIRE_ADMIN_TOKEN": TOKEN,
            "UNDERFIRE_SIGNING_KEY": "the-key-of-the-signer",
        }
    )
    secrets = [HIDDEN, "hunter2%2Bhunter2", "brokers-own-secret", TOKEN, "the-key-of-the-signer"]
    for form in (JsonLines(Redaction(got.secrets)), Pretty(Redaction(got.secrets))):
        for made in (record("%s", " ".join(secrets), address=TOKEN, match=HIDDEN), failing()):
            text = form.format(made)
            assert CUT in text
            assert not [secret for secret in secrets if secret in text]
            # What is cached for other handlers is that of the standard library, and is not written here.
            made.exc_text = None


@pytest.mark.parametrize(
    ("url", "found"),
    [
        (None, []),
        ("redis://db:6379/0", []),
        ("redis://:hunter2%21@db", ["hunter2%21", "hunter2!"]),
        ("rediss://user:hunter2@db:6379/0", ["hunter2", "hunter2"]),
        ("unix://user:hunter2@/run/db.sock", ["hunter2", "hunter2"]),
        ("unix:///run/db.sock?password=hunter2", ["hunter2"]),
    ],
)
def test_passwords_are_found_wherever_an_address_holds_them(url: str | None, found: list[str]) -> None:
    assert passwords_in([url]) == found
