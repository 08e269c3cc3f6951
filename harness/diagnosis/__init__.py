"""Why points are lost: causes, what if, one dialogue followed turn by turn, and a reward."""
