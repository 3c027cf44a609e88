"""The signing key of a deployment: the file that holds it, created at the first start and replaced by hand.

The file is PEM (RFC 7468): a private key, and after it the public halves of the keys that it replaced, the newest first. A
file written by `openssl genpkey -algorithm ed25519` is valid too.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_der_private_key,
    load_der_public_key,
)

from server.complaints import complaint

LARGEST = 64 * 1024
"""The most bytes of a key file: enough for hundreds of older keys."""
TOO_OPEN = stat.S_IWGRP | stat.S_IRWXO
"""The permissions that the file must not have. Group read is allowed, since that is how some hand it to a container."""
NOTE = """\
# The key with which the servers of this deployment sign match files. Keep it secret: anyone who has it can sign in their name.
"""
OLDER_NOTE = "# The public halves of the keys that it replaced, the newest first.\n"


_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS}
"""The error numbers of file systems on which a file cannot have two names."""


class KeyFault(Exception):  # noqa: N818 - a condition
    """A key cannot be used; the message is a sentence that says what to do."""


@dataclass(frozen=True)
class SigningKey:
    """A private key, and the public halves (32 bytes each) of the keys that it replaced, the newest first."""

    private: Ed25519PrivateKey = field(repr=False)
    older: tuple[bytes, ...] = ()

    @property
    def public(self) -> bytes:
        """The public half: 32 bytes."""
        return self.private.public_key().public_bytes_raw()

    @classmethod
    def new(cls, older: tuple[bytes, ...] = ()) -> SigningKey:
        """Generate a key that replaces those of which `older` are the public halves."""
        return cls(Ed25519PrivateKey.generate(), older)

    def rotated(self) -> SigningKey:
        """Generate a key that replaces this one."""
        return self.new((self.public, *self.older))

    def text(self) -> str:
        """Return the file's text."""
        private = self.private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
        older = "".join(map(public_pem, self.older))
        return NOTE + private + (OLDER_NOTE + older if older else "")


def public_pem(public: bytes) -> str:
    """Return a public half (32 bytes) as PEM."""
    key = Ed25519PublicKey.from_public_bytes(public)
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def parse(text: str, where: str) -> SigningKey:
    """Return the key in the text of a key file; `where` names it in errors.

    Raises:
        KeyFault: the text has no key.
    """
    private: list[Ed25519PrivateKey] = []
    older: list[bytes] = []
    for label, data in _blocks(text, where):
        if label == "PRIVATE KEY":
            private.append(_private(data, where))
        else:
            older.append(_public(data, where))
    if len(private) != 1:
        held = "no private key" if not private else f"{len(private)} private keys, and one is needed"
        raise KeyFault(
            f"There is {held} in {where}. It needs to begin with -----BEGIN PRIVATE KEY-----, as what "
            "`openssl genpkey -algorithm ed25519` writes does."
        )
    return SigningKey(private[0], tuple(older))


def public_halves(text: str, where: str) -> tuple[bytes, ...]:
    """Return the public halves of all keys in a text: in PEM, or 64 hexadecimal digits each.

    Raises:
        KeyFault: the text has no key.
    """
    found: list[bytes] = []
    for label, data in _blocks(text, where):
        private = label == "PRIVATE KEY"
        found.append(_private(data, where).public_key().public_bytes_raw() if private else _public(data, where))
    if not found:
        words = text.translate(dict.fromkeys(map(ord, "\"',:;[]{}()"), " ")).split()
        found = [half for word in words if (half := public_half(word)) is not None]
    if not found:
        raise KeyFault(f"There is no key in {where}: a public key is 64 hexadecimal digits, or PEM.")
    return tuple(found)


def public_half(text: str) -> bytes | None:
    """Return the public half that is written as 64 hexadecimal digits, or None if the text is something else."""
    if len(text) != 64 or not text.isascii() or not text.isalnum():
        return None
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None


