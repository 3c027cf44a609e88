"""Servers as child processes that tell what they have used: a line of words in, a line of JSON out."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.benchmarks import cores

Command = Callable[[list[str]], Awaitable[dict[str, Any]]]


def tell(**figures: object) -> None:
    """In a child: say something to the parent."""
    print(json.dumps(figures), flush=True)


async def obey(port: int, command: Command | None = None) -> None:
    """In a child: say where it listens, and do what the parent says until it hangs up.

    Args:
        port: where it listens; 0 if it does not.
        command: does what is no word of ours.
    """
    tell(port=port)
    while words := (await asyncio.to_thread(sys.stdin.readline)).split():
        if words[0] == "used":
            tell(cpu=time.process_time())
        elif words[0] == "held":
            gc.collect()
            tell(bytes=cores.resident())
        elif command is not None:
            tell(**await command(words))


class Child:
    """In the parent: a server in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.port = int(self._answer()["port"])

    def ask(self, *words: object) -> dict[str, Any]:
        assert self._process.stdin is not None
        print(*words, file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        told = self._process.stdout.readline()
        assert told, f"{self._process.args!r} has ended"
        answer: dict[str, Any] = json.loads(told)
        return answer

    @property
    def cpu(self) -> float:
        """The processor time it has used, in seconds."""
        return float(self.ask("used")["cpu"])

    @property
    def held(self) -> int:
        """The memory it holds, in bytes."""
        return int(self.ask("held")["bytes"])


@contextmanager
def child(module: str, *arguments: object, environment: Mapping[str, str] | None = None) -> Iterator[Child]:
    """A module of this package as a server in a process of its own, until the block is left. `environment` is added to ours."""
    command = [sys.executable, "-m", f"tests.benchmarks.{module}", *map(str, arguments)]
    variables = {**os.environ, **(environment or {})}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=variables) as process:
        try:
            yield Child(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
