"""The interface for long work, and its simplest implementation.

A *job* is a function of a module that takes the rules first (see `RulesOf`). Its arguments and its result go to another
process and back, so they are values.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from server.kernel.ruleset import Ruleset
from server.work.slicing import Sliced, in_slices

P = ParamSpec("P")
T = TypeVar("T")

RulesOf = Callable[[str], Ruleset]
"""Returns the rules of an edition. Raises `RulesetError` if this server does not have it."""


class WorkError(Exception):
    """Long work was not done. `code` is for programs, the message is a sentence for the client that asked for it."""

    code = "internal"


class TooLong(WorkError):  # noqa: N818 - a condition
    """It took longer than it may."""

    code = "too_long"

    def __init__(self) -> None:
        super().__init__("This took the server too long. Try it with less.")


class TooMuch(WorkError):  # noqa: N818 - a condition
    """The client has used too much work lately."""

    code = "rate"

    def __init__(self) -> None:
        super().__init__(
            "The server still works on an earlier request from your address. Wait a minute, and try again."
        )


class WorkFailed(WorkError):  # noqa: N818 - a condition
    """The process has ended during the job, or the job failed."""

    def __init__(self) -> None:
        super().__init__("Something went wrong here. Try it again.")


class Finding(Exception):  # noqa: N818 - it is what a job finds out
    """A job's finding about its arguments. The caller of the job gets it unchanged, so it must survive pickling."""


class Work(Protocol):
    """Runs long work."""

    async def do(
        self, seconds: float, job: Callable[Concatenate[RulesOf, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a job in another process, within so many seconds of work. Raises `WorkError`, and the `Finding` of the job."""

    async def think(self, thought: Callable[[], T]) -> T:
        """Run a computation that needs this process, and that ends on its own, without holding up the event loop."""

    async def slices(self, sliced: Sliced[T]) -> T:
        """Run work that pauses now and then, in this process. Raises `WorkError`."""


class AtOnce:
    """Runs everything at once: for tests, and for commands without other users.

    Args:
        rules_of: the editions.
    """

    def __init__(self, rules_of: RulesOf) -> None:
        self._rules_of = rules_of

    async def do(
        self,
        seconds: float,  # noqa: ARG002 - it cannot be stopped
        job: Callable[Concatenate[RulesOf, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run a job."""
        return job(self._rules_of, *args, **kwargs)

    async def think(self, thought: Callable[[], T]) -> T:
        """Run it."""
        return thought()

    async def slices(self, sliced: Sliced[T]) -> T:
        """Run it, and yield to the event loop at each pause."""
        return await in_slices(sliced)


ASKING: ContextVar[str] = ContextVar("asking", default="")
"""The address that the current task works for; "" for the server itself."""
