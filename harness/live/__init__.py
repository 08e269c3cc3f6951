"""Live dialogues: an agent with tools talks to a user who has a goal, and is scored by the goal.

`tools.py` holds what an agent can call, `environment.py` one dialogue at a time, `users.py` and
`agents.py` who talks, `outcomes.py` what came of it, and `playing.py` plays many dialogues.
"""
