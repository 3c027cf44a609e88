from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from server.config import ConfigError, Settings, add_flags, settings


def flags(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_flags(parser)
    return parser.parse_args(words)


def test_the_default_settings_serve_this_machine_alone() -> None:
    assert settings({}, flags()) == Settings("127.0.0.1", 8000, None, None, (), "info")


def test_flags_win_over_the_environment_and_empty_variables_are_not_given() -> None:
    environment = {
        "UNDERFIRE_HOST": "0.0.0.0",  # noqa: S104  # that is what the setting is for
        "UNDERFIRE_PORT": "9000",
        "UNDERFIRE_DATA_DIR": "",
        "UNDERFIRE_ORIGINS": " https://Play.example.org/, http://192.0.2.10:8000 ",
        "UNDERFIRE_LOG_LEVEL": "DEBUG",
    }
    got = settings(environment, flags("--port", "9001", "--data-dir", "/var/lib/underfire"))
    assert (got.host, got.port, got.data_dir) == ("0.0.0.0", 9001, Path("/var/lib/underfire"))  # noqa: S104
    assert got.origins == ("https://play.example.org", "http://192.0.2.10:8000")
    assert got.log_level == "debug"


@pytest.mark.parametrize(
    "environment",
    [
        {"UNDERFIRE_PORT": "seven"},
        {"UNDERFIRE_PORT": "70000"},
        {"UNDERFIRE_PORT": "-1"},
        {"UNDERFIRE_ORIGINS": "play.example.org"},
        {"UNDERFIRE_ORIGINS": "https://play.example.org/path"},
        {"UNDERFIRE_ORIGINS": "*"},
        {"UNDERFIRE_REDIS_URL": "http://:hunter2@db"},
        {"UNDERFIRE_LOG_LEVEL": "loud"},
        {"UNDERFIRE_METRICS": "yes please"},
        {"UNDERFIRE_UNFINISHED": "moon"},
        {"UNDERFIRE_DORMANT_DAYS": "soon"},
        {"UNDERFIRE_DORMANT_DAYS": "10", "UNDERFIRE_DORMANT_WARNING_DAYS": "10"},
        {"UNDERFIRE_DORMANT_DAYS": "10", "UNDERFIRE_DORMANT_WARNING_DAYS": "0"},
        {"UNDERFIRE_DORMANT_DAYS": "90", "UNDERFIRE_REDIS_URL": "redis://:hunter2@db"},
        {"UNDERFIRE_LOG_FORMAT": "xml"},
        {"UNDERFIRE_ADMIN_TOKEN": "hunter2"},
        {"UNDERFIRE_ADMIN_TOKEN": "hunter2 " * 8},
        {"UNDERFIRE_ADMIN_TOKEN": "hunter2" * 8, "UNDERFIRE_ADMIN_TOKEN_FILE": "/etc/hunter2"},
        {"UNDERFIRE_NOTICES": "perhaps"},
        {"UNDERFIRE_NOTICE_AFTER": "0"},
        {"UNDERFIRE_NOTICE_NETWORKS": "10.0.0.0/8, home"},
        {"UNDERFIRE_PUSH_CONTACT": "me@example.org"},
        {"UNDERFIRE_MQTT_PLAYERS": "yes"},
    ],
)
def test_a_bad_setting_is_refused_in_a_sentence_without_secrets(environment: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=r"\.$|not '.*'\.$") as refused:
        settings(environment)
    assert "hunter2" not in str(refused.value)


def test_the_operators_token_is_read_from_a_file_and_shown_nowhere(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("hunter2" * 8 + "\n")
    got = settings({"UNDERFIRE_ADMIN_TOKEN_FILE": str(file)})
    assert got.admin_token == "hunter2" * 8
    assert "hunter2" not in repr(got)
    assert settings({}, flags("--admin-token-file", str(file))).admin_token == got.admin_token
    file.write_text("\n")
    with pytest.raises(ConfigError, match="at least 32 characters"):
        settings({"UNDERFIRE_ADMIN_TOKEN_FILE": str(file)})
