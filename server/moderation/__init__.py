"""What the operator of a running server decides about players and matches: bans, mutes, ends; see `docs/design.md`."""
