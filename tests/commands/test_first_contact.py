"""What a newcomer types first, and what is mistyped: an answer in a sentence, never an error number or a traceback."""

from __future__ import annotations

import asyncio
import errno
import re
import socket
from functools import partial
from pathlib import Path

import pytest

from server import app
from server.cli import main
from server.complaints import complaint
from server.config import Settings
from server.matches.log.match_file import export
from server.rulesets import library
from server.store.embedded import EmbeddedValkey
from server.store.errors import StoreUnavailable
from server.store.store import MatchStore
from tests.support.playing import press_on, whole
from tests.support.toy_rules import ToyRules
from tests.support.valkey import IMPATIENT

READERS = [("reports",), ("export", "m1", "out.underfire")]
"""The commands that only read what a server has kept."""
UNTIDY = re.compile(r"Traceback|Errno|Error \d|errno")


class Run:
    """Runs the command and keeps what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.out = ""

    def __call__(self, *words: object) -> tuple[int, str]:
        code = main([str(word) for word in words])
        self.out, error = self._capsys.readouterr()
        assert not UNTIDY.search(error), error
        return code, error.removeprefix("underfire: ").rstrip()


def made(name: str) -> Path:
    """The path of this name; the folder above it is there."""
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """The command, in a folder of its own, where no setting is made."""
    monkeypatch.chdir(tmp_path)
    for name in ("UNDERFIRE_DATA_DIR", "UNDERFIRE_REDIS_URL", "UNDERFIRE_HOST", "UNDERFIRE_PORT"):
        monkeypatch.delenv(name, raising=False)
    return Run(capsys)


def test_without_a_command_the_help_is_shown(run: Run) -> None:
    assert run() == (0, "")
    assert run.out.startswith("usage: underfire")
    assert "start a server and print its address" in run.out


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"Underfire {app.software_version()}\n"


@pytest.mark.parametrize("words", READERS, ids=lambda words: words[0])
def test_a_mistyped_data_folder_is_not_made(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    code, error = run(*words, "--data-dir", "[/tpyo]")
    assert code == 1
    assert error.startswith(f"No data of an Underfire server lies in {tmp_path}/[/tpyo]. ")
    assert list(tmp_path.iterdir()) == []
    code, error = run(*words, "--data-dir", tmp_path)
    assert (code, "No data of an Underfire server lies in" in error) == (1, True)
    assert list(tmp_path.iterdir()) == []


def test_a_mistyped_data_folder_of_a_database_of_ones_own_is_not_made(run: Run, tmp_path: Path) -> None:
    code, error = run("export", "m1", "out", "--data-dir", "tpyo", "--redis-url", "redis://127.0.0.1:1/0")
    assert (code, error[:50]) == (1, f"No data of an Underfire server lies in {tmp_path}/tpyo."[:50])
    assert list(tmp_path.iterdir()) == []


def test_a_match_taken_into_a_new_folder_says_that_it_is_new(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(library.EDITIONS, "toy", lambda _name: ToyRules())
    Path("match.underfire").write_bytes(export(whole(ToyRules(), press_on).entries))
    new = (0, f"No data of an Underfire server lay in {tmp_path}/d7 before; a new database was made there.")
    assert run("import", "match.underfire", "--data-dir", "d7") == new
    assert run("reports", "--data-dir", "d7") == (0, "")
    made("[/abc]")
    assert run("export", "m1", "[/abc].underfire", "--data-dir", "d7") == (0, "")
    assert run.out.startswith("[/abc].underfire: ")
    assert run("verify", "[/abc].underfire") == (0, "")


def test_a_match_file_with_brackets_in_it_is_found_wrong_in_words(run: Run) -> None:
    made("[/abc]").write_bytes(b"\x81\xa6[/abc]\x01")
    for command in ("verify", "import", "replay"):
        code, error = run(command, "[/abc]")
        assert (code, "unknown field `[/abc]`" in run.out + error) == (1, True)


def test_a_relative_data_folder_is_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async def start() -> None:
        async with EmbeddedValkey(Path("d7")) as valkey:
            assert valkey.pid()

    monkeypatch.chdir(tmp_path)
    asyncio.run(start())
    assert {path.name for path in tmp_path.iterdir()} == {"d7"}
    assert (tmp_path / "d7" / "appendonlydir").is_dir()


FILES = ("verify", "import", "replay", "resolve", "validate")


@pytest.mark.parametrize("command", FILES)
def test_a_path_that_is_no_file_is_refused_with_a_sentence(run: Run, command: str) -> None:
    made("[/folder]").mkdir()
    Path("file").touch()
    assert run(command, "[/abc]") == (1, "There is no file or folder [/abc]. Check the name.")
    assert run(command, "no/[/abc]") == (1, "There is no folder no/[. Check the name.")
    assert run(command, "[/folder]") == (1, "[/folder] is a folder, and a file is needed.")
    assert run(command, "file/x") == (1, "file is a file, and a folder is needed.")


def test_a_case_file_that_is_no_text_is_refused(run: Run) -> None:
    made("[/case]").write_bytes(b"\xff\xfe")
    assert run("resolve", "[/case]") == (1, "[/case] is not a text in UTF-8: cases and setups are TOML or JSON")


def test_a_data_folder_that_cannot_be_one_is_refused(run: Run, tmp_path: Path) -> None:
    Path("file").touch()
    for folder in ("file", "file/below/it"):
        sentence = (
            f"Matches cannot be kept in {tmp_path}/{folder}. {tmp_path}/file is a file, and a folder is needed. Name a folder "
            "of your own with --data-dir or UNDERFIRE_DATA_DIR."
        )
        assert run("serve", "--port", "0", "--data-dir", folder) == (1, sentence)
    code, error = run("serve", "--data-dir", "~no-such-user-here/x")
    assert (code, "in the home of a user who does not exist" in error) == (1, True)
    code, error = run("serve", "--data-dir", "\udcff")
    assert (code, "is not a text in UTF-8: '\\udcff'" in error) == (1, True)


def test_a_user_without_a_home_is_told_to_name_a_data_folder(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    code, error = run("serve", "--port", "0")
    assert (code, error[:28]) == (1, "This user has no home folder")


def test_a_port_that_is_taken_is_reported_in_a_sentence(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    Path("m").write_bytes(export(whole(ToyRules(), press_on).entries))
    monkeypatch.setitem(library.EDITIONS, "toy", lambda _name: ToyRules())
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for words in (("serve", "--data-dir", tmp_path), ("replay", "m")):
            code, error = run(*words, "--port", port)
            assert (code, error.partition(":")[0]) == (1, f"Port {port} is taken")
            assert "--port" in error


def test_a_port_that_is_no_number_in_range_is_refused(run: Run) -> None:
    Path("m").touch()
    for words in (("serve",), ("replay", "m")):
        for port in ("99999", "[/x]"):
            assert run(*words, "--port", port) == (1, f"The port must be a number from 0 to 65535, not '{port}'.")


@pytest.mark.parametrize(
    "url", ["redis://[x", "redis://localhost:99999", "redis://localhost/0?bogus=1", "redis://localhost/0?db=x"]
)
def test_a_database_address_that_is_none_is_refused(run: Run, url: str) -> None:
    code, error = run("reports", "--redis-url", url)
    assert (code, error.partition(".")[0]) == (1, "The database's address cannot be read")


async def test_an_unreachable_database_is_reported_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MatchStore", partial(MatchStore, wait_seconds=IMPATIENT))
    with pytest.raises(StoreUnavailable) as refused:
        async with app.database(Settings(redis_url="redis://127.0.0.1:1/0")):
            pass
    assert re.match(
        r"Redis does not answer: no connection to 127\.0\.0\.1:1: .*UNDERFIRE_REDIS_URL\?$", str(refused.value)
    )
    assert not UNTIDY.search(str(refused.value))


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (errno.EACCES, "This user may not use /d/[/x]: its permissions or its owner forbid it."),
        (errno.EROFS, "/d/[/x] is on a disk that cannot be written."),
        (errno.ENOSPC, "/d/[/x] cannot be written: the disk is full. Make room and try again."),
        (errno.EIO, "/d/[/x] cannot be used: input/output error."),
    ],
)
def test_an_error_of_the_system_is_told_in_a_sentence(number: int, sentence: str) -> None:
    assert complaint(OSError(number, "whatever", "/d/[/x]")) == sentence


def test_a_refusal_without_a_name_is_a_sentence_too() -> None:
    assert complaint(OSError(errno.EMFILE, "x")) == "The operating system refused: too many open files."
    assert complaint(ValueError("As it is.")) == "As it is."
