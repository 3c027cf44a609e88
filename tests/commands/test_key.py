"""`underfire key`, and what `export` and `verify` do with it: the whole way of a match from a server to who doubts its file."""

from __future__ import annotations

import asyncio
import hashlib
import json
import urllib.request
from pathlib import Path

import pytest
from msgspec.structs import replace

from client_protocol.codec import pack
from server import app, config
from server.cli import main
from server.matches import signing_key
from server.matches.log.entries import digest
from server.matches.log.fold import Fold
from server.matches.log.match_file import read, written
from server.matches.signing import OtherSigner, SignerMissing
from server.matches.signing_key import SigningKey
from server.rulesets import library
from tests.support.forging import anew, played_by
from tests.support.room import begun, eventually, rooms_on
from tests.support.toy_rules import ToyRules


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy is among the editions."""
    monkeypatch.setitem(library.EDITIONS, "toy", lambda _name: ToyRules())


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """The exit code of the command, and what it prints on both ways."""
    code = main([str(word) for word in words])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def settings_of(folder: Path) -> config.Settings:
    return config.settings({"UNDERFIRE_DATA_DIR": str(folder), "UNDERFIRE_PORT": "0"})


def started(folder: Path) -> dict[str, object]:
    """What a server that is started here says of its keys."""

    async def ask() -> dict[str, object]:
        async with app.running(settings_of(folder)) as server:
            url = f"{server.address}/signers.json"
            text = await asyncio.to_thread(lambda: urllib.request.urlopen(url, timeout=10).read())  # noqa: S310 - our own
            found: dict[str, object] = json.loads(text)
            return found

    return asyncio.run(ask())


def played(folder: Path, *, over: bool = True) -> str:
    """The id of a match that is played in this folder, to its end or not."""

    async def play() -> str:
        async with app.database(settings_of(folder)) as (store, _), rooms_on(store) as rooms:
            table = await begun(rooms)
            if over:
                await table.play_out()
                await eventually(lambda: table.room.published)
            return table.room.match

    return asyncio.run(play())


def forged(file: Path, player: str, signer: SigningKey | None = None) -> None:
    """Change a player's name, and build the whole chain anew; `signer` signs that."""
    archive = read(file.read_bytes())
    made = anew(archive.entries, played_by(player))
    carried = archive.signatures
    if signer is not None:
        # As the page describes it.
        match = Fold(made[0]).opened.match
        signed = pack(["underfire match signature 1", match, 1, len(made), hashlib.sha256(made[-1]).digest()])
        [one] = archive.signatures
        carried = (replace(one, key=signer.public, head=digest(made[-1]), signature=signer.private.sign(signed)),)
    file.write_bytes(written(made, archive.secret, carried))


