"""Checking a league file: its chain, who acted, the dice, the rules of campaigns, and the matches behind its results."""
