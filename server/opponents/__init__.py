"""Opponents that are programs."""
