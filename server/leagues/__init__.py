"""Leagues: players who meet each other in a series of matches, kept in a log of their own."""
