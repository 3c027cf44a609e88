"""Errors as sentences that say what to do, never as an error number of the operating system."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def complaint(error: Exception) -> str:
    """Return the sentence for an error that ends a command."""
    if isinstance(error, OSError) and error.errno is not None:
        return _system(error)
    return str(error)


def _system(error: OSError) -> str:
    """Return what the operating system refused, about the file that it names."""
    name = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else str(error.filename or "")
    if not name:
        return f"The operating system refused: {reason(error)}."
    match error.errno:
        case errno.ENOENT:
            folder = Path(name).parent
            what = f"file or folder {name}" if folder.exists() else f"folder {folder}"
            return f"There is no {what}. Check the name."
        case errno.EISDIR:
            return f"{name} is a folder, and a file is needed."
        case errno.ENOTDIR | errno.EEXIST:
            return f"{_deepest(Path(name))} is a file, and a folder is needed."
        case errno.EACCES | errno.EPERM:
            return f"This user may not use {name}: its permissions or its owner forbid it."
        case errno.EROFS:
            return f"{name} is on a disk that cannot be written."
        case errno.ENOSPC | errno.EDQUOT:
            return f"{name} cannot be written: the disk is full. Make room and try again."
    return f"{name} cannot be used: {reason(error)}."


def _deepest(path: Path) -> Path:
    """Return the path, or the deepest of its parent folders that exists."""
    while not os.path.lexists(path) and path != path.parent:
        path = path.parent
    return path


def reason(error: OSError) -> str:
    """Return the operating system's message without its number."""
    said = os.strerror(error.errno) if error.errno is not None and error.errno > 0 else error.strerror or str(error)
    return said[:1].lower() + said[1:]
