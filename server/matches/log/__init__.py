"""The log of a match: its entries, what they fold into, and the file that carries them. Pure."""
