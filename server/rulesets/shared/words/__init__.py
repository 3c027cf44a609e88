"""Facts and odds in words that read the same in every game."""
