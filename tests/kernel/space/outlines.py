"""Random points and outlines, for tests of the geometry."""

from __future__ import annotations

import math

import shapely
from hypothesis import assume
from hypothesis import strategies as st

from server.kernel.space.geometry import Outline

fine = st.tuples(st.integers(0, 48000), st.integers(0, 48000))
coarse = st.tuples(st.integers(0, 24), st.integers(0, 24)).map(lambda p: (p[0] * 2000, p[1] * 2000))
points = fine | coarse  # on the coarse grid, corners and edges line up as they never do at random


@st.composite
def outlines(draw: st.DrawFn) -> Outline:
    """A border that does not cross itself, hollow ones too."""
    corners = draw(st.lists(points, min_size=3, max_size=8, unique=True))
    x, y = corners[0]
    round_about = sorted(corners[1:], key=lambda p: (math.atan2(p[1] - y, p[0] - x), p))
    outline = (corners[0], *round_about)
    assume(shapely.Polygon(outline).is_valid)
    return outline
