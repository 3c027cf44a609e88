"""Cases: a setup, answers and scripted dice in one file, and running them (docs/cases.md)."""
