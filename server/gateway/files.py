"""The built web client, held in memory: only the files in its table can be requested."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from pathlib import Path

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}
COMPRESSIBLE = {".css", ".html", ".js", ".json", ".svg", ".txt", ".webmanifest"}
FOR_EVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"


@dataclass(frozen=True)
class File:
    """A file to serve; `packed` is its gzip form if that is smaller."""

    body: bytes
    packed: bytes | None
    content_type: str
    cache: str
    etag: str


def find_client() -> Path | None:
    """Return the folder of the built web client: in the installed package, or in the checkout; None if it is not built."""
    package = Path(__file__).parent.parent
    for candidate in (package / "web", package.parent / "web_client" / "dist"):
        if (candidate / "index.html").is_file():
            return candidate
    return None


class Files:
    """All files below a folder, by their path in a URL.

    Args:
        root: the folder of the built client, or None if there is none.
    """

    def __init__(self, root: Path | None) -> None:
        self._root = root
        self._built_at = -1
        self._files: dict[str, File] = {}
        if root is not None:
            self._refresh(root)

    def get(self, path: str) -> File | None:
        """Return the file at a URL's path (`/` is `/index.html`), or None. A client that was rebuilt is read again."""
        if self._root is None:
            return None
        if path == "/":
            path = "/index.html"
        if path == "/index.html":
            self._refresh(self._root)
        return self._files.get(path)

    def _refresh(self, root: Path) -> None:
        index = root / "index.html"
        built_at = index.stat().st_mtime_ns if index.is_file() else -1
        if built_at != self._built_at:
            self._built_at = built_at
            self._files = {
                "/" + path.relative_to(root).as_posix(): _read(path, hashed=path.parent.name == "assets")
                for path in sorted(root.rglob("*"))
                if path.is_file() and path.suffix in TYPES
            }


def _read(path: Path, *, hashed: bool) -> File:
    # The build puts a hash of the content into the names below assets/.
    return file_of(path.read_bytes(), path.suffix, FOR_EVER if hashed else ASK_AGAIN)


def file_of(body: bytes, suffix: str, cache: str = ASK_AGAIN) -> File:
    """Return a file with this content; `suffix` says of which type it is, `cache` how long it may be kept."""
    packed = gzip.compress(body, 9, mtime=0) if suffix in COMPRESSIBLE else body
    return File(
        body=body,
        packed=packed if len(packed) < len(body) else None,
        content_type=TYPES[suffix],
        cache=cache,
        etag=f'"{hashlib.sha256(body).hexdigest()[:32]}"',
    )
