from __future__ import annotations

import random
import struct
from itertools import islice
from typing import cast

import msgpack  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from client_protocol import codec
from client_protocol.choices import DirectionTaken, PathsDeclared
from client_protocol.explained import Explained, Line
from client_protocol.from_client import Answer, EnterMatch, MakeMatch, Ping, Recall
from client_protocol.from_server import Update
from client_protocol.view import Die, Story
from server.kernel.answers.sampling import sample
from server.matches.log.entries import Envelope
from server.matches.projections.frames import Teller
from server.rulesets import library
from server.rulesets.library import editions
from tests.archive.files import RECORDED, entries_of
from tests.support.playing import MatchInMemory

ANSWER = {"type": "answer", "id": "a" * 8, "prompt": "p", "choice": "c"}


def packed(value: object) -> bytes:
    return cast("bytes", msgpack.packb(value))


def test_a_message_survives_the_wire() -> None:
    declared = PathsDeclared(paths={"f1": ((1000, 2000), (-3, 4))})
    answer = Answer(id="12345678", prompt="p1", choice="move", values=(declared, DirectionTaken(angle=-900)))
    assert codec.decode_client(codec.encode(answer)) == answer


def test_an_update_leaves_out_what_did_not_change() -> None:
    story = Story(
        kind="roll",
        text="Blue fires.",
        dice=(Die(6, 5, "kept"),),
        numbers=(Explained(6, (Line("SET", 5, "die", "r"),)),),
    )
    update = Update(seq=4, patch={"turn": 2, "result": None}, story=(story,))
    as_plain = msgpack.unpackb(codec.encode(update))
    assert as_plain == {
        "type": "update",
        "seq": 4,
        "patch": {"turn": 2, "result": None},
        "story": [
            {
                "kind": "roll",
                "text": "Blue fires.",
                "dice": [[6, 5, "kept"]],
                "numbers": [[6, [["SET", 5, "die", "r", False]], ""]],
            },
        ],
    }
    assert codec.decode_server(codec.encode(update)) == update


def test_equal_messages_are_equal_bytes() -> None:
    one = MakeMatch(id="1", edition="e", scenario="s", name="N", mine=(), options={"a": 1, "b": 2})
    two = MakeMatch(id="1", edition="e", scenario="s", name="N", mine=(), options={"b": 2, "a": 1})
    assert one == two
    assert codec.encode(one) == codec.encode(two)


DEEP = b"\x91" * 16_000 + b"\xc0"


