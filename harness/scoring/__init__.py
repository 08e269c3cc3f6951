"""From predictions to scores: options, the scorer, reports and how they are shown."""

from .options import Options
from .scorer import Reward, Scorer, allowed_metrics, score

__all__ = ["Options", "Reward", "Scorer", "allowed_metrics", "score"]
