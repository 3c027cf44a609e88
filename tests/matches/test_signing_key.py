"""The key file: written atomically and for its owner alone, and refused with a sentence for any fault."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from server.matches import signing_key
from server.matches.signing_key import KeyFault, SigningKey, parse, public_halves, public_pem

RSA_LIKE = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"


def test_a_written_key_is_read_again_with_the_keys_before_it(tmp_path: Path) -> None:
    key = SigningKey.new().rotated().rotated()
    file = tmp_path / "folder" / "signing.pem"
    assert signing_key.make(file, key)
    found = signing_key.read(file)
    assert (found.public, found.older) == (key.public, key.older)
    assert len(found.older) == 2
    assert file.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in file.parent.iterdir()] == ["signing.pem"]
    assert "PRIVATE" not in repr(found)


def test_an_existing_key_is_not_replaced_at_start(tmp_path: Path) -> None:
    file = tmp_path / "signing.pem"
    first, second = SigningKey.new(), SigningKey.new()
    assert signing_key.make(file, first)
    assert not signing_key.make(file, second)
    assert signing_key.read(file).public == first.public
    signing_key.replace(file, second)
    assert signing_key.read(file).public == second.public
    assert [one.name for one in tmp_path.iterdir()] == ["signing.pem"]


def test_a_rotated_key_file_keeps_the_permissions_of_the_old_one(tmp_path: Path) -> None:
    file = tmp_path / "signing.pem"
    signing_key.make(file, SigningKey.new())
    file.chmod(0o440)
    if os.geteuid() == 0:
        os.chown(file, 1234, 5678)
    signing_key.replace(file, SigningKey.new())
    found = file.stat()
    assert found.st_mode & 0o777 == 0o440
    if os.geteuid() == 0:
        assert (found.st_uid, found.st_gid) == (1234, 5678)


def test_a_key_that_openssl_writes_is_read(tmp_path: Path) -> None:
    file = tmp_path / "signing.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", file], check=True)
    file.chmod(0o600)
    public = subprocess.run(["openssl", "pkey", "-in", file, "-pubout"], check=True, capture_output=True, text=True)
    assert public.stdout == public_pem(signing_key.read(file).public)


@pytest.mark.parametrize("mode", [0o644, 0o604, 0o602, 0o620])
def test_a_key_that_others_may_read_or_change_is_refused(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "signing.pem"
    signing_key.make(file, SigningKey.new())
    file.chmod(mode)
    with pytest.raises(KeyFault, match=f"Others on this machine .*chmod 600 {file}"):
        signing_key.read(file)
    file.chmod(0o440)
    signing_key.read(file)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no private key in the file"),
        ("hello", "no private key in the file"),
        (public_pem(SigningKey.new().public), "no private key in the file"),
        (SigningKey.new().text() * 2, "2 private keys"),
        (SigningKey.new().text().replace("END PRIVATE", "END"), "has no end"),
        (SigningKey.new().text().replace("MC4C", "M?4C"), "no base64"),
        (SigningKey.new().text().replace("MC4C", "MC4D"), "damaged"),
        (RSA_LIKE, "encrypted private key"),
    ],
)
def test_a_text_that_is_no_key_is_refused_with_a_reason(text: str, what: str) -> None:
    with pytest.raises(KeyFault, match=what):
        parse(text, "the file")


def test_an_unreadable_or_unwritable_key_file_is_reported_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(KeyFault, match="is a folder, and a file is needed"):
        signing_key.read(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(KeyFault, match="cannot be written"):
        signing_key.make(tmp_path / "file" / "signing.pem", SigningKey.new())
    with pytest.raises(FileNotFoundError):
        signing_key.read(tmp_path / "nothing")
    long = tmp_path / "long"
    long.write_bytes(b"x" * (signing_key.LARGEST + 1))
    long.chmod(0o600)
    with pytest.raises(KeyFault, match="not a key file"):
        signing_key.read(long)


def test_public_keys_are_read_from_every_documented_format() -> None:
    key = SigningKey.new().rotated()
    both = (key.public, *key.older)
    assert public_halves(key.text(), "it") == both
    assert public_halves("".join(map(public_pem, both)), "it") == both
    assert public_halves("\n".join(one.hex() for one in both), "it") == both
    # As in a server's /signers.json.
    assert public_halves(f'{{"current": "{both[0].hex()}", "older": ["{both[1].hex()}"]}}', "it") == both
    with pytest.raises(KeyFault, match="no key in it"):
        public_halves("nothing", "it")
