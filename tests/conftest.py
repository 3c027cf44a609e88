"""What all tests share. Fixtures of one area stand in that area's own conftest."""

from server import compiled
from server.commands.serve import collect_less
from server.matches.log import trail

# In every test that plays on, the states that a run hands on are those that its facts make.
trail.CHECKED = True


def pytest_report_header() -> str:
    return f"geometry: {f'uncompiled, {compiled.WHY_NOT}' if compiled.WHY_NOT else 'compiled'}"


def pytest_collection_finish() -> None:
    """Look for garbage as a server does: what was imported and collected stays to the end, and takes long to look through."""
    collect_less()