def read(path: Path) -> SigningKey:
    """Read a key file.

    Raises:
        FileNotFoundError: there is no file.
        KeyFault: it cannot be read, others may read it, or it holds no key.
    """
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise KeyFault(f"The key with which matches are signed cannot be read. {complaint(error)}") from error
    if stat.S_ISREG(mode) and mode & TOO_OPEN:
        raise KeyFault(
            f"Others on this machine may read or change {path}, the key with which matches are signed. Close it to them: "
            f"chmod 600 {path}"
        )
    if len(data) > LARGEST or b"\0" in data:
        raise KeyFault(f"{path} is not a key file: it is too long, or not a text.")
    return parse(data.decode(errors="replace"), str(path))


def make(path: Path, key: SigningKey) -> bool:
    """Write a new key file atomically, for its owner alone. Return whether it was created: False if there is one by now.

    Raises:
        KeyFault: it cannot be written.
    """
    with _written(path, key) as part:
        try:
            os.link(part, path)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS or path.exists():
                raise
            part.replace(path)
        _sync(path.parent)
    return True


def replace(path: Path, key: SigningKey) -> None:
    """Replace a key file atomically, with the old file's permissions.

    Raises:
        KeyFault: it cannot be written.
    """
    with _written(path, key) as part:
        part.replace(path)
        _sync(path.parent)


@contextlib.contextmanager
def _written(path: Path, key: SigningKey) -> Iterator[Path]:
    """Write the key into a temporary file on the same disk."""
    part = path.with_name(f".{path.name}.{os.urandom(6).hex()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(part, "x", encoding="ascii", opener=_for_owner) as file:
            _hand_over(file.fileno(), path)
            file.write(key.text())
            file.flush()
            os.fsync(file.fileno())
        yield part
    except OSError as error:
        raise KeyFault(f"The key with which matches are signed cannot be written. {complaint(error)}") from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def _hand_over(descriptor: int, path: Path) -> None:
    """Give a new file the owner of the old one, or of the folder, so that a server can read what root writes for it."""
    there = path.exists()
    old = path.stat() if there else path.parent.stat()
    if os.geteuid() == 0:
        os.fchown(descriptor, old.st_uid, old.st_gid)
    if there:
        os.fchmod(descriptor, old.st_mode & (stat.S_IRUSR | stat.S_IWUSR | stat.S_IRGRP))


def _for_owner(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


def _sync(folder: Path) -> None:
    """Flush the folder's entries to disk: an outage must not lose the key after matches were signed with it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _blocks(text: str, where: str) -> Iterator[tuple[str, bytes]]:
    """Yield the PEM blocks of a text: their labels and contents."""
    label, lines = "", list[str]()
    for line in map(str.strip, text.splitlines()):
        if not label and line.startswith("-----BEGIN ") and line.endswith("-----"):
            label, lines = line.removeprefix("-----BEGIN ").removesuffix("-----"), []
            if label not in {"PRIVATE KEY", "PUBLIC KEY"}:
                raise KeyFault(f"{where} holds a {label.lower()}, and matches are signed with a plain Ed25519 key.")
        elif label and line == f"-----END {label}-----":
            try:
                yield label, base64.b64decode("".join(lines), validate=True)
            except binascii.Error:
                raise KeyFault(f"A key in {where} is damaged: its lines are no base64.") from None
            label = ""
        elif label:
            lines.append(line)
    if label:
        raise KeyFault(f"A key in {where} is damaged: it has no end.")


def _private(data: bytes, where: str) -> Ed25519PrivateKey:
    try:
        key = load_der_private_key(data, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise KeyFault(f"The private key in {where} is damaged, or needs a password.") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFault(f"The private key in {where} is of another kind than Ed25519.")
    return key


def _public(data: bytes, where: str) -> bytes:
    try:
        key = load_der_public_key(data)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise KeyFault(f"A public key in {where} is damaged.") from None
    if not isinstance(key, Ed25519PublicKey):
        raise KeyFault(f"A public key in {where} is of another kind than Ed25519.")
    return key.public_bytes_raw()
