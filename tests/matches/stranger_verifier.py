"""Checks a match file, its dice and its signatures: a stranger's program, written from docs/dice.md alone.

    python stranger_verifier.py MATCH-FILE

It knows nothing of the server but that page: it imports `msgpack` and Python's own library. The suite runs it over every
recorded game and over changed copies of them (test_stranger.py), so that the page says enough.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgpack  # type: ignore[import-untyped]  # the package publishes no types

HEX32 = re.compile(r"[0-9a-f]{64}")
BODIES = {"opened", "step", "aside", "taken_back", "rewound", "ended"}


class WrongFileError(Exception):
    """A file that is not as the page says it must be."""


def must(holds: bool, what: str) -> None:
    """Raise `WrongFileError` unless the condition holds."""
    if not holds:
        raise WrongFileError(what)


# --- how values are written ------------------------------------------------------------------------------------------


def written(value: object) -> bytes:
    """Return a value in its shortest form."""
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return _number(value)
    if isinstance(value, str):
        data = value.encode()
        return _head(len(data), (0xA0, 32), (0xD9, 0xDA, 0xDB)) + data
    if isinstance(value, bytes):
        return _head(len(value), (0, 0), (0xC4, 0xC5, 0xC6)) + value
    if isinstance(value, list):
        return _head(len(value), (0x90, 16), (0, 0xDC, 0xDD)) + b"".join(written(each) for each in value)
    if isinstance(value, dict):
        pairs = b"".join(written(key) + written(each) for key, each in value.items())
        return _head(len(value), (0x80, 16), (0, 0xDE, 0xDF)) + pairs
    raise WrongFileError(f"there is a {type(value).__name__} in it")


def _head(length: int, small: tuple[int, int], codes: tuple[int, int, int]) -> bytes:
    """Return the bytes before a text, bytes, an array or a map; a code of 0 means that there is none."""
    if length < small[1]:
        return bytes([small[0] + length])
    for code, width in zip(codes, (1, 2, 4), strict=True):
        if code and length < 1 << (8 * width):
            return bytes([code]) + length.to_bytes(width, "big")
    raise WrongFileError("it is too long")


def _number(value: int) -> bytes:
    if -32 <= value <= 127:
        return value.to_bytes(1, "big", signed=value < 0)
    first = 0xCC if value > 0 else 0xD0
    for code, width in enumerate((1, 2, 4, 8), first):
        try:
            return bytes([code]) + value.to_bytes(width, "big", signed=value < 0)
        except OverflowError:
            continue
    raise WrongFileError("a number is too large")


def read(data: bytes, what: str) -> Any:  # noqa: ANN401 - what a file holds is anything
    """Return the value in `data`, which must stand there in its shortest form."""

    def pairs(found: list[tuple[object, object]]) -> dict[object, object]:
        must(all(isinstance(key, str) for key, _ in found), f"{what}: a key is no text")
        must(len({key for key, _ in found}) == len(found), f"{what}: a key stands there twice")
        return dict(found)

    try:
        value = msgpack.unpackb(data, object_pairs_hook=pairs, strict_map_key=False)
    except (ValueError, msgpack.UnpackException) as error:
        raise WrongFileError(f"{what} cannot be read: {error}") from error
    must(written(value) == data, f"{what} is not in its shortest form")
    return value


# --- a die -----------------------------------------------------------------------------------------------------------


def context_of(match: str, shares: Mapping[str, str]) -> str:
    """Return what all dice of a match depend on besides the secret."""
    return match + "".join(f"|{seat}={shares[seat]}" for seat in sorted(shares))


def die(secret: bytes, context: str, stream: str, number: int, sides: int) -> int:
    """Return the face that a die must show."""
    block = 0
    while True:
        message = f"{context}|{stream}|{number}|{block}".encode()
        for byte in hmac.new(secret, message, hashlib.sha256).digest():
            if byte < 256 - 256 % sides:
                return byte % sides + 1
        block += 1


# --- a signature: RFC 8032, section 5.1, slowly ----------------------------------------------------------------------

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
Place = tuple[int, int, int, int]
"""A point of the curve in extended coordinates."""


def _recovered(y: int, odd: int) -> Place | None:
    """Return the point with this y whose x is odd or even, or None if there is none."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or x * x % P != square or (x == 0 and odd):
        return None
    x = P - x if x % 2 != odd else x
    return x, y, 1, x * y % P


def _point(data: bytes) -> Place | None:
    number = int.from_bytes(data, "little")
    return _recovered(number % 2**255, number >> 255)


def _sum(one: Place, other: Place) -> Place:
    a, b = (one[1] - one[0]) * (other[1] - other[0]) % P, (one[1] + one[0]) * (other[1] + other[0]) % P
    c, d = 2 * one[3] * other[3] * D % P, 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _times(factor: int, one: Place) -> Place:
    found = (0, 1, 1, 0)
    while factor:
        if factor % 2:
            found = _sum(found, one)
        one, factor = _sum(one, one), factor // 2
    return found


