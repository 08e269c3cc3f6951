"""The website: the board, its systems and dialogues as pages (`site.py`), and a server.

Nothing is imported here: whoever lists the commands loads this package.
"""
