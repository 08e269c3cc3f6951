"""The command of the site."""