BASE = _recovered(4 * pow(5, -1, P) % P, 0)


def signed_by(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether the signature of the message is good."""
    if len(key) != 32 or len(signature) != 64:
        return False
    whose, start, factor = _point(key), _point(signature[:32]), int.from_bytes(signature[32:], "little")
    if BASE is None or whose is None or start is None or factor >= ORDER:
        return False
    hashed = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    left, right = _times(factor, BASE), _sum(start, _times(hashed, whose))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 == (left[1] * right[2] - right[1] * left[2]) % P


def statement(match: str, first: int, last: int, head: bytes) -> bytes:
    """Return what is signed."""
    return written(["underfire match signature 1", match, first, last, head])


# --- the file --------------------------------------------------------------------------------------------------------


class Era:
    """What dice derive from, and how many fell."""

    def __init__(self, commitment: object, players: set[str]) -> None:
        must(isinstance(commitment, str) and bool(HEX32.fullmatch(commitment)), "a commitment is no SHA-256")
        self.commitment = commitment
        self.players = players
        self.digests: dict[str, str] = {}
        self.shares: dict[str, str] = {}
        self.dice = 0


class Check:
    """One pass over a file. The findings are its attributes.

    Args:
        data: the file.
    """

    def __init__(self, data: bytes) -> None:
        file = read(data, "the file")
        must(isinstance(file, dict), "the file is no map")
        fields = ["format", "entries", "head", "secret"]
        signed = file["format"] == "underfire match 2"
        must(signed or file["format"] == "underfire match 1", "the file's format")
        must(list(file) == [*fields, "signatures"] if signed else list(file) == fields, "the file's fields")
        self.secret: str = file["secret"]
        must(self.secret == "" or (isinstance(self.secret, str) and bool(HEX32.fullmatch(self.secret))), "the secret")
        entries, self.head = file["entries"], file["head"]
        must(isinstance(entries, list) and all(isinstance(entry, bytes) for entry in entries), "the entries")
        must(len(entries) > 0, "there are no entries")
        self.entries = len(entries)
        self.bodies: list[dict[str, Any]] = []
        prev = bytes(32)
        for number, entry in enumerate(entries, 1):
            self.bodies.append(envelope(number, entry, prev))
            prev = hashlib.sha256(entry).digest()
        must(self.head == prev, "the head is not the hash of the last entry")
        self.counters: dict[str, int] = {}
        self.rolls: list[tuple[int, Era, str, int, int, list[int]]] = []
        self.over = False
        self.published = ""
        self._open(self.bodies[0])
        for number, body in enumerate(self.bodies[1:], 2):
            self._take(number, body)
        must(self.published == self.secret, "the file's secret is not the one that was published")
        self._dice()
        self.signers: list[tuple[str, int, int]] = []
        if signed:
            must(1 <= len(file["signatures"]) <= 16, "the number of signatures")
            for one in file["signatures"]:
                self._signature(one, [hashlib.sha256(entry).digest() for entry in entries])

    def _signature(self, one: dict[str, Any], hashes: list[bytes]) -> None:
        must(list(one) == ["key", "first", "last", "head", "signature"], "the fields of a signature")
        key, first, last = one["key"], one["first"], one["last"]
        must(type(first) is int and type(last) is int, "a signature is about no entries")
        must((self.signers[-1][2] if self.signers else 0) < first <= last, "a signature is not in its order")
        must(last <= len(hashes), "a signature is about entries that are not there")
        must(one["head"] == hashes[last - 1], "a signature is about another log")
        must(
            signed_by(key, statement(self.match, first, last, one["head"]), one["signature"]), "a signature is not good"
        )
        self.signers.append((key.hex(), first, last))

    def _open(self, body: dict[str, Any]) -> None:
        self.form = body.get("form", 1)
        must("form" not in body or (type(self.form) is int and self.form == 2), "the page describes no such form")
        self.match: str = body["match"]
        position = json.loads(body["position"])
        self.seats = {side["seat"] for side in position["sides"].values()}
        desk = position["desk"]
        early = [desk[name] for name in ("digests", "randomness", "secret", "commitment")]
        must(not any(early), "something of the dice lies there before the match begins")
        self.eras = [Era(body["commitment"], set(desk["players"]))]
        since = body.get("since", [])
        self.inherited = sum(len(roll[3]) for told in since for roll in told.get("rolls", []))

    def _take(self, number: int, body: dict[str, Any]) -> None:
        if body["type"] == "aside":
            for fact in body["facts"]:
                self._fact(number, fact)
        elif body["type"] == "step":
            self._step(number, body)
        elif body["type"] == "ended":
            self.over = True

    def _fact(self, number: int, fact: dict[str, Any]) -> None:
        era, kind, seat = self.eras[-1], fact["type"], fact.get("seat", "")
        if kind == "seat":
            era.players.add(seat)
        elif kind == "committed":
            must(seat in self.seats, f"entry {number}: there is no seat {seat}")
            must(not era.shares, f"entry {number}: {seat} commits after a share was revealed")
            era.digests[seat] = fact["digest"]
        elif kind == "randomness":
            share = fact["randomness"]
            must(set(era.digests) == self.seats, f"entry {number}: {seat} reveals before all have committed")
            must(seat not in era.shares, f"entry {number}: {seat} reveals twice")
            must(bool(HEX32.fullmatch(share)), f"entry {number}: the share of {seat} is not in hexadecimal")
            must(sha256_of(share) == era.digests.get(seat), f"entry {number}: {seat} had committed to another share")
            era.shares[seat] = share
        elif kind == "dice_renewed":
            must(not self.over, f"entry {number}: the dice are renewed after the end")
            self.eras.append(Era(fact["commitment"], set()))
        elif kind == "secret":
            must(self.over, f"entry {number}: the secret is published before the end")
            must(bool(HEX32.fullmatch(fact["secret"])), f"entry {number}: the secret is not in hexadecimal")
            must(sha256_of(fact["secret"]) == era.commitment, f"entry {number}: another secret was committed to")
            self.published = fact["secret"]

    def _step(self, number: int, body: dict[str, Any]) -> None:
        era = self.eras[-1]
        must(not self.over, f"entry {number}: something is played after the end")
        must(self.seats <= era.players, f"entry {number}: a seat is free still")
        must(self.seats == set(era.shares), f"entry {number}: a seat has not revealed its share")
        fell: list[int] = []
        for stream, first, sides, faces in body.get("rolls", []):
            must(all(type(one) is int for one in (first, sides, *faces)), f"entry {number}: a roll is not of numbers")
            must(first == self.counters.get(stream, 0), f"entry {number}: die {first} falls out of its turn")
            must(1 <= sides <= 256 and all(1 <= face <= sides for face in faces), f"entry {number}: no such die")
            self.counters[stream] = first + len(faces)
            self.rolls.append((number, era, stream, first, sides, faces))
            era.dice += len(faces)
            fell += faces if stream == "" else []
        facts = body.get("facts", [])
        shown = [face for fact in facts if fact["type"] == "rolled" for face in fact["faces"]]
        must(shown == fell, f"entry {number}: other dice were shown than fell")
        self.over = any(fact["type"] == "ended" for fact in facts)

    def _dice(self) -> None:
        self.right = 0
        if not self.secret:
            return
        must(sha256_of(self.secret) == self.eras[-1].commitment, "the secret is not the one that was committed to")
        for number, era, stream, first, sides, faces in self.rolls:
            if era is not self.eras[-1]:
                continue
            context = context_of(self.match, era.shares)
            for place, face in enumerate(faces, first):
                falls = die(bytes.fromhex(self.secret), context, stream, place, sides)
                must(face == falls, f"entry {number}, die {place} of {stream!r}: it shows {face} where {falls} falls")
                self.right += 1


def sha256_of(digits: str) -> str:
    """Return the SHA-256 of the bytes of hexadecimal digits."""
    return hashlib.sha256(bytes.fromhex(digits)).hexdigest()


def envelope(number: int, entry: bytes, prev: bytes) -> Any:  # noqa: ANN401 - what a body holds is looked at later
    """Return the body of an entry that stands where it must."""
    what = f"entry {number}"
    found = read(entry, what)
    must(isinstance(found, list) and len(found) == 6, f"{what} is no array of six")
    own, parent, at, salt, named, body = found
    must(type(own) is int and own == number, f"{what} calls itself {own}")
    must(type(at) is int, f"{what} has no time")
    must(isinstance(salt, bytes) and len(salt) == 16, f"{what} has no salt of 16 bytes")
    must(named == prev, f"{what} does not carry the hash of the entry before it")
    must(isinstance(body, dict) and body.get("type") in BODIES, f"{what} is of no known kind")
    must((body["type"] == "opened") == (number == 1), f"{what} opens the match, or does not")
    back = body["type"] in {"taken_back", "rewound"}
    must(type(parent) is int and (0 < parent < number if back else parent == number - 1), f"{what} has a wrong parent")
    return body


def check(data: bytes) -> Check:
    """Check a file.

    Raises:
        WrongFileError: something in it is not as it must be.
    """
    try:
        return Check(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise WrongFileError(f"something is missing, or is of another kind than it must be: {error!r}") from error


def main() -> int:
    """Check the file that the command line names; returns the exit code."""
    try:
        found = check(Path(sys.argv[1]).read_bytes())
    except WrongFileError as wrong:
        print(f"Wrong: {wrong}")
        return 1
    fell = sum(era.dice for era in found.eras)
    print(
        f"{found.match}: {found.entries} entries, {fell} dice, {found.right} of them derived again. All is as it must be."
    )
    for key, first, last in found.signers:
        print(f"Entries {first} to {last} are signed by {key}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
