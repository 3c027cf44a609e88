"""The family in words: the log and the cards of units."""
