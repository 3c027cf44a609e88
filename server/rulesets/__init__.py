"""The rule sets: a folder for each family, and in it a folder for each edition."""
