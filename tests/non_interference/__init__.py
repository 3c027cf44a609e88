"""Pairs of worlds that differ in a secret, by the thousand: `python -m tests.non_interference --pairs 100000`."""
