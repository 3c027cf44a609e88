"""Report at the end of a run which rules no random game of an edition touched."""

from __future__ import annotations

import pytest

UNTOUCHED: pytest.StashKey[dict[str, list[str]]] = pytest.StashKey()


@pytest.fixture
def untouched(request: pytest.FixtureRequest) -> dict[str, list[str]]:
    """The rules that no game of an edition touched, noted by a test for the end of the run."""
    return request.config.stash.setdefault(UNTOUCHED, {})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for name, rules in config.stash.get(UNTOUCHED, {}).items():
        terminalreporter.write_line(f"{name}: rules that no random game touched: {', '.join(rules) or 'none'}")