def test_a_match_is_signed_by_its_server_and_checked_by_who_knows_the_key(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder, file, keys = tmp_path / "data", tmp_path / "match.underfire", tmp_path / "signers.json"
    told = started(folder)
    public = str(told["current"])
    assert len(public) == 64
    assert told["older"] == []
    keys.write_text(json.dumps(told))
    match = played(folder)
    code, printed, _ = run(capsys, "export", match, file, "--data-dir", folder)
    entries = len(read(file.read_bytes()).entries)
    assert (code, printed.splitlines()[1:]) == (
        0,
        [f"Signed by {public}, whose servers wrote entries 1 to {entries}."],
    )

    head = read(file.read_bytes()).head.hex()
    code, printed, _ = run(capsys, "verify", file)
    assert code == 0
    assert f"Head: {head}\nSigned by {public}: its servers wrote entries 1 to {entries}.\n" in printed
    assert "A file cannot say whose key that is" in printed
    for key in (public, keys, public.upper()):
        code, printed, _ = run(capsys, "verify", file, "--key", key)
        assert (code, printed.splitlines()[-2:]) == (
            0,
            ["Every entry is signed by a key that you named.", "Nothing is wrong."],
        )
    early = hashlib.sha256(read(file.read_bytes()).entries[4]).hexdigest()
    code, printed, _ = run(capsys, "verify", file, "--head", head, "--head", early)
    assert code == 0
    assert f"The head {early} is that of entry 5: the file goes on from there." in printed

    # The forger keeps the signature, signs himself, or leaves it out.
    forged(file, "Eve")
    code, printed, _ = run(capsys, "verify", file)
    assert code == 1
    assert printed.startswith(f"Wrong: entry {entries}: the signature by {public} is about another entry")
    other = SigningKey.new()
    forged(file, "Mallory", other)
    code, printed, _ = run(capsys, "verify", file)
    assert code == 0
    assert f"Signed by {other.public.hex()}" in printed
    assert public not in printed
    code, printed, _ = run(capsys, "verify", file, "--key", public, "--head", head)
    assert code == 1
    assert f"Wrong: no entry has the hash {head}." in printed
    assert f"Wrong: entries 1 to {entries} are not signed by a key that you named" in printed
    assert "Nothing is wrong." not in printed
    archive = read(file.read_bytes())
    file.write_bytes(pack(replace(archive, format="underfire match 1", signatures=())))
    code, printed, _ = run(capsys, "verify", file)
    assert code == 0
    assert "Not signed: anyone can write such a file with other names, chat or a concession" in printed
    assert run(capsys, "verify", file, "--key", public)[0] == 1


def test_a_match_that_goes_on_is_signed_as_far_as_it_has_come(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder, file = tmp_path / "data", tmp_path / "match.underfire"
    public = started(folder)["current"]
    match = played(folder, over=False)
    assert run(capsys, "export", match, file, "--data-dir", folder)[0] == 0
    assert run(capsys, "verify", file, "--key", public)[0] == 0


def test_without_a_key_a_match_is_saved_all_the_same_and_why_it_is_not_signed_is_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder, file = tmp_path / "data", tmp_path / "match.underfire"
    match = played(folder)
    code, printed, _ = run(capsys, "export", match, file, "--data-dir", folder)
    assert code == 0
    assert "This server has not signed it. The servers of this database sign nothing yet." in printed
    started(folder)
    (folder / "signing.pem").chmod(0o644)
    code, printed, _ = run(capsys, "export", match, file, "--data-dir", folder)
    assert code == 0
    assert "Others on this machine may read or change" in printed


def test_a_key_is_shown_and_rotated_and_what_the_old_one_signed_stays_signed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder, file, keys = tmp_path / "data", tmp_path / "match.underfire", tmp_path / "signers.json"
    code, _, error = run(capsys, "key", "show", "--data-dir", folder)
    assert code == 1
    assert f"There is no key in {folder / 'signing.pem'} yet." in error
    first = started(folder)["current"]
    assert run(capsys, "key", "show", "--data-dir", folder)[:2] == (0, f"This deployment signs with {first}\n")
    match = played(folder)
    run(capsys, "export", match, file, "--data-dir", folder)

    old = (folder / "signing.pem").read_text()
    code, printed, _ = run(capsys, "key", "rotate", "--data-dir", folder)
    assert code == 0
    assert f"Before that it signed with {first}" in printed
    told = started(folder)
    assert told["older"] == [first]
    keys.write_text(json.dumps(told))
    assert run(capsys, "verify", file, "--key", keys)[0] == 0
    assert run(capsys, "verify", file, "--key", told["current"])[0] == 1
    run(capsys, "export", match, file, "--data-dir", folder)
    assert run(capsys, "verify", file, "--key", told["current"])[0] == 0

    # A server that is given the old file again refuses to start.
    signing_key.replace(folder / "signing.pem", signing_key.parse(old, "the old file"))
    with pytest.raises(OtherSigner, match="was replaced"):
        started(folder)


def test_a_lost_key_is_replaced_with_the_help_of_the_database(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    first = started(folder)["current"]
    code, _, error = run(capsys, "key", "rotate", "--lost", "--data-dir", folder)
    assert (code, "The key is not lost" in error) == (1, True)
    (folder / "signing.pem").unlink()
    with pytest.raises(SignerMissing, match="rotate --lost"):
        started(folder)
    assert run(capsys, "key", "rotate", "--lost", "--data-dir", folder)[0] == 0
    assert started(folder)["older"] == [first]


def test_verify_refuses_a_bad_key_or_head_with_a_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "match.underfire"
    file.write_bytes(b"x")
    code, _, error = run(capsys, "verify", file, "--head", "abc")
    assert (code, error) == (1, "underfire: A head is a hash of 64 hexadecimal digits, not 'abc'.\n")
    code, _, error = run(capsys, "verify", file, "--key", file)
    assert (code, error[:30]) == (1, f"underfire: There is no key in {file}"[:30])
    code, _, error = run(capsys, "verify", file, "--key", "abc")
    assert (code, error) == (1, "underfire: There is no file or folder abc. Check the name.\n")


def test_a_key_that_is_given_twice_is_refused() -> None:
    both = {"UNDERFIRE_SIGNING_KEY": "x", "UNDERFIRE_SIGNING_KEY_FILE": "y"}
    with pytest.raises(config.ConfigError, match="given twice"):
        config.settings(both)
    settings = config.settings({"UNDERFIRE_SIGNING_KEY": "secret"})
    assert "secret" not in repr(settings)
    assert "secret" not in repr(app.key_source(settings))


def test_where_the_key_is(tmp_path: Path) -> None:
    def source(**named: str) -> tuple[str | None, Path | None]:
        found = app.key_source(config.settings({f"UNDERFIRE_{name}": value for name, value in named.items()}))
        return found.text, found.file

    data, redis = str(tmp_path), "redis://localhost"
    assert source(DATA_DIR=data) == (None, tmp_path / "signing.pem")
    assert source(DATA_DIR=data, REDIS_URL=redis) == (None, tmp_path / "signing.pem")
    # What is made in a container is gone with it: it has to be named.
    assert source(REDIS_URL=redis) == (None, None)
    assert source(REDIS_URL=redis, SIGNING_KEY_FILE=f"{data}/k") == (None, tmp_path / "k")
    assert source(DATA_DIR=data, SIGNING_KEY="text") == ("text", None)
