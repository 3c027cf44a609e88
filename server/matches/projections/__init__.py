"""Projections: what each audience sees of a match, as functions of its log."""
