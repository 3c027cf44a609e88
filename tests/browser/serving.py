"""A server process as a user starts it, for browsers to play on."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

STARTED_WITHIN = 30


def free_port() -> int:
    """A port of the loopback that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server:
    """`underfire serve` in a process of its own, on the same port and data each time it is started."""

    def __init__(self, data_dir: Path) -> None:
        self.address = f"http://127.0.0.1:{(port := free_port())}"
        # Asked for by the module, so that it is this checkout that serves, whatever is installed.
        self._command = [sys.executable, "-m", "server", "serve", "--port", str(port), "--data-dir", str(data_dir)]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        self._process = subprocess.Popen(
            self._command, stdout=subprocess.DEVNULL, env={**os.environ, "UNDERFIRE_LOG_LEVEL": "error"}
        )
        deadline = time.monotonic() + STARTED_WITHIN
        while time.monotonic() < deadline:
            assert self._process.poll() is None, "the server ended while it was starting"
            try:
                with urllib.request.urlopen(f"{self.address}/health", timeout=5):  # noqa: S310 - the loopback
                    return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.05)  # it is another process: nothing tells when it listens
        raise TimeoutError(f"no server at {self.address} after {STARTED_WITHIN} s")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it, politely or not."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(20)
            self._process = None
