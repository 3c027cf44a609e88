"""The compiled form of the modules in which the rules spend their time: when it is used, and why when it is not.

`scripts/compile.py` compiles them with mypyc into `server/_compiled`, which is on no import path: an import finder names its
files only while every source from which they were made is as it was then. So an edited source is never shadowed by what was
compiled before, and Python runs it as it stands. Both forms give the same bits; the compiled one is faster.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import logging
import os
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parent.parent
FOLDER = Path(__file__).parent / "_compiled"
MANIFEST = "manifest.json"
LIBRARY = "underfire__mypyc"
"""The library that holds the code of all compiled modules."""
SWITCH = "UNDERFIRE_COMPILED"

_log = logging.getLogger(__name__)


class UnusableError(Exception):
    """The compiled form is not used; the message is a sentence that says why. `expected` when that needs no warning."""

    def __init__(self, why: str, *, expected: bool = False) -> None:
        super().__init__(why)
        self.expected = expected


class Finder(MetaPathFinder):
    """Finds the compiled modules.

    Args:
        files: the file of each module, by its full name.
    """

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._files = files

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002 - each module has one file
        target: ModuleType | None = None,  # noqa: ARG002 - the same
    ) -> ModuleSpec | None:
        file = self._files.get(fullname)
        if file is None:
            return None
        return spec_from_file_location(fullname, file, loader=ExtensionFileLoader(fullname, str(file)))


def digest(file: Path) -> str:
    """Return the SHA-256 of a source, in hexadecimal."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def usable(folder: Path, root: Path) -> dict[str, Path]:
    """Return the files of the compiled modules in `folder`, by the modules' names.

    Args:
        folder: where `scripts/compile.py` has put them.
        root: the folder that holds the packages of which they were made.

    Raises:
        UnusableError: there are none, or they are not those of this Python and these sources.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UnusableError("it was not compiled when this was installed.", expected=True) from None
    if manifest["suffix"] != sysconfig.get_config_var("EXT_SUFFIX"):
        raise UnusableError("it was compiled for another Python. `make compiled` compiles it for this one.")
    for source, was in manifest["sources"].items():
        if not (root / source).is_file() or digest(root / source) != was:
            raise UnusableError(f"{source} has changed since. `make compiled` compiles it again.")
    return {name: folder / file for name, file in manifest["modules"].items()}


def use() -> str:
    """Let the compiled modules be imported in place of their sources, if they can be. Must be called before any of them is
    imported.

    Returns:
        Why they are not used, as the second part of a sentence; empty when they are.
    """
    if os.environ.get(SWITCH, "").lower() in {"0", "off"}:
        return f"{SWITCH} says so."
    try:
        load(usable(FOLDER, ROOT))
    except UnusableError as reason:
        # A log of JSON begins when the settings are read; what a server prints says this, too.
        if not reason.expected and os.environ.get("UNDERFIRE_LOG_FORMAT", "").lower() != "json":
            _log.warning("The rules' inner loops run uncompiled: %s", reason)
        return str(reason)
    return ""


def load(files: Mapping[str, Path], library: str = LIBRARY) -> None:
    """Find modules in these files from now on.

    Args:
        files: the file of each module, by its full name.
        library: the one among them that holds their code.

    Raises:
        UnusableError: this machine cannot load the library.
    """
    finder = Finder(files)
    sys.meta_path.insert(0, finder)
    try:
        importlib.import_module(library)
    except ImportError as error:
        sys.meta_path.remove(finder)
        raise UnusableError(f"the compiled form cannot be loaded ({error}).") from None


WHY_NOT = use()
"""Why the compiled modules are not used; empty when they are."""
