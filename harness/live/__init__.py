"""Live dialogues: an agent with tools talks to a user who has a goal, and is scored by the goal.

`world.py`: what dialogues share, with the tools that an agent can call. `users.py`, `agents.py`:
users and agents. `environment.py`: one dialogue, the result, and why it is not solved. `plays.py`:
many, what they score, and how that is explained. `play.py`: files of them, written and read, and
the command. `gymnasium_env.py` and `inspect_task.py` serve other frameworks; `live_track.py` is the
board's.
"""
