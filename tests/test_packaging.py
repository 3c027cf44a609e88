"""What is installed is pinned, and the pins say the same everywhere."""

import re
import tomllib
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

ROOT = Path(__file__).parent.parent
LOCKS = sorted(ROOT.glob("requirements/*.lock"))


def pins(lock: Path) -> dict[str, str]:
    """Each requirement of a lock file, with its continuation lines, by its name and version."""
    entries = re.split(r"\n(?=\S)", lock.read_text().strip())
    return {re.split(r"[ ;\\]", entry, maxsplit=1)[0]: entry for entry in entries}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_lock_pins_by_hash_and_names_no_host(lock: Path) -> None:
    entries = pins(lock)
    assert entries
    for name, entry in entries.items():
        assert re.fullmatch(r"[a-z0-9-]+==[\w.]+", name), name
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), name
    assert not re.search(r"://|--index|--find-links|--extra", lock.read_text())


def test_npm_lock_pins_by_hash_and_names_no_host() -> None:
    text = (ROOT / "web_client/package-lock.json").read_text()
    assert '"integrity"' in text
    assert not re.search(r'"resolved": "\w+://', text)


def test_runtime_and_build_pins_are_those_the_tests_run_with() -> None:
    tested = pins(ROOT / "requirements/dev.lock").keys()
    assert pins(ROOT / "requirements/runtime.lock").keys() <= tested
    assert pins(ROOT / "requirements/build.lock").keys() <= tested


def test_the_package_asks_for_what_the_runtime_lock_is_made_from() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [
        line.replace('"', "'")
        for line in (ROOT / "requirements/runtime.in").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    assert sorted(project["dependencies"]) == sorted(listed)


def test_the_metadata_names_both_licenses_and_where_they_stand() -> None:
    core = ProjectMetadata(str(ROOT), PluginManager()).core
    assert core.license_expression == "MIT AND LicenseRef-FAD-Non-Profit"
    assert core.license_files == ["LICENSE", "NOTICE"]
    for page in ("NOTICE", "README.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert core.license_expression in text, page
        assert "take no profit" in text, page


def test_the_parts_that_the_notice_binds_are_there() -> None:
    (bound,) = re.findall(r"\((server/\S+)\)", (ROOT / "NOTICE").read_text(encoding="utf-8"))
    assert (ROOT / bound).is_dir()


def test_the_wheel_holds_the_protocol_for_bots_in_every_language() -> None:
    shipped = {file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()}
    pages = {f"client_protocol/{page.name}" for page in (ROOT / "client_protocol").glob("*.md")}
    assert {"client_protocol/schema.json", "client_protocol/PROTOCOL.md"} | pages <= shipped
