"""Writes `dice.json` and `signed.underfire`, by which verifiers of match files are tested, and the worked example of
`docs/dice.md`.

    python -m tests.vectors.make_dice            write them
    python -m tests.vectors.make_dice --check    fail when one of them is not what would be written

A vector is of one of five kinds: `encoding` is a value and its bytes, `die` is a die with all that it follows from, `signature`
is one with what it is about, `signed` is the signed file, and `file` is a recorded match with what a check finds in it. Bytes
are written in hexadecimal.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import json
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from client_protocol.codec import pack
from server.kernel.dice import Taken, dice_context, die
from server.matches.log.entries import Stepped, decode, digest
from server.matches.log.fold import Fold
from server.matches.log.match_file import export, read
from server.matches.log.signatures import Signature, sign, statement
from server.matches.verify.match_file import verify
from server.rulesets.library import find
from tests.archive.files import RECORDED, file_of

ROOT = Path(__file__).parents[2]
FILE = Path(__file__).with_name("dice.json")
SIGNED = Path(__file__).with_name("signed.underfire")
PAGE = ROOT / "docs" / "dice.md"
BEGIN, END = "<!-- What stands from here on is written by tests/vectors/make_dice.py. -->\n", "<!-- To here. -->\n"

VALUES: tuple[object, ...] = (
    None,
    False,
    True,
    *(0, 127, 128, 255, 256, 65_535, 65_536, 2**32 - 1, 2**32),
    *(-1, -32, -33, -128, -129, -32_768, -32_769, -(2**31), -(2**31) - 1),
    *("", "a", "é", "x" * 31, "x" * 32, "x" * 255, "x" * 256),
    *([], [1, [2]], [0] * 15, [0] * 16),
    *({}, {"type": "aside"}, {"b": 1, "a": 2}, {f"{n:02}": n for n in range(16)}),
)
"""Values at the borders of MessagePack's forms. That of a map is in the order in which it is written."""

EXAMPLE = ("fad4", "crossroads-taken-back")
EXAMPLE_DIE = 37
"""A die of the example whose first byte is passed over."""


def text() -> str:
    """Return the file's content, one vector per line."""
    vectors = [*encodings(), *dice(), *signatures(), signed(), *files()]
    return "[\n" + ",\n".join(json.dumps(vector, separators=(",", ":")) for vector in vectors) + "\n]\n"


def encodings() -> Iterator[dict[str, object]]:
    """Yield how values are encoded."""
    for value in VALUES:
        # Maps of fields keep their order, which `pack` does for structs only.
        items = value.items() if isinstance(value, dict) else ()
        written = pack(value) if not isinstance(value, dict) else _head(0x80, 0xDE, len(value)) + b"".join(
            pack(key) + pack(each) for key, each in items
        )  # fmt: skip
        yield {"kind": "encoding", "value": value, "bytes": written.hex()}
    for length in (0, 16, 255, 256):
        yield {"kind": "encoding", "value": {"bytes": "5a" * length}, "bytes": pack(b"\x5a" * length).hex()}


def _head(small: int, large: int, length: int) -> bytes:
    return bytes([small + length]) if length < 16 else bytes([large]) + length.to_bytes(2, "big")


def dice() -> Iterator[dict[str, object]]:
    """Yield dice of all kinds: of several streams, of few and many sides, with shares in an order that has to be found."""
    secret = bytes(range(32))
    two = {"blue": "22" * 32, "red": "11" * 32}
    odd = {"é": "55" * 32, "b": "33" * 32, "a-1": "44" * 32, "Z": "66" * 32, "10": "77" * 32, "9": "88" * 32}
    for number in range(12):
        yield vector(secret, "m1", two, "", number, 6)
    for sides in (1, 2, 3, 4, 8, 10, 12, 20, 100, 129, 256):
        yield vector(secret, "m1", two, "", 1_000_000, sides)
    yield vector(secret, "m1", two, "hidden:red", 0, 6)
    yield vector(hashlib.sha256(b"another").digest(), "k3v9-Zé", odd, "", 7, 6)
    passed = (n for n in range(10_000) if vector(secret, "m1", two, "", n, 6)["passed"])
    for number in (next(passed), next(passed)):
        yield vector(secret, "m1", two, "", number, 6)
    yield vector(
        secret, "m1", two, "", next(n for n in range(10**6) if vector(secret, "m1", two, "", n, 6)["passed"] == 2), 6
    )


def vector(
    secret: bytes, match: str, shares: Mapping[str, str], stream: str, number: int, sides: int
) -> dict[str, object]:
    """Return a die with the message and the digest of its first block, and how many of its bytes are skipped."""
    message = f"{dice_context(match, shares)}|{stream}|{number}|0"
    block = hmac.digest(secret, message.encode(), hashlib.sha256)
    passed = next(at for at, byte in enumerate(block) if byte < 256 - 256 % sides)
    return {
        "kind": "die",
        "secret": secret.hex(),
        "match": match,
        "shares": dict(shares),
        "stream": stream,
        "number": number,
        "sides": sides,
        "message": message.encode().hex(),
        "digest": block.hex(),
        "passed": passed,
        "face": die(secret, dice_context(match, shares), stream, number, sides),
    }


