"""Sentences for facts and odds that are the same in every game."""
