"""What is deployed hangs together: settings that exist, services and volumes that are declared, configurations that start."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # the package publishes no types

from tests.support.mosquitto import Mosquitto
from tests.support.servers import free_port

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
CONFIG = (ROOT / "server/config.py").read_text()


def settings() -> set[str]:
    """The variables that the software reads."""
    named = {name.upper() for name in re.findall(r'given\("(\w+)"\)', CONFIG)}
    return {f"UNDERFIRE_{name}" for name in named} | set(re.findall(r'environment\.get\("(\w+)"\)', CONFIG))


@pytest.mark.parametrize("service", ["underfire-1", "underfire-2", "feed"])
def test_servers_and_feed_are_given_settings_that_exist(service: str) -> None:
    assert set(SERVICES[service]["environment"]) <= settings()


def test_the_page_of_settings_names_each_of_them() -> None:
    page = (DEPLOY / "README.md").read_text()
    told = {name for name in settings() if name in page}
    # Host, port, data and log level are explained as flags there.
    assert settings() - told <= {"UNDERFIRE_HOST", "UNDERFIRE_PORT", "UNDERFIRE_DATA_DIR", "UNDERFIRE_LOG_LEVEL"}


def test_services_depend_on_services_and_mount_volumes_that_are_there() -> None:
    for service in SERVICES.values():
        assert set(service.get("depends_on", ())) <= set(SERVICES)
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert (DEPLOY / source).exists() if source.startswith(".") else source in COMPOSE["volumes"], volume


def test_all_state_lies_in_volumes_of_known_names() -> None:
    assert {volume["name"] for volume in COMPOSE["volumes"].values()} == {
        f"underfire-{name}" for name in COMPOSE["volumes"]
    }
    used = {volume.split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", ())}
    assert set(COMPOSE["volumes"]) <= used


def test_only_caddy_can_be_reached_from_outside() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["caddy"]


def test_what_an_operator_fills_in_is_explained_and_is_not_kept_in_the_repository() -> None:
    wanted = set(re.findall(r"(?<!\$)\$\{(\w+)", (DEPLOY / "compose.yaml").read_text()))
    assert wanted == set(re.findall(r"^(\w+)=", (DEPLOY / ".env.example").read_text(), re.MULTILINE))
    assert "/deploy/.env\n" in (ROOT / ".gitignore").read_text()


def test_the_brokers_configuration_starts(tmp_path: Path) -> None:
    program = shutil.which("mosquitto_passwd")
    assert program, "it comes with Mosquitto"
    passwords = tmp_path / "passwords"
    subprocess.run([program, "-b", "-c", passwords, "feed", "secret"], check=True, capture_output=True)
    text = (DEPLOY / "mosquitto/mosquitto.conf").read_text()
    for ours, theirs in (
        ("/mosquitto/passwords", str(passwords)),
        ("/mosquitto/config/acl", str(DEPLOY / "mosquitto/acl")),
        ("/mosquitto/data/", f"{tmp_path}/"),
    ):
        assert ours in text
        text = text.replace(ours, theirs)
    text = re.sub(r"^listener .*$\n(protocol websockets\n)?", "", text, flags=re.MULTILINE)
    broker = Mosquitto(tmp_path, text.splitlines(), free_port(), free_port())
    broker.start()
    broker.stop()


@pytest.mark.parametrize("name", ["127.0.0.1:9001", "mosquitto:9001"])
def test_caddy_passes_the_brokers_websockets_on(name: str) -> None:
    caddyfile = (DEPLOY / "Caddyfile").read_text()
    assert "handle /mqtt" in caddyfile
    assert name in caddyfile or name == SERVICES["caddy"]["environment"]["UNDERFIRE_BROKER"]
    assert "listener 9001\nprotocol websockets" in (DEPLOY / "mosquitto/mosquitto.conf").read_text()
