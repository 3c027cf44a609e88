"""FUBAR: one page of rules, and what grew out of it."""
