"""Uncontrolled forces: how the rules play a side that no player commands (the chapter of that name).

`groups` are the parts of a force and what they are to do, `discipline` tests them at the start of a turn, `method` answers the
prompts of their seat, `approaches` says what a unit does, `eyes` what it sees and whom it may fight, `ways` where it can go,
`odds` what its fire can be expected to do, `watching` what the enemy has done to a group, and `words` how all this is told.
"""
