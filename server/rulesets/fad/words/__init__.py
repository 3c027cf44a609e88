"""The family's sentences: the log, and the cards of units."""
