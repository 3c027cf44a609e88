"""How long work is asked for, and for whom; and the simplest way to do it.

A *job* is a function of a module that takes the rules first (see `RulesOf`). Its arguments and its result go to another process
and back, so they are values.
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
"""The rules of an edition. Raises `RulesetError` when there is none of this id here."""


class WorkError(Exception):
    """Long work was not done. `code` is for programs, the message is a sentence for who asked."""

    code = "internal"


class TooLong(WorkError):  # noqa: N818 - a condition
    """It took longer than it may."""

    code = "too_long"

    def __init__(self) -> None:
        super().__init__("This takes the server too long, and was given up. Try it with less.")


class TooMuch(WorkError):  # noqa: N818 - a condition
    """Whoever asks has asked for much already."""

    code = "rate"

    def __init__(self) -> None:
        super().__init__("The server works on what was asked from your address already. Wait a minute, and try again.")


class WorkFailed(WorkError):  # noqa: N818 - a condition
    """The process that did it has ended, or something went wrong in it."""

    def __init__(self) -> None:
        super().__init__("Something went wrong here. Try it again.")


class Finding(Exception):  # noqa: N818 - it is what a job finds out
    """What a job finds wrong with what it was given. Whoever asked for the job gets it as it was; pickling must keep it."""


class Work(Protocol):
    """Where long work is done."""

    async def do(
        self, seconds: float, job: Callable[Concatenate[RulesOf, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do a job in another process, within so many seconds of work. Raises `WorkError`, and the `Finding` of the job."""

    async def think(self, thought: Callable[[], T]) -> T:
        """Do something that needs what is in this process, and which ends by itself, without holding up the event loop."""

    async def slices(self, sliced: Sliced[T]) -> T:
        """Do work that pauses now and then, in this process. Raises `WorkError`."""


class AtOnce:
    """Does everything here and now: for tests, and for commands that serve nobody else.

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
        """Do a job."""
        return job(self._rules_of, *args, **kwargs)

    async def think(self, thought: Callable[[], T]) -> T:
        """Do it."""
        return thought()

    async def slices(self, sliced: Sliced[T]) -> T:
        """Do it, and let the event loop go round at each pause."""
        return await in_slices(sliced)


ASKING: ContextVar[str] = ContextVar("asking", default="")
"""The address for which the current task works; "" for the server itself."""
