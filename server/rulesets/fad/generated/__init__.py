"""Scenarios whose set-up is generated when the match begins (the chapter on scenario generation).

`sequence` says which step comes next; `choosing` are stance, attitude and recon duty, `ground` the edges of the table and the
objective markers, `missions` which mission each side has and when it is done, `markers` the contact markers, `spending` what
Recon Points do, `revealing` what a marker turns out to be, `arriving` who enters the table later, `noting` what is noted, and
`words` how all this is told. A side without a player (`noting.uncontrolled`) is set up by dice.
"""
