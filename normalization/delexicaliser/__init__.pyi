"""What other rooms may use of this one."""

from .delexicaliser import Delexicaliser as Delexicaliser, topics as topics
