"""The compiler of the rules' inner loops, for tests that need it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def script() -> ModuleType:
    """`scripts/compile.py`, which is no part of a package."""
    spec = importlib.util.spec_from_file_location("scripts_compile", ROOT / "scripts" / "compile.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def script_that_can_compile() -> ModuleType:
    """The same; skips the test where mypy or a C compiler is missing."""
    found = script()
    why_not = found.missing()
    if why_not:
        pytest.skip(f"nothing can be compiled here: {why_not}")
    return found
