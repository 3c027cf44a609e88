"""The pure core: knows no family, no edition, no clock, no network. Give it a state, answers and dice; it gives facts."""
