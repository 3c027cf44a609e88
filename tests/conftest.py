"""What all tests share. Fixtures of one area stand in that area's own conftest."""

from server.matches.log import fold

# In every test that plays on, the states that a run hands on are those that its facts make.
fold.CHECKED = True
