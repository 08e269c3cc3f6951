"""Where a system loses Inform and Success: causes, what they cost, and dialogues turn by turn."""

from .causes import CAUSES, SLOT_CAUSES, Diagnosis, cause_words, diagnose, explain

__all__ = ["CAUSES", "SLOT_CAUSES", "Diagnosis", "cause_words", "diagnose", "explain"]