@pytest.mark.parametrize(
    ("data", "error"),
    [
        pytest.param(b"\x00" * (codec.LARGEST_INWARD + 1), codec.TooLarge, id="too many bytes"),
        pytest.param(b"", codec.Malformed, id="nothing"),
        pytest.param(packed({"type": "ping", "id": "1"}) + b"\xc0", codec.Malformed, id="something after the end"),
        pytest.param(packed({"type": "ping", "id": "1"})[:-1], codec.Malformed, id="cut off"),
        pytest.param(b"\xc1", codec.Malformed, id="a byte that MessagePack never uses"),
        pytest.param(b"\x82\xa4type\xa4ping\xa2id\xa2\xff\xfe", codec.Malformed, id="text that is not UTF-8"),
        pytest.param(DEEP, codec.NotAllowed, id="deep arrays"),
        pytest.param(b"\x82\xa1a" + DEEP[:15_000] + b"\xa4type\xa4ping", codec.TooDeep, id="deep before the type"),
        pytest.param(
            b"\x82\xa1a" + b"\x81\xa1a" * 5_000 + b"\xc0\xa4type\xa4ping", codec.TooDeep, id="deep maps before the type"
        ),
        pytest.param(b"\xdd\xff\xff\xff\xff", codec.NotAllowed, id="four billion elements declared"),
        pytest.param(b"\xdf\xff\xff\xff\xff", codec.Malformed, id="four billion fields declared"),
        pytest.param(
            packed(ANSWER | {"values": []})[:-1] + b"\xdd\xff\xff\xff\xff", codec.NotAllowed, id="four billion values"
        ),
        pytest.param(b"\x82\xa4type\xdb\xff\xff\xff\xff", codec.Malformed, id="a text of four gigabytes declared"),
        pytest.param(b"\xdc\x3f\xf0" + b"\x80" * 0x3FF0, codec.NotAllowed, id="16 KiB of empty maps"),
        pytest.param(packed({"type": "surprise"}), codec.UnknownType, id="unknown type"),
        pytest.param(packed({"id": "1"}), codec.NotAllowed, id="no type"),
        pytest.param(packed({"type": 4}), codec.UnknownType, id="a type that is no text"),
        pytest.param(packed({"type": "ping", "id": "1", "more": 1}), codec.NotAllowed, id="unknown field"),
        pytest.param(packed({"type": "ping", "id": 1}), codec.NotAllowed, id="number for text"),
        pytest.param(packed({"type": "ping", "id": "x" * 81}), codec.NotAllowed, id="text too long"),
        pytest.param(packed({"type": "recall", "id": "1", "before": 2**63}), codec.NotAllowed, id="number too large"),
        pytest.param(packed({"type": "recall", "id": "1", "before": -2}), codec.NotAllowed, id="number too small"),
        pytest.param(packed({"type": "recall", "id": "1", "before": 1.5}), codec.NotAllowed, id="no whole number"),
        pytest.param(packed({"type": "commit", "id": "1", "digest": "A" * 64}), codec.NotAllowed, id="no digest"),
        pytest.param(
            packed({"type": "commit", "id": "1", "digest": "a" * 64 + "\n"}),
            codec.NotAllowed,
            id="a digest with a newline behind it",
        ),
        pytest.param(
            packed({"type": "reveal", "id": "1", "randomness": "a" * 64 + "\n"}),
            codec.NotAllowed,
            id="a share with a newline behind it",
        ),
        pytest.param(packed({"type": "ping", "id": "1", "values": DEEP}), codec.NotAllowed, id="bytes for no field"),
        pytest.param(
            packed(ANSWER | {"values": [{"type": "path", "paths": {"f": [[0, 0]] * 41}}]}),
            codec.NotAllowed,
            id="too many points",
        ),
        pytest.param(
            packed(ANSWER | {"values": [{"type": "path", "paths": {"f": [[0, 10**8]]}}]}),
            codec.NotAllowed,
            id="a point beyond all tables",
        ),
        pytest.param(
            packed(ANSWER | {"values": [{"type": "unit", "unit": "u"}] * 9}), codec.NotAllowed, id="nine values"
        ),
    ],
)
def test_each_kind_of_invalid_bytes_has_its_own_error(data: bytes, error: type[codec.CodecError]) -> None:
    with pytest.raises(codec.CodecError) as caught:
        codec.decode_client(data)
    assert type(caught.value) is error
    assert caught.value.sentence.endswith(".")