SIGNED_MATCH = ("fad4", "ridge-conceded")
FIRST_KEY, SECOND_KEY = (
    # From RFC 8032, section 7.1, tests 1 and 2. These keys are public, so they sign nothing else.
    "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
)
TAKEN_OVER_AT = 4
"""The last entry of the signed file that servers with the first key wrote."""


def signed_file() -> bytes:
    """Return the file of a match that began on one server and was continued on another; both have signed their parts."""
    entries = read(file_of(*SIGNED_MATCH).read_bytes()).entries
    match = Fold(entries[0]).opened.match
    first = sign(_key(FIRST_KEY), match, 1, entries[:TAKEN_OVER_AT])
    return export(entries, (first, sign(_key(SECOND_KEY), match, TAKEN_OVER_AT + 1, entries)))


def signatures() -> Iterator[dict[str, object]]:
    """Yield valid signatures, and some that only look valid."""
    entries = read(file_of(*SIGNED_MATCH).read_bytes()).entries
    match = Fold(entries[0]).opened.match
    for secret in (FIRST_KEY, SECOND_KEY):
        good = sign(_key(secret), match, 1, entries)
        yield _signature(secret, match, good)
        yield _signature(secret, match, replace(good, first=2), good=False)
        yield _signature(secret, match, replace(good, last=good.last - 1), good=False)
        yield _signature(secret, match, replace(good, head=digest(good.head)), good=False)
        yield _signature(secret, f"{match}x", good, good=False)
        bare = replace(good, signature=_key(secret).sign(good.head))
        yield _signature(secret, match, bare, good=False)
    for name, last in (("k3v9-Zé", 300), ("m", 70_000)):
        one = replace(sign(_key(FIRST_KEY), name, 200, entries), last=last)
        told = statement(name, one.first, one.last, one.head)
        yield _signature(FIRST_KEY, name, replace(one, signature=_key(FIRST_KEY).sign(told)))


def _signature(secret: str, match: str, one: Signature, *, good: bool = True) -> dict[str, object]:
    return {
        "kind": "signature",
        "secret_key": secret,
        "key": one.key.hex(),
        "match": match,
        "first": one.first,
        "last": one.last,
        "head": one.head.hex(),
        "statement": statement(match, one.first, one.last, one.head).hex(),
        "signature": one.signature.hex(),
        "good": good,
    }


def signed() -> dict[str, object]:
    """Yield the signed file, and which key signed which entries."""
    data = signed_file()
    found: Sequence[Signature] = verify(data, find).signatures
    return {
        "kind": "signed",
        "file": SIGNED.relative_to(ROOT).as_posix(),
        "sha256": hashlib.sha256(data).hexdigest(),
        "signatures": [{"key": one.key.hex(), "first": one.first, "last": one.last} for one in found],
    }


def _key(secret: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret))


def files() -> Iterator[dict[str, object]]:
    """Yield the recorded games with what a check finds in them."""
    for game in RECORDED:
        data = file_of(*game).read_bytes()
        archive, report = read(data), verify(data, find)
        yield {
            "kind": "file",
            "file": file_of(*game).relative_to(ROOT).as_posix(),
            "sha256": hashlib.sha256(data).hexdigest(),
            "match": report.match,
            "form": Fold(archive.entries[0]).opened.form,
            "entries": report.entries,
            "head": archive.head.hex(),
            "secret": archive.secret,
            "eras": [{"commitment": e.commitment, "dice": e.dice, "checked": e.checked} for e in report.eras],
            "inherited": report.inherited,
        }


# --- the worked example ----------------------------------------------------------------------------------------------


def example() -> str:
    """Yield the worked example of the page, from its first to its last line."""
    data = file_of(*EXAMPLE).read_bytes()
    archive = read(data)
    first, second = archive.entries[:2]
    fold = Fold(first)
    for payload in archive.entries[1:]:
        fold.add(payload)
        body = decode(fold.number, payload).body
        if isinstance(body, Stepped):
            for taken in body.rolls:
                if EXAMPLE_DIE in range(taken.first, taken.first + len(taken.faces)):
                    return "\n".join(_told(data, first, second, fold, taken, archive.secret))
    raise AssertionError("the example's die never falls")


