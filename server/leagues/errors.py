"""What can go wrong when players act in a league."""

from __future__ import annotations


class ActError(Exception):
    """What was to be done cannot be: a sentence for the player, and a code for programs."""

    def __init__(self, sentence: str, code: str = "league") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code
