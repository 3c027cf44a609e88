"""The exception by which a check of a match file reports its finding."""

from __future__ import annotations


class Wrong(Exception):  # noqa: N818 - it is a finding
    """The first fault that was found. `entry` is counted from 1 (0: the file around the entries); `stream` and `die` name the
    die, if there is one (-1: none).
    """

    def __init__(self, entry: int, what: str, stream: str = "", die: int = -1) -> None:
        where = f"entry {entry}" if entry else "the file"
        if die >= 0:
            where += f", die {die}" + (f" of stream {stream}" if stream else "")
        super().__init__(f"{where}: {what}")
        self.entry = entry
        self.what = what
        self.stream = stream
        self.die = die
