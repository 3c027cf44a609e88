"""What all tests share. Fixtures of one area stand in that area's own conftest."""

from server import compiled


def pytest_report_header() -> str:
    return f"geometry: {f'uncompiled, {compiled.WHY_NOT}' if compiled.WHY_NOT else 'compiled'}"
