"""Fingerprints that were worked out before: to parse all rules takes seconds, to read their files a few hundredths of one.

They are kept where Python keeps its compiled modules, and hold for exactly these files. Where nothing can be written, they are
worked out each time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Callable, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path

KEPT = Path(__file__).parent / "__pycache__" / "fingerprints.json"
MOST = 30
"""The most that are kept: those of the last ten states of the three editions."""
OWN = ("fingerprint.py", "kept_fingerprints.py")
"""The files that say how a fingerprint is worked out."""


def kept_or(paths: Sequence[Traversable], work_out: Callable[[], str], kept: Path = KEPT) -> str:
    """Return the fingerprint of some files: the one that is kept for them, or else what `work_out` returns, which is then kept.

    Args:
        paths: the files.
        work_out: works out their fingerprint.
        kept: the file of fingerprints.
    """
    digest = _digest(paths)
    found = _read(kept)
    if digest in found:
        return found[digest]
    fingerprint = work_out()
    if not sys.dont_write_bytecode:
        _write(kept, {**found, digest: fingerprint})
    return fingerprint


def _digest(paths: Sequence[Traversable]) -> str:
    """Return a hash of what the files hold, byte by byte, and of their names."""
    whole = hashlib.sha256()
    own = [Path(__file__).parent / name for name in OWN]
    for path in (*own, *sorted(paths, key=str)):
        whole.update(f"{path.name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\0".encode())
    return whole.hexdigest()


def _read(kept: Path) -> dict[str, str]:
    """Return the fingerprints that are kept, the oldest first; none where the file is missing or no such file."""
    with contextlib.suppress(OSError, ValueError):
        found = json.loads(kept.read_text(encoding="utf-8"))
        if isinstance(found, dict) and all(isinstance(value, str) for value in found.values()):
            return found
    return {}


def _write(kept: Path, fingerprints: dict[str, str]) -> None:
    last = dict(list(fingerprints.items())[-MOST:])
    # Several servers may start at once: each writes a file of its own, and the last one stays.
    written = kept.with_name(f"{kept.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        kept.parent.mkdir(exist_ok=True)
        written.write_text(json.dumps(last), encoding="utf-8")
        written.replace(kept)
