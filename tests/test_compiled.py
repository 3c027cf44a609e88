"""The compiled form of the rules: it is used only where it is that of the sources, and gives the same games to the last bit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from server import compiled
from tests.support.compiling import ROOT, script, script_that_can_compile

COUNTING = "tests/rulesets/fad4/test_falling_back.py"


def run(form: str, *arguments: str, root: Path = ROOT) -> str:
    """What a process prints that runs in this form (`off`, or `on` for compiled), with the packages in this folder."""
    environment = {**os.environ, compiled.SWITCH: form, "PYTHONPATH": str(root)}
    ran = subprocess.run(
        [sys.executable, *arguments], cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def both_forms() -> None:
    """Compiles what is not, or has been edited since; skips where that cannot be done."""
    script_that_can_compile()
    said = run("off", "scripts/compile.py")
    assert compiled.usable(compiled.FOLDER, ROOT), said


# --- when it is used ------------------------------------------------------------------------------------------------


@pytest.fixture
def laid_down(tmp_path: Path) -> Path:
    """A folder with a compiled form of one source."""
    (tmp_path / "source.py").write_text("x = 1\n")
    manifest = {
        "suffix": sysconfig.get_config_var("EXT_SUFFIX"),
        "modules": {"module": "module.so"},
        "sources": {"source.py": compiled.digest(tmp_path / "source.py")},
    }
    (tmp_path / compiled.MANIFEST).write_text(json.dumps(manifest))
    return tmp_path


def test_a_form_of_these_sources_is_usable(laid_down: Path) -> None:
    assert compiled.usable(laid_down, laid_down) == {"module": laid_down / "module.so"}


def test_a_form_of_an_edited_source_is_refused_and_the_source_named(laid_down: Path) -> None:
    (laid_down / "source.py").write_text("x = 2\n")
    with pytest.raises(compiled.UnusableError, match=r"source\.py has changed") as refused:
        compiled.usable(laid_down, laid_down)
    assert not refused.value.expected


def test_a_form_for_another_python_is_refused(laid_down: Path) -> None:
    manifest = json.loads((laid_down / compiled.MANIFEST).read_text())
    (laid_down / compiled.MANIFEST).write_text(json.dumps({**manifest, "suffix": ".other.so"}))
    with pytest.raises(compiled.UnusableError, match="another Python"):
        compiled.usable(laid_down, laid_down)


def test_no_form_is_no_reason_for_a_warning(tmp_path: Path) -> None:
    with pytest.raises(compiled.UnusableError) as refused:
        compiled.usable(tmp_path, tmp_path)
    assert refused.value.expected


def test_a_library_that_cannot_be_loaded_is_refused_and_its_modules_are_not_found(tmp_path: Path) -> None:
    (tmp_path / "library.so").write_bytes(b"of another machine")
    finders = list(sys.meta_path)
    with pytest.raises(compiled.UnusableError, match="cannot be loaded"):
        compiled.load({"underfire_test_library": tmp_path / "library.so"}, "underfire_test_library")
    assert sys.meta_path == finders


@pytest.mark.usefixtures("both_forms")
def test_each_listed_module_is_compiled_and_the_switch_runs_its_source() -> None:
    modules = script().MODULES
    files = f"import importlib; [print(importlib.import_module(name).__file__) for name in {modules}]"
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    assert all(line.endswith(suffix) for line in run("on", "-c", files).split())
    assert all(line.endswith(".py") for line in run("off", "-c", files).split())


@pytest.mark.usefixtures("both_forms")
def test_what_is_compiled_depends_on_the_modules_whose_types_it_uses() -> None:
    sources = json.loads((compiled.FOLDER / compiled.MANIFEST).read_text())["sources"]
    assert "server/kernel/space/geometry.py" in sources
    assert "server/kernel/space/terrain.py" in sources, "its types are compiled in, although it is not"


@pytest.mark.usefixtures("both_forms")
def test_a_wheel_carries_the_compiled_form_and_belongs_to_this_platform(tmp_path: Path) -> None:
    if not (ROOT / "web_client" / "dist" / "index.html").is_file():
        pytest.skip("a wheel needs the built web client: `make build` builds it")
    run("on", "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path))
    (wheel,) = tmp_path.glob("*.whl")
    assert not wheel.name.endswith("-none-any.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    where = "from server.kernel.space import geometry; print(geometry.__file__)"
    said = run("on", "-c", where, root=tmp_path / "installed")
    assert Path(said.strip()).is_relative_to(tmp_path / "installed" / "server" / "_compiled")


# --- the same bits --------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("both_forms")
def test_both_forms_measure_and_play_the_same_to_the_last_bit() -> None:
    first, second = (run(form, "-m", "tests.support.both_forms").splitlines() for form in ("on", "off"))
    assert (first[0], second[0]) == ("compiled", "uncompiled")
    assert len(first) > 3
    assert first[1:] == second[1:]


@pytest.mark.usefixtures("both_forms")
def test_the_geometry_passes_its_tests_in_the_other_form_too() -> None:
    """The vectors and properties, and what counts calls, which a compiled module makes without asking; this run has them in the
    form that it has itself.
    """
    other = "on" if compiled.WHY_NOT else "off"
    tests = ["tests/kernel/space", "tests/kernel/finding", "tests/rulesets/test_fingerprint.py", COUNTING]
    said = run(other, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests)
    assert " passed" in said
    assert "failed" not in said
