"""FAD 4: what the fourth edition has otherwise than the family stands in edition.toml."""
