"""What any family of rules may build on: reading its data, setting options, deploying, holding objectives, telling what befell.

Nothing here is a rule by itself. Who uses it says by which of its rules it does so: the rules' ids come from the caller.
"""
