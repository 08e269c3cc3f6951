"""Live dialogues: an agent with tools talks to a user who has a goal, and is scored by the goal.

`tools.py`: what an agent can call. `world.py`: what dialogues share. `users.py`, `agents.py`,
`models.py`: who talks. `environment.py`: one dialogue, and what came of it. `playing.py`: many
dialogues into files. `replaying.py`: these files, played again. `play_files.py`: what commands and
the board ask of them. `gymnasium_env.py` and `inspect_task.py` serve other frameworks.
"""
