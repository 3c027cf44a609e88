"""The log of a league: its entries, the facts in them, the league they lead to."""
