"""Live dialogues: an agent with tools talks to a user who has a goal, and is scored by the goal.

`world.py`: what dialogues share, with the tools that an agent can call. `users.py`, `agents.py`,
`models.py`: users and agents. `environment.py`: one dialogue, and the result. `playing.py`: many,
and what they score. `play.py`: playing them into files, which `replaying.py` reads.
`gymnasium_env.py` and `inspect_task.py` serve other frameworks; `live_track.py` is the board's.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
