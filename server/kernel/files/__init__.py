"""Setups and forces as files: read, bounded, checked and written."""
