"""The page docs/dice.md is complete: a verifier written from it alone finds in a match file what the server finds.

It accepts every honest file, and refuses every changed one, whether by a byte or with the whole chain rebuilt.
"""

from __future__ import annotations

import ast
import hashlib
import hmac
import json
import random
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import msgpack  # type: ignore[import-untyped]
import pytest

from server.matches.log.match_file import export
from server.matches.verify.match_file import Wrong, verify
from server.rulesets.library import find
from tests.archive.files import RECORDED, file_of
from tests.archive.toys import MATCHES
from tests.matches import stranger_verifier
from tests.matches.stranger_verifier import WrongFileError, check, context_of, die, signed_by, statement, written
from tests.vectors import make_dice

CHANGED_BYTES = 80
"""How many bytes of each file are changed, one at a time, in addition to all those around its entries."""

Body = dict[str, Any]
VECTORS: list[dict[str, Any]] = json.loads(make_dice.FILE.read_text(encoding="utf-8"))

every_game = pytest.mark.parametrize("game", RECORDED, ids="/".join)


@cache
def data_of(game: tuple[str, str]) -> bytes:
    return file_of(*game).read_bytes()


def vectors(kind: str) -> list[dict[str, Any]]:
    return [vector for vector in VECTORS if vector["kind"] == kind]


