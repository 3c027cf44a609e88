"""The event loop that `underfire serve` runs on, for the floors too."""

from server.commands.serve import _loop_factory as new_loop

__all__ = ["new_loop"]