@pytest.mark.parametrize(
    ("data", "id_"),
    [
        pytest.param(packed({"type": "surprise", "id": "7"}), "7", id="unknown type"),
        pytest.param(packed({"id": "7"}), "7", id="no type"),
        pytest.param(packed(ANSWER | {"id": "short"}), "short", id="an id that is too short for its message"),
        pytest.param(packed({"values": [{"id": "inner"}], "type": "ping", "id": "7"}), "7", id="after other fields"),
        pytest.param(packed({"type": "ping", "id": "7", "more": ["x"] * 99})[:-1], "7", id="cut off after the id"),
        pytest.param(b"\x82\xa2id\xa17\xa1a" + DEEP[:15_000] + b"\xc0", "7", id="deep after the id"),
        pytest.param(b"\x82\xa1a" + DEEP[:15_000] + b"\xc0\xa2id\xa17", "", id="deep before the id"),
        pytest.param(packed({"type": "ping", "id": 7}), "", id="an id that is no text"),
        pytest.param(packed({"type": "ping", "id": "x" * 81}), "", id="an id that is too long"),
        pytest.param(b"\x82\xa2id\xa2\xff\xfe\xa1a\xc0", "", id="an id that is not UTF-8"),
        pytest.param(b"\x82\xa2id\xdd\xff\xff\xff\xff", "", id="an id of four billion elements"),
        pytest.param(b"\x82\xa2id" + DEEP[:15_000] + b"\xc0", "", id="an id without end"),
        pytest.param(b"\x82\xd4\xff\x00\xc0\xa2id\xa17", "", id="a key that is no text"),
        pytest.param(b"\xdf\xff\xff\xff\xff" + b"\xa1a\xc0" * 4_000, "", id="four billion fields declared"),
        pytest.param(packed(["id", "7"]), "", id="no map"),
    ],
)
def test_a_refusal_has_the_id_that_can_be_read(data: bytes, id_: str) -> None:
    with pytest.raises(codec.CodecError) as caught:
        codec.decode_client(data)
    assert caught.value.id == id_


def test_a_secret_is_not_repeated_in_the_refusal() -> None:
    with pytest.raises(codec.NotAllowed) as caught:
        codec.decode_client(packed({"type": "enter_match", "protocol": 1, "match": "m", "token": "hunter2" * 20}))
    assert "hunter2" not in caught.value.sentence


def test_a_plain_value_becomes_typed_or_is_refused() -> None:
    assert codec.typed({"type": "ping", "id": "1"}, Ping) == Ping(id="1")
    with pytest.raises(codec.NotAllowed):
        codec.typed({"type": "ping", "id": "1", "more": 2}, Ping)


def test_stored_bytes_come_back() -> None:
    recall = Recall(id="1", before=7)
    assert codec.unpack(codec.pack(recall), Recall) == recall


def test_entries_are_packed_as_the_reference_library_packs_them() -> None:
    entries = [entry for game in RECORDED for entry in entries_of(*game)]
    assert entries
    for entry in entries:
        envelope = codec.unpack(entry, Envelope)
        assert codec.pack(envelope) == packed(codec.plain(envelope)) == entry


@pytest.mark.parametrize("edition", list(editions()))
def test_snapshots_are_packed_as_the_reference_library_packs_them(edition: str) -> None:
    rules, chance = library.edition(edition), random.Random(edition)
    in_memory = MatchInMemory(rules, rules.info.scenarios[0].id)
    in_memory.seat_all()
    in_memory.begin()
    for seat in islice(in_memory.play(lambda known, asked: sample(known, asked, chance)), 30):
        referee = in_memory.referee
        snapshot = Teller(rules, referee.fold, referee.ask).snapshot(seat)
        assert codec.encode(snapshot) == packed(codec.plain(snapshot))


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["type", "id", "values"]), inner),
    max_leaves=20,
)
tags = st.sampled_from(["answer", "ping", "say", "enter_match", "make_match", "recall", "path", "unit"])


@settings(max_examples=300)
@given(anything, tags)
def test_any_value_is_a_message_or_a_typed_refusal(value: object, tag: str) -> None:
    for candidate in (value, {"type": tag, "id": "12345678", "values": value}, ANSWER | {"values": [value]}):
        try:
            codec.decode_client(packed(candidate))
        except codec.CodecError as error:
            assert error.sentence  # noqa: PT017


@settings(max_examples=300)
@given(st.binary(max_size=200), st.integers(0, 60), st.binary(max_size=4))
def test_any_bytes_are_a_message_or_a_typed_refusal(noise: bytes, where: int, patch: bytes) -> None:
    honest = codec.encode(EnterMatch(protocol=1, match="m", since=3))
    bent = honest[:where] + patch + honest[where + len(patch) :]
    for data in (noise, bent, struct.pack(">BI", 0xDF, 3) + noise):
        try:
            codec.decode_client(data)
        except codec.CodecError as error:
            assert error.code  # noqa: PT017