def test_the_independent_verifier_imports_nothing_of_the_server() -> None:
    tree = ast.parse(Path(stranger_verifier.__file__).read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert "msgpack" in names
    assert {name.partition(".")[0] for name in names} <= {"msgpack", *sys.stdlib_module_names}


# --- the vectors and the page ----------------------------------------------------------------------------------------


def test_the_vectors_and_the_example_agree_with_the_server() -> None:
    again = "run `python -m tests.vectors.make_dice` and look at what changed"
    assert make_dice.FILE.read_text(encoding="utf-8") == make_dice.text(), again
    assert make_dice.SIGNED.read_bytes() == make_dice.signed_file(), again
    page = make_dice.PAGE.read_text(encoding="utf-8")
    assert page == make_dice.page(page), again


@pytest.mark.parametrize("vector", vectors("encoding"), ids=lambda vector: vector["bytes"][:12])
def test_the_verifier_encodes_values_as_in_the_vectors(vector: dict[str, Any]) -> None:
    value = vector["value"]
    if isinstance(value, dict) and value.keys() == {"bytes"}:
        value = bytes.fromhex(value["bytes"])
    assert written(value).hex() == vector["bytes"]


@pytest.mark.parametrize("vector", vectors("die"), ids=lambda v: f"{v['stream']}-{v['number']}-d{v['sides']}")
def test_the_verifier_derives_dice_as_in_the_vectors(vector: dict[str, Any]) -> None:
    context = context_of(vector["match"], vector["shares"])
    assert f"{context}|{vector['stream']}|{vector['number']}|0".encode().hex() == vector["message"]
    secret = bytes.fromhex(vector["secret"])
    assert die(secret, context, vector["stream"], vector["number"], vector["sides"]) == vector["face"]


def test_the_vectors_contain_the_cases_that_are_easily_done_wrong() -> None:
    dice = vectors("die")
    assert {vector["passed"] for vector in dice} >= {0, 1, 2}
    assert {1, 2, 6, 10, 100, 129, 256} <= {vector["sides"] for vector in dice}
    assert any(list(vector["shares"]) != sorted(vector["shares"]) for vector in dice)
    assert any(not vector["match"].isascii() for vector in dice)


@pytest.mark.parametrize("vector", vectors("signature"), ids=lambda v: f"{v['match']}-{v['first']}-{v['good']}")
def test_the_verifier_checks_signatures_as_in_the_vectors(vector: dict[str, Any]) -> None:
    key, head, signature = (bytes.fromhex(vector[name]) for name in ("key", "head", "signature"))
    signed = statement(vector["match"], vector["first"], vector["last"], head)
    assert signed.hex() == vector["statement"]
    assert signed_by(key, signed, signature) is vector["good"]


def test_the_verifier_reads_the_signed_file_as_in_its_vector() -> None:
    [vector] = vectors("signed")
    data = (make_dice.ROOT / vector["file"]).read_bytes()
    assert hashlib.sha256(data).hexdigest() == vector["sha256"]
    told = [(one["key"], one["first"], one["last"]) for one in vector["signatures"]]
    assert len(told) == 2
    assert (
        check(data).signers == told == [(one.key.hex(), one.first, one.last) for one in verify(data, find).signatures]
    )


@pytest.mark.parametrize("place", range(0, 2 * 64, 7))
def test_a_signature_with_any_changed_byte_is_invalid(place: int) -> None:
    data = bytearray(make_dice.SIGNED.read_bytes())
    at = data.rindex(b"\xaasignatures") + len("signatures") + 1
    for one in msgpack.unpackb(bytes(data))["signatures"]:
        at = data.index(one["signature"], at)
        if place < 64:
            break
        place -= 64
    data[at + place] ^= 1
    with pytest.raises(WrongFileError):
        check(bytes(data))
    with pytest.raises(Wrong):
        verify(bytes(data), find)


@pytest.mark.parametrize("vector", vectors("file"), ids=lambda vector: vector["file"].rpartition("/")[2])
def test_the_verifier_finds_in_files_what_their_vectors_say(vector: dict[str, Any]) -> None:
    data = (make_dice.ROOT / vector["file"]).read_bytes()
    assert hashlib.sha256(data).hexdigest() == vector["sha256"]
    found = check(data)
    assert (found.match, found.entries, found.head.hex()) == (vector["match"], vector["entries"], vector["head"])
    assert (found.secret, found.inherited, found.form) == (vector["secret"], vector["inherited"], vector["form"])
    assert [(era.commitment, era.dice) for era in found.eras] == [
        (era["commitment"], era["dice"]) for era in vector["eras"]
    ]
    assert found.right == sum(era["dice"] for era in vector["eras"] if era["checked"]) > 0


def test_the_vectors_have_files_of_either_form() -> None:
    assert {vector["form"] for vector in vectors("file")} == {1, 2}


def test_the_bytes_of_the_worked_example_are_those_of_the_file() -> None:
    """Read as a reader would copy them from the page."""
    example = make_dice.PAGE.read_text(encoding="utf-8").partition("## A worked example")[2]
    blocks = [
        bytes.fromhex(" ".join(line[:48] for line in block.splitlines()))
        for block in re.findall(r"```hex\n(.*?)```", example, re.DOTALL)
    ]
    begins, second, ends, roll, digest = blocks
    data = data_of(make_dice.EXAMPLE)
    file = msgpack.unpackb(data)
    assert data.startswith(begins)
    assert data.endswith(ends)
    assert second == file["entries"][1]
    assert msgpack.unpackb(second)[4] == hashlib.sha256(file["entries"][0]).digest()
    stream, first, sides, faces = msgpack.unpackb(roll)
    assert roll in b"".join(file["entries"])
    message = "".join(re.findall(r"```text\n(.*?)```", example, re.DOTALL)[0].split()).encode()
    assert hmac.digest(bytes.fromhex(file["secret"]), message, "sha256") == digest
    assert digest[1] % sides + 1 == faces[make_dice.EXAMPLE_DIE - first]
    assert stream == ""


# --- honest files ----------------------------------------------------------------------------------------------------


@every_game
def test_the_verifier_accepts_every_recorded_game_and_agrees_with_the_server(game: tuple[str, str]) -> None:
    found, report = check(data_of(game)), verify(data_of(game), find)
    assert (found.entries, found.right, found.inherited) == (report.entries, report.dice, report.inherited)
    assert [era.dice for era in found.eras] == [era.dice for era in report.eras]


@pytest.mark.parametrize("name", MATCHES)
def test_the_verifier_accepts_matches_with_unusual_entries(name: str) -> None:
    entries = MATCHES[name]().entries
    report = verify(export(entries), lambda _edition: None)
    assert check(export(entries)).right == report.dice
    # Before the end there is no secret, so no die can be checked.
    assert check(export(entries[: len(entries) // 2])).right == 0


# --- changed files ---------------------------------------------------------------------------------------------------


@every_game
def test_the_verifier_refuses_files_with_a_changed_byte(game: tuple[str, str]) -> None:
    data = data_of(game)
    around = set(range(len(data)))
    for entry in msgpack.unpackb(data)["entries"]:
        at = data.index(entry)
        around -= set(range(at, at + len(entry)))
    dealer = random.Random("/".join(game))
    places = sorted(around) if game == make_dice.EXAMPLE else sorted(around)[:: 1 + len(around) // CHANGED_BYTES]
    for place in [*places, *dealer.sample(range(len(data)), CHANGED_BYTES)]:
        bad = bytearray(data)
        bad[place] ^= dealer.randrange(1, 256)
        with pytest.raises(WrongFileError):
            check(bytes(bad))


@every_game
def test_the_verifier_refuses_truncated_and_extended_files(game: tuple[str, str]) -> None:
    data = data_of(game)
    file = msgpack.unpackb(data)
    entries = file["entries"]
    for bad in (b"", data[:-1], data[: len(data) // 2], data + b"\x00"):
        with pytest.raises(WrongFileError):
            check(bad)
    for some in (entries[:-1], [*entries[:5], *entries[6:]], [*entries[:5], entries[6], entries[5], *entries[7:]], []):
        with pytest.raises(WrongFileError):
            check(written({**file, "entries": some}))


@pytest.mark.parametrize("form", [0, 1, 3, "2", True])
def test_a_form_that_the_page_does_not_describe_is_refused(form: object) -> None:
    def change(body: Body) -> bool:
        opens: bool = body["type"] == "opened"
        if opens:
            body["form"] = form
        return opens

    data = forged(data_of(("fad4", "position-typed")), change)
    with pytest.raises(WrongFileError):
        check(data)
    with pytest.raises(Wrong):
        verify(data, find)


def forged(data: bytes, change: Callable[[Body], bool], secret: str | None = None) -> bytes:
    """Return a forged file: the last body that `change` takes is changed, and the whole chain is built anew."""
    file = msgpack.unpackb(data)
    envelopes = [msgpack.unpackb(entry) for entry in file["entries"]]
    assert any(change(envelope[5]) for envelope in reversed(envelopes)), "nothing to forge"
    return chained(file, [envelope[5] for envelope in envelopes], [envelope[1] for envelope in envelopes], secret)


def chained(file: Body, bodies: list[Body], parents: list[int], secret: str | None = None) -> bytes:
    made: list[bytes] = []
    for number, (parent, body) in enumerate(zip(parents, bodies, strict=True), 1):
        prev = hashlib.sha256(made[-1]).digest() if made else bytes(32)
        made.append(written([number, parent, 1000 + number, bytes(16), prev, body]))
    head = hashlib.sha256(made[-1]).digest()
    return written({**file, "entries": made, "head": head, "secret": file["secret"] if secret is None else secret})


def a_fact(kind: str, field: str, to: Callable[[Any], Any]) -> Callable[[Body], bool]:
    """Change a field of the first fact of a kind in a body."""

    def change(body: Body) -> bool:
        for fact in body.get("facts", []):
            if fact["type"] == kind and field in fact:
                fact[field] = to(fact[field])
                return True
        return False

    return change


def a_roll(place: int, to: Callable[[Any], Any], *, shown: bool = True) -> Callable[[Body], bool]:
    """Change one of the four fields of a roll, and what was shown of it."""

    def change(body: Body) -> bool:
        if not body.get("rolls") or body["type"] != "step":
            return False
        roll = body["rolls"][0]
        roll[place] = to(roll[place])
        for fact in [fact for fact in body["facts"] if fact["type"] == "rolled"][: shown and 1]:
            fact["faces"] = (roll[3] + fact["faces"][len(roll[3]) :])[: len(fact["faces"])]
        return True

    return change


def turned(faces: list[int]) -> list[int]:
    return [faces[0] % 6 + 1, *faces[1:]]


def opened(field: str, to: Callable[[Any], Any]) -> Callable[[Body], bool]:
    def change(body: Body) -> bool:
        if body["type"] != "opened":
            return False
        body[field] = to(body[field])
        return True

    return change


def early_share(position: str) -> str:
    found = json.loads(position)
    found["desk"]["randomness"] = {"blue": "00" * 32}
    return json.dumps(found)


def no_number(body: Body) -> bool:
    """Write `true` for a one, which equals it in some languages."""
    ones = [roll[3] for roll in body.get("rolls", []) if body["type"] == "step" and 1 in roll[3]]
    if ones:
        ones[0][ones[0].index(1)] = True
    return bool(ones)


FORGERIES: dict[str, Callable[[Body], bool]] = {
    "a die": a_roll(3, turned),
    "a die, but not what was shown": a_roll(3, turned, shown=False),
    "what was shown of a die": a_fact("rolled", "faces", turned),
    "a die that is no number": no_number,
    "the number of a die": a_roll(1, lambda first: first + 1),
    "the sides of a die": a_roll(2, lambda sides: sides + 1),
    "a stream": a_roll(0, lambda stream: f"{stream}secret"),
    "a share": a_fact("randomness", "randomness", lambda _share: "00" * 32),
    "how a share is written": a_fact("randomness", "randomness", lambda share: f"{share}\n"),
    "a commitment to a share": a_fact("committed", "digest", lambda _digest: "00" * 32),
    "whose share it is": a_fact("randomness", "seat", lambda seat: f"{seat}2"),
    "the secret": a_fact("secret", "secret", lambda _secret: "00" * 32),
    "how the secret is written": a_fact("secret", "secret", str.upper),
    "the match's id": opened("match", lambda match: f"{match}2"),
    "the commitment": opened("commitment", lambda _commitment: "00" * 32),
    "a share before the beginning": opened("position", early_share),
}


@pytest.mark.parametrize("what", FORGERIES)
@every_game
def test_the_verifier_refuses_forgeries_with_a_rebuilt_chain(game: tuple[str, str], what: str) -> None:
    if what == "the commitment" and len(check(data_of(game)).eras) > 1:
        # The first secret of this match was never published, so nothing depends on it.
        assert check(forged(data_of(game), FORGERIES[what])).right > 0
        return
    with pytest.raises(WrongFileError):
        check(forged(data_of(game), FORGERIES[what]))


def test_the_verifier_accepts_a_rebuilt_chain_without_a_forgery() -> None:
    """This shows that the forgeries are refused for what was forged in them."""
    for game in RECORDED:
        assert check(forged(data_of(game), lambda _body: True)).right > 0


@every_game
def test_the_verifier_refuses_a_wrong_or_missing_secret(game: tuple[str, str]) -> None:
    for secret in ("00" * 32, "", "zz"):
        with pytest.raises(WrongFileError):
            check(forged(data_of(game), lambda _body: True, secret))


def test_the_server_refuses_all_that_the_verifier_refuses() -> None:
    """Except for faults against the rules, which only the server runs."""
    data = data_of(make_dice.EXAMPLE)
    accepted = set()
    for what, change in FORGERIES.items():
        try:
            if not verify(forged(data, change), find).differences:
                accepted.add(what)
        except Wrong:
            pass
    assert not accepted


@pytest.mark.parametrize("order", ["reveals first", "commits late", "plays early", "publishes early", "plays on"])
def test_the_verifier_refuses_entries_in_the_wrong_order(order: str) -> None:
    file = msgpack.unpackb(data_of(make_dice.EXAMPLE))
    bodies = [msgpack.unpackb(entry)[5] for entry in file["entries"]]

    def at(kind: str, last: bool = False) -> int:
        found = [n for n, body in enumerate(bodies) if any(fact["type"] == kind for fact in body.get("facts", []))]
        return found[-1 if last else 0]

    first_step = next(n for n, body in enumerate(bodies) if body["type"] == "step")
    # Without take-backs, whose parents would be others.
    moves = {
        "reveals first": (at("randomness"), at("committed", last=True)),
        "commits late": (at("committed"), at("randomness") + 1),
        "plays early": (first_step, at("randomness")),
        "publishes early": (at("secret"), first_step),
        "plays on": (first_step, len(bodies)),
    }
    took, to = moves[order]
    body = bodies[took]
    cut = (
        [each for n, each in enumerate(bodies) if n != took] if order not in {"commits late", "plays on"} else [*bodies]
    )
    cut.insert(to, body)
    kept = [each for each in cut if each["type"] != "taken_back"]
    with pytest.raises(WrongFileError):
        check(chained(file, kept, list(range(len(kept)))))


def test_a_value_in_a_longer_form_is_refused() -> None:
    data = data_of(make_dice.EXAMPLE)
    longer = data.replace(b"\xa6format", b"\xd9\x06format", 1)
    assert msgpack.unpackb(longer) == msgpack.unpackb(data)
    for bad, what in (
        (longer, "shortest form"),
        (b"\x85\xa6format\xa0" + data[1:], "twice"),
        (b"\x81\x01\x02", "no text"),
    ):
        with pytest.raises(WrongFileError, match=what):
            check(bad)


def test_the_verifier_runs_as_a_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bad = tmp_path / "bad.underfire"
    bad.write_bytes(data_of(make_dice.EXAMPLE)[:-1])
    for file, code, said in ((file_of(*make_dice.EXAMPLE), 0, "68 of them derived again"), (bad, 1, "Wrong: the file")):
        monkeypatch.setattr(sys, "argv", ["stranger_verifier.py", str(file)])
        assert stranger_verifier.main() == code
        assert said in capsys.readouterr().out
