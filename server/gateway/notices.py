"""The license and the notice, as installed with the server: the same text in the package, the checkout and the browser."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

NOTICES = {"/license.txt": "LICENSE", "/notice.txt": "NOTICE"}
"""The file for each path of the site."""


def notice(path: str) -> bytes | None:
    """Return the text at a path of the site, or None."""
    name = NOTICES.get(path)
    # Strangers ask for any path: only what there is may be remembered.
    return None if name is None else _text(name)


@cache
def _text(name: str) -> bytes | None:
    checkout = Path(__file__).parents[2]
    if (checkout / "pyproject.toml").is_file():
        return (checkout / name).read_bytes()
    try:
        text = distribution("underfire").read_text(f"licenses/{name}")
    except PackageNotFoundError:
        return None
    return None if text is None else text.encode()