def _told(data: bytes, opening: bytes, sitting: bytes, fold: Fold, taken: Taken, secret: str) -> Iterator[str]:
    name = file_of(*EXAMPLE).relative_to(ROOT).as_posix()
    archive = read(data)
    at = data.index(opening)
    yield f"The file is [`{name}`](../{name}),"
    yield f"of {len(data)} bytes and {len(archive.entries)} entries. It begins:\n"
    yield from _block(
        (data[:1], "a map of 4"),
        (pack("format"), '"format"'),
        (pack(archive.format), f'"{archive.format}"'),
        (pack("entries"), '"entries"'),
        (data[data.index(pack("entries")) + 8 : at - 3], f"an array of {len(archive.entries)}"),
        (data[at - 3 : at], f"entry 1: {len(opening)} bytes"),
        (opening[:1], "an array of 6"),
        (pack(1), "number 1"),
        (pack(0), "parent 0"),
    )
    yield f"\nEntry 2 is these {len(sitting)} bytes, whole. Its `prev` is the SHA-256 of the {len(opening)} bytes of entry 1.\n"
    envelope = decode(2, sitting)
    head = pack(envelope.salt), pack(envelope.prev)
    front = b"\x96" + pack(2) + pack(1) + pack(envelope.at) + head[0] + head[1]
    assert sitting.startswith(front)
    yield from _block(
        (b"\x96", "an array of 6"),
        (pack(2), "number 2"),
        (pack(1), "parent 1"),
        (pack(envelope.at), f"at: {envelope.at} ms since 1970"),
        (head[0][:2], "salt: 16 bytes"),
        (head[0][2:], ""),
        (head[1][:2], "prev: 32 bytes"),
        (head[1][2:], ""),
        *_body(sitting[len(front) :]),
    )
    yield f"\nThe SHA-256 of the last entry, `{archive.head.hex()}`, is the file's"
    yield "`head`. The file ends:\n"
    tail = data[data.rindex(pack("head")) :]
    yield from _block(
        (pack("head"), '"head"'),
        (tail[5:7], "32 bytes"),
        (tail[7:39], ""),
        (pack("secret"), '"secret"'),
        (tail[46:48], "a text of 64"),
        (tail[48:], "the secret's hexadecimal digits, as text"),
    )
    opened, shares = fold.opened, fold.state.desk.randomness
    yield f"\nThe secret, `{secret}`, has the SHA-256"
    yield f"`{opened.commitment}`: the `commitment` of entry 1."
    yield f"Die {EXAMPLE_DIE} of the open stream fell in entry {fold.number}, in the roll\n"
    yield from _block((pack(taken), f'["", {taken.first}, {taken.sides}, {list(taken.faces)}]'))
    context = dice_context(opened.match, shares)
    message = f"{context}|{taken.stream}|{EXAMPLE_DIE}|0"
    yield f"\nIts message is a text of {len(message)} letters, here with line breaks that it does not have:\n"
    yield "```text"
    yield from (f"{part}|" for part in context.split("|"))
    yield f"{taken.stream}|{EXAMPLE_DIE}|0"
    yield "```\n\nIts HMAC-SHA256 under the 32 bytes of the secret is\n"
    block = hmac.digest(bytes.fromhex(secret), message.encode(), hashlib.sha256)
    yield from _block((block, ""))
    passed = next(at for at, byte in enumerate(block) if byte < 252)
    assert passed == 1, "the example shows a byte that is passed over"
    face = taken.faces[EXAMPLE_DIE - taken.first]
    first, second = block[:2]
    yield f"\nThe first byte, `{first:02x}`, is {first}, and 252 or above: it is passed over."
    yield f"The second, `{second:02x}`, is {second}; {second} mod 6 is {second % 6}, and the die shows {second % 6} + 1 = {face}."


def _body(body: bytes) -> Iterator[tuple[bytes, str]]:
    """Yield the parts of the body of a seat that is taken."""
    parts: list[tuple[bytes, str]] = [(body[:1], "body: a map of 3")]
    words = ["type", "aside", "facts", [1], {"n": 3}, "type", "seat", "seat", "blue", "name", "Blue", "seat", "blue"]
    for word in words:
        written = b"\x91" if isinstance(word, list) else b"\x83" if isinstance(word, dict) else pack(word)
        told = "an array of 1" if isinstance(word, list) else "a map of 3" if isinstance(word, dict) else f'"{word}"'
        parts.append((written, told))
    assert b"".join(written for written, _ in parts) == body
    yield from parts


def _block(*parts: tuple[bytes, str]) -> Iterator[str]:
    """Yield lines of bytes, each with its meaning."""
    yield "```hex"
    for data, what in parts:
        rows = textwrap.wrap(data.hex(" "), 47)
        yield from rows[:-1]
        yield f"{rows[-1]:<48}  {what}".rstrip()
    yield "```"


def page(old: str) -> str:
    """Return the page with the example as it is now."""
    before, _, rest = old.partition(BEGIN)
    _, _, after = rest.partition(END)
    assert rest
    assert after is not rest, "the page's marks are gone"
    return f"{before}{BEGIN}\n{example()}\n\n{END}{after}"


def main() -> int:
    """Write the files, or with --check compare them; returns the exit code."""
    parser = argparse.ArgumentParser(
        description="Write or check dice.json, signed.underfire and the example of docs/dice.md."
    )
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    checks = parser.parse_args().check
    right = True
    made = (
        (FILE, text().encode()),
        (SIGNED, signed_file()),
        (PAGE, page(PAGE.read_text(encoding="utf-8")).encode()),
    )
    for file, content in made:
        if not checks:
            file.write_bytes(content)
        elif not file.is_file() or file.read_bytes() != content:
            print(f"{file.name} is not what is written for it", file=sys.stderr)
            right = False
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
