"""The rule sets: a folder a family, in it a folder an edition."""
