"""Compiles the modules in which the rules spend their time, with mypyc, into `server/_compiled`.

Does nothing when that is up to date. Where a compiler is missing, or refuses, one line says so and the sources are run as they
stand (`server/compiled.py`): this never fails what called it. The output of a compiler that refuses is printed with `--verbose`.
"""

from __future__ import annotations

import argparse
import ast
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
if __name__ == "__main__":
    os.environ["UNDERFIRE_COMPILED"] = "off"  # what is out of date is about to be made again, and needs no warning

from server import compiled  # noqa: E402 - found on the path that was just set

MODULES = (
    "server.kernel.attaching",
    "server.kernel.belief",
    "server.kernel.bodies",
    "server.kernel.consulted",
    "server.kernel.differences",
    "server.kernel.march",
    "server.kernel.memory",
    "server.kernel.procedure",
    "server.kernel.questions",
    "server.kernel.standing",
    "server.kernel.traits",
    "server.kernel.views",
    "server.kernel.answers.check",
    "server.kernel.answers.paths",
    "server.kernel.answers.placements",
    "server.kernel.answers.points",
    "server.kernel.finding.closing_up",
    "server.kernel.finding.destinations",
    "server.kernel.finding.formation",
    "server.kernel.finding.free_places",
    "server.kernel.finding.ground",
    "server.kernel.finding.reach",
    "server.kernel.finding.walks",
    "server.kernel.finding.wayfinding",
    "server.kernel.finding.waypoints",
    "server.kernel.space.areas",
    "server.kernel.space.costs",
    "server.kernel.space.driving",
    "server.kernel.space.geometry",
    "server.kernel.space.hulls",
    "server.kernel.space.lines",
    "server.kernel.space.obstacles",
    "server.kernel.space.paths",
    "server.kernel.space.pieces",
    "server.kernel.space.plain",
    "server.kernel.space.screens",
    "server.kernel.space.sight",
    "server.kernel.space.walking",
    "server.rulesets.fad.activation",
    "server.rulesets.fad.arms",
    "server.rulesets.fad.attached",
    "server.rulesets.fad.bots",
    "server.rulesets.fad.buildings",
    "server.rulesets.fad.cards",
    "server.rulesets.fad.charge",
    "server.rulesets.fad.command",
    "server.rulesets.fad.commanders",
    "server.rulesets.fad.cover",
    "server.rulesets.fad.damage",
    "server.rulesets.fad.drawn_together",
    "server.rulesets.fad.falling_back",
    "server.rulesets.fad.fire_priority",
    "server.rulesets.fad.firing",
    "server.rulesets.fad.game",
    "server.rulesets.fad.given_fire",
    "server.rulesets.fad.going",
    "server.rulesets.fad.ground",
    "server.rulesets.fad.lines_of_fire",
    "server.rulesets.fad.machines",
    "server.rulesets.fad.mixed_arms",
    "server.rulesets.fad.morale",
    "server.rulesets.fad.movement",
    "server.rulesets.fad.plasma_cooler",
    "server.rulesets.fad.played",
    "server.rulesets.fad.quality",
    "server.rulesets.fad.reaction",
    "server.rulesets.fad.shooting",
    "server.rulesets.fad.shot",
    "server.rulesets.fad.sights",
    "server.rulesets.fad.special_cards",
    "server.rulesets.fad.travel",
    "server.rulesets.fad.turn",
    "server.rulesets.fad.victory",
    "server.rulesets.fad.fad4.fire",
    "server.rulesets.fad.fad4.morale",
    "server.rulesets.fad.fad5.fire",
    "server.rulesets.fad.fad5.morale",
    "server.rulesets.fad.fad5.openings",
    "server.rulesets.fad.modules.weapon_traits",
    "server.rulesets.fad.vehicles.driving",
    "server.rulesets.fad.vehicles.embarking",
    "server.rulesets.fad.vehicles.fire_control",
    "server.rulesets.fad.vehicles.firing",
    "server.rulesets.fad.vehicles.squads",
    "server.rulesets.fad.vehicles.transport",
    "server.rulesets.fad.words.cards",
    "server.rulesets.fad.words.narration",
    "server.rulesets.fubar.actions",
    "server.rulesets.fubar.activation",
    "server.rulesets.fubar.aim",
    "server.rulesets.fubar.assault",
    "server.rulesets.fubar.coherency",
    "server.rulesets.fubar.combat",
    "server.rulesets.fubar.cover",
    "server.rulesets.fubar.fire",
    "server.rulesets.fubar.game",
    "server.rulesets.fubar.guns",
    "server.rulesets.fubar.movement",
    "server.rulesets.fubar.reaction",
    "server.rulesets.fubar.saves",
    "server.rulesets.fubar.sights",
    "server.rulesets.fubar.turn",
    "server.rulesets.fubar.victory",
    "server.rulesets.fubar.words.cards",
    "server.rulesets.fubar.words.narration",
    "server.rulesets.shared.boarding",
    "server.rulesets.shared.distances",
    "server.rulesets.shared.keys",
    "server.rulesets.shared.objectives",
    "server.rulesets.shared.played",
    "server.rulesets.shared.rules",
    "server.rulesets.shared.targets",
    "server.rulesets.shared.turns",
    "server.rulesets.shared.untangling",
    "server.rulesets.shared.ways",
    "server.rulesets.shared.setup.berths",
    "server.rulesets.shared.setup.deployment",
)
"""What is compiled: arithmetic and look-ups that are called often, the rules objects, and the chapters through which every turn
goes. No test can replace a function that is called within these. A struct in a listed module has the base
`server.kernel.structs.Fixed`, since mypyc drops what a class is declared with; its fields' types are lost too, so that it is
never decoded.
"""
EXACT = ("-ffp-contract=off",)
"""Multiplying and adding in one step, where the processor can, would round once and Python rounds twice."""
FIELDS = Path(__file__).with_name("fields.h")
"""Reads the fields of structs at their place; for GCC and Clang."""
OWN = ("server", "client_protocol")
"""The project's own packages."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Compile what has changed, and say in one line what was done."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--into", type=Path, default=compiled.FOLDER, help="the folder to write (server/_compiled)")
    parser.add_argument("--verbose", action="store_true", help="print what the compilers say")
    parser.add_argument("--build-in", type=Path, help=argparse.SUPPRESS)
    flags = parser.parse_args(arguments)
    if flags.build_in is not None:
        _build(flags.build_in)
        return
    if _up_to_date(flags.into):
        return
    why_not = missing()
    if not why_not:
        print("Compiling the rules' inner loops, which takes one to three minutes ...", flush=True)
        why_not = _compile(flags.into, verbose=flags.verbose)
    if why_not:
        # What is out of date would be refused, and each start would say so.
        shutil.rmtree(flags.into, ignore_errors=True)
        print(f"The rules' inner loops are not compiled, so that the rules are slower: {why_not}")


def _recipe() -> str:
    """Return what, apart from the sources, decides what comes out."""
    return f"{compiled.digest(Path(__file__))} {compiled.digest(FIELDS)} {_version('mypy')}"


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _up_to_date(folder: Path) -> bool:
    try:
        compiled.usable(folder, ROOT)
    except compiled.UnusableError:
        return False
    return bool(json.loads((folder / compiled.MANIFEST).read_text(encoding="utf-8"))["recipe"] == _recipe())


def missing() -> str:
    """Return what is missing for compiling, as the second part of a sentence; empty when nothing is."""
    if not _version("mypy") or not _version("setuptools"):
        return "mypy and setuptools are not installed."
    if os.name == "posix":
        compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
        if shutil.which(compiler) is None:
            return f"there is no C compiler ({compiler})."
        if not Path(sysconfig.get_path("include"), "Python.h").is_file():
            return "there is no Python.h (Debian, Ubuntu: the package python3-dev)."
    return ""


def _compile(into: Path, *, verbose: bool) -> str:
    """Compile into a folder; return why that failed, as the second part of a sentence, or nothing."""
    with tempfile.TemporaryDirectory(prefix="underfire-compile-") as scratch:
        # A process of its own, since compilers write to its outputs directly.
        command = [sys.executable, str(Path(__file__)), "--build-in", scratch]
        ran = subprocess.run(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        if verbose:
            print(ran.stdout)
        if ran.returncode != 0:
            return "it could not be compiled. `scripts/compile.py --verbose` shows why."
        built = Path(scratch, "built")
        names = {*MODULES, compiled.LIBRARY}
        suffix = sysconfig.get_config_var("EXT_SUFFIX")
        manifest = {
            "suffix": suffix,
            "recipe": _recipe(),
            "modules": {name: f"{name.replace('.', '/')}{suffix}" for name in sorted(names)},
            "sources": {source: compiled.digest(ROOT / source) for source in sorted(_sources(MODULES))},
        }
        (built / compiled.MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        # It appears all at once: servers may start meanwhile.
        new = into.with_name(f"{into.name}.new")
        shutil.rmtree(new, ignore_errors=True)
        shutil.copytree(built, new)
        shutil.rmtree(into, ignore_errors=True)
        new.rename(into)
    return ""


def _build(scratch: Path) -> None:
    """Run mypyc and the C compiler in a scratch folder; raises or exits when one of them refuses."""
    from mypyc.build import mypycify  # noqa: PLC0415 - not installed everywhere
    from setuptools import Distribution  # noqa: PLC0415

    paths = [str(_file(module).relative_to(ROOT)) for module in MODULES]
    extensions = mypycify(
        ["--config-file=", "--ignore-missing-imports", f"--cache-dir={scratch / 'cache'}", *paths],
        group_name=compiled.LIBRARY.removesuffix("__mypyc"),
        target_dir=str(scratch / "c"),
        debug_level="0",
        # One C file a module, for all cores; what the highest level gains cannot be measured, and what it costs can.
        multi_file=True,
        opt_level="2",
    )
    for extension in extensions:
        if os.name == "posix":
            extension.extra_compile_args = [*extension.extra_compile_args, *EXACT, "-include", str(FIELDS)]
    build = Distribution({"ext_modules": extensions}).get_command_obj("build_ext")
    assert build is not None, "setuptools has this command"
    build.build_lib, build.build_temp = str(scratch / "built"), str(scratch / "objects")
    build.ensure_finalized()
    build.build_extensions = partial(_on_all_cores, build, build.build_extensions)
    build.run()


def _on_all_cores(build: Any, build_extensions: Callable[[], None]) -> None:  # noqa: ANN401 - setuptools has no types
    """Compile each C file by itself, as many at once as there are cores: setuptools compiles those of a library in turn."""
    compile_in_turn = build.compiler.compile

    def compile_at_once(sources: Sequence[str], **flags: object) -> list[str]:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            made = pool.map(lambda source: compile_in_turn([source], **flags), sources)
            return [one for objects in made for one in objects]

    build.compiler.compile = compile_at_once
    build_extensions()


def _sources(modules: Iterable[str]) -> set[str]:
    """Return the files whose meaning the compiled code depends on: of these modules and, since their types count, of the
    project's modules that they import.
    """
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        file = _file(waiting.pop())
        source = file.relative_to(ROOT).as_posix()
        if file.is_file() and source not in found:
            found.add(source)
            tree = ast.walk(ast.parse(file.read_bytes()))
            for node in tree:
                if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in OWN:
                    waiting += [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
    return found


def _file(module: str) -> Path:
    return ROOT / f"{module.replace('.', '/')}.py"


if __name__ == "__main__":
    main()
