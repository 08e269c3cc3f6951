"""The built-in sample benchmark: a town of its own, written for this project."""
