"""What all tests share. Fixtures of one area stand in that area's own conftest."""
