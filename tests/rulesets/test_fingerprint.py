"""The version of an edition's rules changes with what the rules mean, and with nothing else."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from server.rulesets import fingerprint as module
from server.rulesets.fingerprint import fingerprint, fingerprint_of
from server.rulesets.library import every_edition

CODE = '''
"""What the chapter is for."""

from server.kernel.questions import Line
from msgspec import Struct


class Shot(Struct):
    """A shot."""

    dice: int = 2
    """How many fall."""


def effect(shot: Shot) -> int:
    """The effect."""
    return shot.dice + 1  # shoot.effect
'''
DATA = """
# What a rifle does.
[rifle]
range = 24
close = 6
"""


@pytest.fixture
def version(tmp_path: Path) -> Version:
    return Version(tmp_path)


class Version:
    """The fingerprint of files that are written for the test."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, **files: str) -> str:
        """Return the fingerprint of files, given by name: `shot_py` means shot.py."""
        paths = []
        for name, text in files.items():
            path = self._folder / name.replace("_", ".")
            path.write_text(text, encoding="utf-8")
            paths.append(path)
        return fingerprint_of(paths)


def test_each_edition_has_a_version_of_its_own() -> None:
    versions = {name: rules.version for name, rules in every_edition().items()}
    assert len(set(versions.values())) == len(versions)
    for name, version in versions.items():
        assert version.startswith(f"{name}.")
    assert fingerprint("fad", "fad4") in versions["fad4"]
    assert fingerprint("fubar", "fubar4") in versions["fubar4"]


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("What the chapter is for.", "Shooting."),
        ("A shot.", "A shot, and what it is fired with."),
        ("How many fall.", "The dice."),
        ("The effect.", "Return the effect."),
        ("# shoot.effect", "# shooting.effect: with the quality of who shoots"),
        ("return shot.dice + 1", "return (shot.dice +\\n        1)"),
        ("from server.kernel.questions import Line", "from server.kernel.answers.questions import Line"),
    ],
)
def test_comments_layout_and_moved_code_change_no_version(version: Version, word: str, other: str) -> None:
    assert word in CODE
    assert version.of(shot_py=CODE.replace(word, other.replace("\\n", "\n"))) == version.of(shot_py=CODE)


def test_splitting_a_file_in_two_changes_no_version(version: Version) -> None:
    at = CODE.index("def effect")
    head = "from __future__ import annotations\n"
    parts = {"dice_py": head + CODE[:at], "effect_py": head + "from server.shot import Shot\n" + CODE[at:]}
    assert version.of(**parts) == version.of(shot_py=head + CODE)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("dice: int = 2", "dice: int = 3"),
        ("shot.dice + 1", "shot.dice - 1"),
        ("shot.dice + 1", "shot.dice + 1 if shot.dice else 0"),
        ("from msgspec import Struct", "from msgspec import Raw as Struct"),
    ],
)
def test_code_with_another_meaning_has_another_version(version: Version, word: str, other: str) -> None:
    assert word in CODE
    assert version.of(shot_py=CODE.replace(word, other)) != version.of(shot_py=CODE)


def test_data_changes_the_version_only_if_its_values_change(version: Version) -> None:
    first = version.of(weapons_toml=DATA)
    assert version.of(weapons_toml="[rifle]\nclose = 6 # inches\nrange = 24") == first
    assert version.of(weapons_toml=DATA.replace("24", "20")) != first
    assert version.of(armour_toml=DATA) != first


@pytest.mark.parametrize(
    ("changed", "editions"),
    [
        ("rulesets/fad/modules/pinning.py", {"fad4", "fad5"}),
        ("rulesets/shared/modules.py", {"fad4", "fad5", "fubar4"}),
        ("rulesets/fad/fad5/fire.py", {"fad5"}),
    ],
)
def test_a_version_covers_the_kernel_what_is_shared_and_the_familys_chapters_and_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str, editions: set[str]
) -> None:
    server = Path(__file__).parents[2] / "server"
    for folder in ("kernel", "rulesets"):
        copytree(server / folder, tmp_path / "server" / folder)
    monkeypatch.setattr(module, "files", lambda package: tmp_path / package.replace(".", "/"))
    families = {"fad4": "fad", "fad5": "fad", "fubar4": "fubar"}
    versions = {name: fingerprint.__wrapped__(family, name) for name, family in families.items()}
    assert versions == {name: fingerprint(family, name) for name, family in families.items()}
    with (tmp_path / "server" / changed).open("a", encoding="utf-8") as file:
        file.write("\nMORE = 1\n")
    again = {name: fingerprint.__wrapped__(family, name) for name, family in families.items()}
    assert {name for name in families if again[name] != versions[name]} == editions
