"""Which rule refuses a path, and what the sentence says of it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.choices import PathParameter, PathsDeclared
from server.kernel.answers.paths import check_path
from server.kernel.answers.refusal import Refusal
from server.kernel.space.geometry import Point
from tests.support.position import position, squad
from tests.vectors import make_refusals
from tests.vectors.make_refusals import GROUND, MOVE, SLOWED, START


def refusal(parameter: PathParameter, *path: Point) -> Refusal:
    state = position(squad("blue-1", [START]), terrain=[piece.terrain() for piece in GROUND])
    found = check_path(state, parameter, PathsDeclared({"1": path}))
    assert found is not None
    return found


def test_the_vectors_say_what_the_kernel_says() -> None:
    written = make_refusals.FILE.read_text(encoding="utf-8")
    assert written == make_refusals.text(), "run tests/vectors/make_refusals.py and look at what changed"


@pytest.mark.parametrize(
    ("parameter", "path", "rule", "sentence"),
    [
        (
            MOVE,
            (24_000, 17_900),
            "move",
            'Figure 1 would use 7.1" of movement, since brook costs more than open ground; it has 6".',
        ),
        (
            MOVE,
            (25_500, 28_500),
            "mud",
            'Figure 1 would use 7.4" of movement, since mire costs more than open ground; it has 6".',
        ),
        (
            SLOWED,
            (24_000, 18_000),
            "hurt",
            (
                'Figure 1 would use 7" of movement, since brook costs more than open ground; it has 4". '
                "Without its wound it would have 6."
            ),
        ),
        (
            SLOWED,
            (28_000, 21_000),
            "hurt",
            'Figure 1 would use 5" of movement; it has 4". Without its wound it would have 6.',
        ),
        (
            MOVE,
            (25_000, 34_000),
            "move",
            'Figure 1 would use 14.1" of movement, since mire costs more than open ground; it has 6".',
        ),
        (
            replace(MOVE, allowance=50_000),
            (24_000, 49_000),
            "table",
            "The path of figure 1 leaves the table; end on it, bases and hulls wholly.",
        ),
        (MOVE, (20_000, 27_500), "rock", "The path of figure 1 runs into cliff, which no figure can cross."),
    ],
)
def test_the_sentence_and_the_rule_are_those_of_what_refuses(
    parameter: PathParameter, path: Point, rule: str, sentence: str
) -> None:
    found = refusal(parameter, path)
    assert (found.rule, found.sentence) == (rule, sentence)
