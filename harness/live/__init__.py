"""Live dialogues: an agent with tools talks to a user who has a goal, and is scored by the goal.

`world.py`: what dialogues share, with the tools that an agent can call. `users.py`, `agents.py`,
`models.py`: users and agents. `environment.py`: one dialogue, and its result. `plays.py`: many, and
what they score. `causes.py`: why tasks are not solved. `play.py`: files of dialogues, written and
read, and the command. `mcp_server.py`, `gymnasium_env.py` and `inspect_task.py` serve others;
`live_track.py` is the board's.
"""
