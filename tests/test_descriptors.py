"""How many connections there may be, and what is kept back."""

from __future__ import annotations

from pathlib import Path

import pytest

from server import descriptors
from server.descriptors import Reserve


@pytest.mark.parametrize(
    ("files", "most"), [(64, 16), (100, 25), (256, 160), (1024, 928), (65_536, 10_000), (1 << 20, 10_000)]
)
def test_connections_stay_below_the_open_files(files: int, most: int) -> None:
    assert descriptors.connections(files, 10_000) == most
    assert most < files


@pytest.mark.parametrize(
    ("soft", "hard", "asked"),
    [(256, 4096, [(4096, 4096)]), (4096, 4096, []), (256, -1, [(1 << 20, -1)]), (-1, -1, []), (1 << 21, 1 << 22, [])],
)
def test_the_limit_is_raised_to_the_hard_one(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, asked: list[tuple[int, int]]
) -> None:
    done: list[tuple[int, int]] = []
    monkeypatch.setattr("resource.getrlimit", lambda _what: done[-1] if done else (soft, hard))
    monkeypatch.setattr("resource.setrlimit", lambda _what, limits: done.append(limits))
    descriptors.raise_limit()
    assert done == asked


def test_a_limit_that_the_system_does_not_grant_is_asked_for_lower(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def refuse(_what: int, limits: tuple[int, int]) -> None:
        tried.append(limits[0])
        if limits[0] > 10_240:
            raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr("resource.getrlimit", lambda _what: (256, -1))
    monkeypatch.setattr("resource.setrlimit", refuse)
    descriptors.raise_limit()
    assert tried == [1 << 20, 10_240]


def open_files() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def test_a_reserve_gives_what_it_holds_and_takes_it_back() -> None:
    reserve = Reserve(4)
    before = open_files()
    reserve.fill()
    reserve.fill()
    assert open_files() == before + 4
    with reserve.spent():
        assert open_files() == before
    assert open_files() == before + 4
    reserve.empty()
    assert open_files() == before
