"""The license and the notice, as they are installed with the server: one text for the package, the checkout and the browser."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

NOTICES = {"/license.txt": "LICENSE", "/notice.txt": "NOTICE"}
"""Which file stands at which path of the site."""


@cache
def notice(path: str) -> bytes | None:
    """The text at a path of the site; None when there is none."""
    name = NOTICES.get(path)
    if name is None:
        return None
    checkout = Path(__file__).parents[2]
    if (checkout / "pyproject.toml").is_file():
        return (checkout / name).read_bytes()
    try:
        text = distribution("underfire").read_text(f"licenses/{name}")
    except PackageNotFoundError:
        return None
    return None if text is None else text.encode()
