"""What families of rules share: reading data, options, deployment, objectives, previews and narration.

Nothing here is a rule of a game. Each caller passes the ids of the rules by which it uses these functions.
"""
