"""Cases: a setup, answers and scripted dice in one file, and what the rules make of them (docs/cases.md)."""
