"""Match files: reading returns what was written, and other data is refused."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.codec import pack, unpack
from server.matches.log.entries import LogError, digest
from server.matches.log.match_file import MatchFile, MatchFileError, export, read, salvage
from tests.support.playing import SECRET, MatchInMemory, whole
from tests.support.toy_rules import ToyRules


@pytest.fixture(scope="module")
def entries() -> list[bytes]:
    return whole(ToyRules()).entries


def test_a_file_holds_the_entries_the_head_and_the_secret_once_it_is_published(entries: list[bytes]) -> None:
    found = read(export(entries))
    assert list(found.entries) == entries
    assert found.head == digest(entries[-1])
    assert found.secret == SECRET.hex()
    in_memory = MatchInMemory(ToyRules())
    in_memory.seat_all()
    assert read(export(in_memory.entries)).secret == ""


def test_bytes_that_are_no_log_are_not_exported(entries: list[bytes]) -> None:
    with pytest.raises(LogError):
        export(entries[1:])
    with pytest.raises(LogError):
        export([*entries[:3], *entries[4:]])


@pytest.mark.parametrize(
    ("bad", "what"),
    [
        (b"no file", "no match file"),
        (pack({"format": "underfire match 1"}), "no match file"),
        (pack(MatchFile("underfire match 9", (), b"", "")), "underfire match 9"),
    ],
)
def test_bytes_that_are_no_match_file_are_refused_with_a_reason(bad: bytes, what: str) -> None:
    with pytest.raises(MatchFileError, match=what):
        read(bad)


def test_a_match_file_in_another_encoding_is_refused(entries: list[bytes]) -> None:
    data = export(entries)
    found = unpack(data, MatchFile)
    fields = {name: getattr(found, name) for name in ("secret", "head", "entries", "format")}
    assert unpack(pack(fields), MatchFile) == found
    with pytest.raises(MatchFileError, match="not written the way"):
        read(pack(fields))
    assert read(pack(replace(found))) == found


def test_the_entries_before_the_cut_of_a_truncated_file_are_found(entries: list[bytes]) -> None:
    data = export(entries)
    assert salvage(data) == (entries, 0)
    at = data.index(entries[7]) + 5
    assert salvage(data[:at]) == (entries[:7], 8)
    assert salvage(b"\x00" + data) == ([], 0)
