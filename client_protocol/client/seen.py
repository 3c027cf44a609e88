"""The view on the client's side: received whole once, and patched from then on."""

from __future__ import annotations

from client_protocol import codec
from client_protocol.client.merge import merge_patch
from client_protocol.view import View


class Seen:
    """The current view of a match.

    Args:
        view: the whole view; None if none was received yet.
    """

    def __init__(self, view: View | None = None) -> None:
        self._plain: object = {} if view is None else codec.plain(view)
        self._typed = view

    @property
    def view(self) -> View:
        """Return the view.

        Raises:
            client_protocol.codec.CodecError: it has the wrong type: none was received yet, or the server speaks another
                protocol.
        """
        if self._typed is None:
            self._typed = codec.typed(_filled(self._plain), View)
        return self._typed

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return isinstance(self._plain, dict) and self._plain.get("result") is not None

    def patch(self, patch: object) -> None:
        """Apply a merge patch (RFC 7396) of an update, or of a frame of a replay."""
        self._plain = merge_patch(self._plain, patch)
        self._typed = None


def _filled(plain: object) -> object:
    """Return a merged view with the nulls that a merge patch removes: a figure that is not on the table has no place."""
    units = plain.get("units", {}) if isinstance(plain, dict) else {}
    for unit in units.values():
        for figure in unit["figures"].values():
            figure.setdefault("at", None)
    return plain
